import { readPeriod } from '../../../public-data/ecos-period.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { crossed, extended, NO_ROWS, type Row, repeated } from '../rows.ts';
import { levelOf } from './level.ts';
import { cycleNamed, latestPeriods, periodsBetween, printPeriod } from './periods.ts';

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

/** The national statistics portal. */
export const STATISTICS: AnswerRules = {
  kosis_search_tables: tableSearch,
  kosis_table_data: tableData,
};
