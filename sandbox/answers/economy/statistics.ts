import { readPeriod } from '../../../src/public-data/ecos-period.ts';
import { DAY, type KoreanTime } from '../../../src/public-data/korean-time.ts';
import { onFirstUse, readFacts } from '../../places.ts';
import { type AnswerRules, crossed, each, extended, type Row, repeated } from '../answer-rule.ts';
import { between, smooth, whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { daysBetween, isWeekday, monthsBetween, printTime } from '../times.ts';
import { rate } from './currencies.ts';

/** How often a statistic is published: year, half year, quarter, month, half month or day. */
type Cycle = 'A' | 'S' | 'Q' | 'M' | 'SM' | 'D';

const MONTHS = { A: 12, S: 6, Q: 3, M: 1, SM: 1, D: 1 } as const;

/** The cycle with a letter; years are also known as Y. Monthly for any other. */
function cycleNamed(text: string): Cycle {
  if (Object.hasOwn(MONTHS, text)) return text as Cycle;
  return text === 'Y' ? 'A' : 'M';
}

/** The starts of the periods from the one with `from` to the one with `to`. */
function periodsBetween(cycle: Cycle, from: KoreanTime, to: KoreanTime): KoreanTime[] {
  if (cycle === 'D') return daysBetween(from, to).filter(isWeekday);
  const months = MONTHS[cycle];
  const first = new Date(from);
  const month = first.getUTCMonth() - (first.getUTCMonth() % months);
  const starts = monthsBetween(Date.UTC(first.getUTCFullYear(), month, 1), to, months);
  if (cycle !== 'SM') return starts;
  const halves = starts.flatMap((start) => [start, start + 15 * DAY]);
  return halves.filter((start) => start >= from && start <= to);
}

/** The latest periods that have ended by `now`, the earliest first. */
function latestPeriods(cycle: Cycle, count: number, now: KoreanTime): KoreanTime[] {
  const months = MONTHS[cycle];
  const from = now - (count + 2) * months * 31 * DAY;
  return periodsBetween(cycle, from, now - months * 28 * DAY).slice(-count);
}

/** A period such as 2026, 2026Q1 or 20260105. With `plain`, quarters and half years are two digits, as in 202601. */
function printPeriod(cycle: Cycle, start: KoreanTime, plain = false): string {
  const date = new Date(start);
  if (cycle === 'D') return printTime(start, 'YYYYMMDD');
  const text = printTime(start, MONTHS[cycle] === 1 ? 'YYYYMM' : 'YYYY');
  if (cycle === 'SM') return `${text}S${date.getUTCDate() < 16 ? 1 : 2}`;
  if (cycle !== 'S' && cycle !== 'Q') return text;
  return `${text}${plain ? 0 : cycle}${Math.floor(date.getUTCMonth() / MONTHS[cycle]) + 1}`;
}

/** A value that changes slowly. */
const levelOf = (key: string, time: number): number =>
  between(40, 160, key) * (0.9 + 0.2 * smooth(time, 400 * DAY, key));

/** Series of a table, with the unit of all of it where one is known, and the currency that a series is the value of in won. */
const bankSeries = onFirstUse(() =>
  readFacts('bank-series').map(
    ([table = '', tableName = '', item = '', itemName = '', unit = '', currency = '']) => ({
      table,
      tableName,
      item,
      itemName,
      unit,
      currency,
      key: `${table}:${item}`,
    }),
  ),
);

const BASE_RATE = '722Y001:0101000';

/** A figure as the bank prints it: percentages are small, the base rate has steps of a quarter, the rest is an index. */
function printFigure(key: string, unit: string, currency: string, time: number): string {
  if (currency) return (rate(currency, 'KRW', time) * (currency === 'JPY' ? 100 : 1)).toFixed(2);
  const level = levelOf(key, time);
  if (key === BASE_RATE) return (Math.round(level / 8) / 4).toFixed(2);
  return unit.endsWith('%') ? (level / 30).toFixed(2) : level.toFixed(1);
}

const ITEMS = [1, 2, 3, 4];

/** The series of a table: the asked items, or all that are known of it. */
function seriesOf({ text }: Question): Row[] {
  const table = text('stat_code');
  const known = bankSeries().filter((series) => series.table === table);
  const isGiven = (place: number): boolean => !['', '?'].includes(text(`item_code${place}`));
  const itemRow = (place: number, code: unknown, name: unknown): Row => ({
    [`ITEM_CODE${place}`]: code,
    [`ITEM_NAME${place}`]: name,
  });
  const asked = ITEMS.filter(isGiven).map((place) => {
    const item = text(`item_code${place}`);
    return itemRow(place, item, known.find((series) => series.item === item)?.itemName ?? item);
  });
  const items = isGiven(1) ? [] : known.filter(({ item }) => item !== '');
  const choices = items.map(({ item, itemName }) => itemRow(1, item, itemName));
  const none = ITEMS.map((place) => itemRow(place, null, null));
  const STAT_NAME = known[0]?.tableName ?? table;
  return (choices.length > 0 ? choices : [{}]).map((choice) =>
    Object.assign(
      { STAT_CODE: table, STAT_NAME },
      ...none,
      itemRow(1, '1', table),
      choice,
      ...asked,
    ),
  );
}

/** Columns of the second to the eighth classification, where a code was asked for. */
const furtherClasses = ({ text, has }: Question): Row[] =>
  [2, 3, 4, 5, 6, 7, 8]
    .filter((place) => has(`objL${place}`))
    .map((place) => {
      const code = text(`objL${place}`) === 'ALL' ? '1' : text(`objL${place}`);
      return { [`C${place}`]: code, [`C${place}_NM`]: code };
    });

/** The latest periods of one answer. */
const MAX_PERIODS = 500;

/** The latest periods, or those of a range. */
function periodRows({ text, number, now }: Question): Row[] {
  const cycle = cycleNamed(text('prdSe'));
  const [from, to] = [text('startPrdDe'), text('endPrdDe')].map((period) =>
    periodStart(period, cycle),
  );
  const count = Math.min(number('newEstPrdCnt') ?? 1, MAX_PERIODS);
  const starts =
    from === undefined || to === undefined
      ? latestPeriods(cycle, count, now)
      : periodsBetween(cycle, from, Math.min(to, now));
  return starts.map((start) => ({ PRD_DE: printPeriod(cycle, start, true), start }));
}

/** The last two digits of a quarter or a half year count these. */
function periodStart(text: string, cycle: Cycle): number | undefined {
  const start = readPeriod(text);
  if (start === undefined || !'QS'.includes(cycle) || text.length !== 6) return start;
  return Date.UTC(Number(text.slice(0, 4)), (Number(text.slice(4)) - 1) * MONTHS[cycle], 1);
}

/** The Bank of Korea, and the national statistics portal. */
export const STATISTICS: AnswerRules = {
  // One row per series and period of the range, as far as they are published.
  ecos_statistic_search: {
    codes: ['stat_code'],
    rows(question) {
      const { text, now } = question;
      const cycle = cycleNamed(text('cycle'));
      const [from, to] = [readPeriod(text('start_time')), readPeriod(text('end_time'))];
      if (from === undefined || to === undefined) return undefined;
      // Today has a value; of longer periods, the latest that has ended.
      const last = cycle === 'D' ? now : (latestPeriods(cycle, 1, now)[0] ?? now);
      const periods = periodsBetween(cycle, from, Math.min(to, last)).map((start) => ({
        TIME: printPeriod(cycle, start),
        start,
      }));
      const unit = bankSeries().find(({ table }) => table === text('stat_code'))?.unit ?? '';
      return extended(crossed(seriesOf(question), periods), (row) => {
        const items = [row['STAT_CODE'], row['ITEM_CODE1'], row['ITEM_CODE2'] ?? []].flat();
        const series = bankSeries().find(({ key }) => key === items.join(':'));
        const currency = series?.currency ?? '';
        const DATA_VALUE = printFigure(items.join(':'), unit, currency, Number(row['start']));
        return { UNIT_NAME: unit || null, DATA_VALUE, start: undefined };
      });
    },
  },
  // The latest value of each of the hundred indicators.
  ecos_key_statistics: {
    rows: ({ now }) =>
      readFacts('key-statistics').map(
        ([name = '', letter = 'M', unit = '', series = '', currency = '']) => {
          const cycle = cycleNamed(letter);
          const days = cycle === 'D' ? periodsBetween('D', now - 7 * DAY, now - DAY) : [];
          const latest = days.at(-1) ?? latestPeriods(cycle, 1, now)[0] ?? now;
          return {
            CLASS_NAME: '표본',
            KEYSTAT_NAME: name,
            DATA_VALUE: printFigure(series || name, unit, currency, latest),
            CYCLE: printPeriod(cycle, latest),
            UNIT_NAME: unit,
          };
        },
      ),
  },
  // Tables that a search finds: fewer for longer words.
  kosis_search_tables: {
    echo: { QUERY: 'searchNm', ORG_ID: 'orgId' },
    ids: ['TBL_ID'],
    codes: ['orgId'],
    rows({ text }, sample) {
      const [asked, organisation] = [text('searchNm'), text('orgId')];
      const count = whole(20, 400, 'kosis', asked);
      return repeated(count, (index) => ({
        STAT_DB_CNT: String(count),
        ...(index === 0 && asked === sample[0]?.['QUERY']
          ? {}
          : { TBL_NM: `${asked} ${index + 1}`, STAT_NM: '표본', MT_ATITLE: '표본', LINK_URL: '' }),
        ...(['', '101'].includes(organisation) ? {} : { ORG_NM: organisation }),
      }));
    },
  },
  // One row per asked code and period. Names that are not in the sample are the codes themselves.
  kosis_table_data: {
    echo: { ORG_ID: 'orgId', TBL_ID: 'tblId', PRD_SE: 'prdSe' },
    codes: ['tblId', 'orgId'],
    rows(question, [sample = {}]) {
      const { text } = question;
      const table = text('tblId');
      const isKnown = table === sample['TBL_ID'];
      const known = (column: string, otherwise: string): unknown =>
        isKnown ? sample[column] : otherwise;
      const rowsOf = (parameter: string, column: string, prefix: string): Row[] => {
        const asked = text(parameter)
          .split(/[\s+]+/)
          .filter((code) => code !== '');
        const all = isKnown ? [String(sample[column])] : ['1', '2', '3'];
        const isAll = asked.length === 0 || asked[0] === 'ALL';
        return (isAll ? all : asked.map((code) => code.replace(/\*$/, '1'))).map((code) => ({
          [column]: code,
          ...each([`${prefix}_NM`, `${prefix}_NM_ENG`], (name) =>
            sample[column] === code ? known(name, code) : code,
          ),
        }));
      };
      const classes = rowsOf('objL1', 'C1', 'C1');
      const items = rowsOf('itmId', 'ITM_ID', 'ITM');
      return extended(crossed(classes, items, periodRows(question)), (row) => ({
        TBL_NM: known('TBL_NM', table),
        C1_OBJ_NM: known('C1_OBJ_NM', 'C1'),
        C1_OBJ_NM_ENG: known('C1_OBJ_NM_ENG', 'C1'),
        ...Object.assign({}, ...furtherClasses(question)),
        DT: levelOf(`${row['C1']}:${row['ITM_ID']}:${table}`, Number(row['start'])).toFixed(1),
        start: undefined,
      }));
    },
  },
};
