import type { Question } from '../question.ts';
import { isUnknownCode } from '../question.ts';
import type { Row } from '../rows.ts';

/** By which parameters an instrument, an index or a company is found: an exact value of a column, or a part of it. */
const FILTERS: readonly (readonly [column: string, exact: string, part: string])[] = [
  ['srtnCd', 'srtnCd', 'likeSrtnCd'],
  ['isinCd', 'isinCd', 'likeIsinCd'],
  ['itmsNm', 'itmsNm', 'likeItmsNm'],
  ['crno', 'crno', ''],
  ['corpNm', 'corpNm', 'likeCorpNm'],
  ['bssIdxIdxNm', 'bssIdxIdxNm', 'likeBssIdxIdxNm'],
  ['idxNm', 'idxNm', 'likeIdxNm'],
  ['mrktCtg', 'mrktCls', ''],
];

interface Filter {
  readonly column: string;
  readonly value: string;
  readonly matches: (row: Row) => boolean;
}

const filtersOf = (question: Question): Filter[] =>
  FILTERS.flatMap(([column, exact, part]) => [
    ...filterOf(column, question.text(exact), (text, value) => text === value),
    ...filterOf(column, part && question.text(part), (text, value) => text.includes(value)),
  ]);

function filterOf(
  column: string,
  value: string,
  compare: (text: string, value: string) => boolean,
): Filter[] {
  if (value === '') return [];
  return [{ column, value, matches: (row) => compare(String(row[column] ?? ''), value) }];
}

/** Instruments in the same order with different codes and no names of real ones. */
export const madeUpInstruments = (count: number, columnsOf: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    srtnCd: String(900_000 + 10 * index),
    isinCd: '',
    itmsNm: `표본종목 ${index + 1}`,
    ...columnsOf(index),
  }));

/**
 * Those that a question names: known ones, or else one with just the asked code or name. All, if it names none; none, if it
 * names an unknown code.
 */
export function askedInstruments(question: Question, all: readonly Row[]): readonly Row[] {
  const filters = filtersOf(question);
  const found = all.filter((row) => filters.every(({ matches }) => matches(row)));
  if (found.length > 0 || filters.some(({ value }) => isUnknownCode(value))) return found;
  const [first] = filters;
  const nameless = Object.fromEntries(
    Object.entries(all[0] ?? {}).map(([column]) => [
      column,
      /Nm$/.test(column) ? first?.value : '',
    ]),
  );
  const asked = Object.fromEntries(filters.map(({ column, value }) => [column, value]));
  return [{ ...nameless, ...asked }];
}
