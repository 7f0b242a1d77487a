import { ownText } from '../../../platform/kernel/plain-json.ts';
import { readPeriod } from '../../../public-data/ecos-period.ts';
import { DAY } from '../../../public-data/korean-time.ts';
import { onFirstUse, readFacts } from '../../facts/places.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { crossed, extended, NO_ROWS, type Row, repeated } from '../rows.ts';
import { rate } from './currencies.ts';
import { levelOf } from './level.ts';
import { type Cycle, cycleNamed, latestPeriods, periodsBetween, printPeriod } from './periods.ts';

interface BankSeries {
  readonly table: string;
  readonly tableName: string;
  readonly item: string;
  readonly itemName: string;
}

const bankSeries = onFirstUse((): readonly BankSeries[] =>
  readFacts('bank-series').map(([table = '', tableName = '', item = '', itemName = '']) => ({
    table,
    tableName,
    item,
    itemName,
  })),
);

/** The unit of all series of a table, where one is known. */
const UNITS: Readonly<Record<string, string>> = {
  '721Y001': '연%',
  '722Y001': '연%',
  '817Y002': '연%',
  '901Y009': '2020=100',
  '731Y001': '원',
  '731Y003': '원',
};

/** The base rate, which is both a series and a key statistic. */
const BASE_RATE = '722Y001:0101000';
const CONSUMER_PRICES = '901Y009:0';

/** Series and key statistics that are a currency in won. */
const CURRENCIES: Readonly<Record<string, string>> = {
  '731Y001:0000001': 'USD',
  '731Y003:0000003': 'USD',
  '731Y003:0000010': 'CNY',
  '원/달러 환율(종가)': 'USD',
  '원/엔(100엔) 환율(매매기준율)': 'JPY',
  '원/유로 환율(매매기준율)': 'EUR',
  '원/위안 환율(종가)': 'CNY',
};

/** Key statistics that are the latest value of a series. */
const SERIES_OF_KEY: Readonly<Record<string, string>> = {
  '한국은행 기준금리': BASE_RATE,
  소비자물가지수: CONSUMER_PRICES,
};

/** A figure as the bank prints it: percentages are small, the base rate has steps of a quarter, the rest is an index. */
function printFigure(key: string, unit: string, time: number): string {
  const currency = ownText(CURRENCIES, key);
  if (currency) return (rate(currency, 'KRW', time) * (currency === 'JPY' ? 100 : 1)).toFixed(2);
  const level = levelOf(key, time);
  if (key === BASE_RATE) return (Math.round(level / 8) / 4).toFixed(2);
  return unit.endsWith('%') ? (level / 30).toFixed(2) : level.toFixed(1);
}

const ITEMS = [1, 2, 3, 4].map((place) => ({
  parameter: `item_code${place}`,
  code: `ITEM_CODE${place}`,
  name: `ITEM_NAME${place}`,
}));

const isGiven = (code: string): boolean => code !== '' && code !== '?';

/** The series of a table: the asked items, or all that are known of it. */
function seriesOf(question: Question): Row[] {
  const table = question.text('stat_code');
  const known = bankSeries().filter((series) => series.table === table);
  const STAT_NAME = known[0]?.tableName ?? table;
  const asked = ITEMS.map(({ parameter, code, name }) => {
    const item = question.text(parameter);
    if (!isGiven(item)) return {};
    return { [code]: item, [name]: known.find((series) => series.item === item)?.itemName ?? item };
  });
  const items = known.filter(({ item }) => item !== '');
  const first = isGiven(question.text('item_code1'));
  const choices: Row[] =
    first || items.length === 0
      ? [{}]
      : items.map(({ item, itemName }) => ({ ITEM_CODE1: item, ITEM_NAME1: itemName }));
  const none = Object.fromEntries(
    ITEMS.flatMap(({ code, name }) => [
      [code, null],
      [name, null],
    ]),
  );
  return choices.map((choice) =>
    Object.assign(
      { STAT_CODE: table, STAT_NAME },
      none,
      { ITEM_CODE1: '1', ITEM_NAME1: table },
      choice,
      ...asked,
    ),
  );
}

/** The start of the latest period that has a value: today, else the latest that has ended. */
function lastPublished(cycle: Cycle, now: number): number {
  if (cycle === 'D') return now;
  return latestPeriods(cycle, 1, now)[0] ?? now;
}

/** One row per series and period of the range, as far as they are published. */
const bankStatistics: AnswerRule = {
  rows(question) {
    const cycle = cycleNamed(question.text('cycle'));
    const [from, to] = [
      readPeriod(question.text('start_time')),
      readPeriod(question.text('end_time')),
    ];
    if (from === undefined || to === undefined || isUnknownCode(question.text('stat_code')))
      return NO_ROWS;
    const last = Math.min(to, lastPublished(cycle, question.now));
    const periods = periodsBetween(cycle, from, last).map((start) => ({
      TIME: printPeriod(cycle, start),
      start,
    }));
    const unit = ownText(UNITS, question.text('stat_code')) ?? '';
    return extended(crossed(seriesOf(question), periods), (row) => {
      const items = [row['STAT_CODE'], row['ITEM_CODE1'], row['ITEM_CODE2'] ?? []].flat();
      const DATA_VALUE = printFigure(items.join(':'), unit, Number(row['start']));
      return { UNIT_NAME: unit || null, DATA_VALUE, start: undefined };
    });
  },
};

/** The latest value of each of the hundred indicators. */
const keyStatistics: AnswerRule = {
  rows(question) {
    const indicators = readFacts('key-statistics');
    return repeated(indicators.length, (index) => {
      const [name = '', letter = 'M', unit = ''] = indicators[index] ?? [];
      const cycle = cycleNamed(letter);
      const [latest = question.now] =
        cycle === 'D'
          ? periodsBetween('D', question.now - 7 * DAY, question.now - DAY).slice(-1)
          : latestPeriods(cycle, 1, question.now);
      return {
        CLASS_NAME: '표본',
        KEYSTAT_NAME: name,
        DATA_VALUE: printFigure(ownText(SERIES_OF_KEY, name) ?? name, unit, latest),
        CYCLE: printPeriod(cycle, latest),
        UNIT_NAME: unit,
      };
    });
  },
};

/** The Bank of Korea. */
export const BANK: AnswerRules = {
  ecos_statistic_search: bankStatistics,
  ecos_key_statistics: keyStatistics,
};
