import { readPeriod } from '../../../public-data/ecos-period.ts';
import { DAY } from '../../../public-data/korean-time.ts';
import { onFirstUse, readFacts } from '../../facts/places.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { between, smooth, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { crossed, extended, NO_ROWS, type Row, repeated } from '../rows.ts';
import { cycleNamed, latestPeriods, periodsBetween, printPeriod } from './periods.ts';

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

/** A value that changes slowly; interest rates are small, everything else is an index. */
const levelOf = (key: string, time: number): number => {
  const base = between(40, 160, key);
  return base * (0.9 + 0.2 * smooth(time, 400 * DAY, key));
};

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

/** One row per series and period of the range, until now. */
const bankStatistics: AnswerRule = {
  rows(question) {
    const cycle = cycleNamed(question.text('cycle'));
    const [from, to] = [
      readPeriod(question.text('start_time')),
      readPeriod(question.text('end_time')),
    ];
    if (from === undefined || to === undefined || isUnknownCode(question.text('stat_code')))
      return NO_ROWS;
    const periods = periodsBetween(cycle, from, Math.min(to, question.now)).map((start) => ({
      TIME: printPeriod(cycle, start),
      start,
    }));
    const unit = question.text('stat_code') === '722Y001' ? '연%' : '';
    return extended(crossed(seriesOf(question), periods), (row) => {
      const key = `${row['STAT_CODE']}:${row['ITEM_CODE1']}:${row['ITEM_CODE2']}`;
      const value = levelOf(key, Number(row['start']));
      const DATA_VALUE = unit ? (Math.round(value / 8) / 4).toFixed(2) : value.toFixed(1);
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
      const value = levelOf(name, latest);
      return {
        CLASS_NAME: '표본',
        KEYSTAT_NAME: name,
        DATA_VALUE: unit === '%' ? (value / 30).toFixed(2) : value.toFixed(1),
        CYCLE: printPeriod(cycle, latest),
        UNIT_NAME: unit,
      };
    });
  },
};

/** Tables that a search finds: fewer for longer words. */
const tableSearch: AnswerRule = {
  echo: { QUERY: 'searchNm', ORG_ID: 'orgId' },
  ids: ['TBL_ID'],
  rows(question, sample) {
    const words = question.text('searchNm');
    const count = whole(20, 400, 'kosis', words);
    const organisation = question.text('orgId');
    if (isUnknownCode(organisation)) return NO_ROWS;
    return repeated(count, (index) => ({
      STAT_DB_CNT: String(count),
      ...(index === 0 && words === sample[0]?.['QUERY']
        ? {}
        : { TBL_NM: `${words} ${index + 1}`, STAT_NM: '표본', MT_ATITLE: '표본', LINK_URL: '' }),
      ...(organisation === '' || organisation === '101' ? {} : { ORG_NM: organisation }),
    }));
  },
};

/** One row per asked code and period. Names that are not in the sample are the codes themselves. */
const tableData: AnswerRule = {
  echo: { ORG_ID: 'orgId', TBL_ID: 'tblId', PRD_SE: 'prdSe' },
  rows(question, sample) {
    const [known = {}] = sample;
    const isKnown = question.text('tblId') === known['TBL_ID'];
    if (isUnknownCode(question.text('tblId')) || isUnknownCode(question.text('orgId')))
      return NO_ROWS;
    const name = (column: string, code: string, own: string): unknown =>
      isKnown && known[own] === code ? known[column] : code;
    const codesOf = (parameter: string, own: string): string[] => {
      const asked = question
        .text(parameter)
        .split(/[\s+]+/)
        .filter((code) => code !== '');
      return asked.length === 0 || asked[0] === 'ALL'
        ? [isKnown ? String(known[own]) : '1', ...(isKnown ? [] : ['2', '3'])]
        : asked.map((code) => code.replace(/\*$/, '1'));
    };
    const items = codesOf('itmId', 'ITM_ID').map((code) => ({
      ITM_ID: code,
      ITM_NM: name('ITM_NM', code, 'ITM_ID'),
      ITM_NM_ENG: name('ITM_NM_ENG', code, 'ITM_ID'),
    }));
    const classes = codesOf('objL1', 'C1').map((code) => ({
      C1: code,
      C1_NM: name('C1_NM', code, 'C1'),
      C1_NM_ENG: name('C1_NM_ENG', code, 'C1'),
    }));
    const more = furtherClasses(question);
    const C1_OBJ_NM = isKnown ? known['C1_OBJ_NM'] : 'C1';
    const TBL_NM = isKnown ? known['TBL_NM'] : question.text('tblId');
    return extended(crossed(classes, items, periodRows(question)), (row) => ({
      TBL_NM,
      C1_OBJ_NM,
      C1_OBJ_NM_ENG: isKnown ? known['C1_OBJ_NM_ENG'] : 'C1',
      ...more,
      DT: levelOf(
        `${row['C1']}:${row['ITM_ID']}:${question.text('tblId')}`,
        Number(row['start']),
      ).toFixed(1),
      start: undefined,
    }));
  },
};

/** Columns of the second to the eighth classification, where a code was asked for. */
const furtherClasses = (question: Question): Row =>
  Object.assign(
    {},
    ...[2, 3, 4, 5, 6, 7, 8].map((place) => {
      const asked = question.text(`objL${place}`);
      const code = asked === 'ALL' ? '1' : asked;
      return asked === '' ? {} : { [`C${place}`]: code, [`C${place}_NM`]: code };
    }),
  );

/** The latest periods of one answer. */
const MAX_PERIODS = 500;

/** The latest periods, or those of a range. */
function periodRows(question: Question): Row[] {
  const cycle = cycleNamed(question.text('prdSe'));
  const [from, to] = ['startPrdDe', 'endPrdDe'].map((name) =>
    periodStart(question.text(name), cycle),
  );
  const count = Math.min(question.number('newEstPrdCnt') ?? 1, MAX_PERIODS);
  const starts =
    from === undefined || to === undefined
      ? latestPeriods(cycle, count, question.now)
      : periodsBetween(cycle, from, Math.min(to, question.now));
  return starts.map((start) => ({ PRD_DE: printPeriod(cycle, start, true), start }));
}

/** The last two digits of a quarter or a half year count these. */
function periodStart(text: string, cycle: string): number | undefined {
  const start = readPeriod(text);
  const months = { Q: 3, S: 6 }[cycle];
  if (start === undefined || months === undefined || text.length !== 6) return start;
  return Date.UTC(Number(text.slice(0, 4)), (Number(text.slice(4)) - 1) * months, 1);
}

export const STATISTICS: AnswerRules = {
  ecos_statistic_search: bankStatistics,
  ecos_key_statistics: keyStatistics,
  kosis_search_tables: tableSearch,
  kosis_table_data: tableData,
};
