import type { Tool } from '../../tools/model.ts';
import type { Question } from './question.ts';
import type { Row } from './rows.ts';

/** Rows in one response. */
const MAX_PAGE_ROWS = 2_000;

/** Rows on a page where the question does not say. */
const DEFAULT_PAGE_ROWS = 10;

/** The parameters for the number of a page and for its size, as upstreams name them. */
const PAGING = [
  ['pageNo', 'numOfRows'],
  ['pageNo', 'pageSize'],
  ['page_no', 'page_count'],
  ['page', 'per_page'],
  ['page', 'limit'],
  ['startCount', 'resultCount'],
  ['cpage', 'rows'],
  ['pageIndex', 'pageUnit'],
  ['curPage', 'itemPerPage'],
] as const;

/** Which of the rows a response contains. */
export interface PageRange {
  /** 1 is the first. */
  readonly number: number;
  readonly size: number;
  /** Index of the first row. */
  readonly from: number;
  /** The parameters by which it was asked for. */
  readonly names: readonly string[];
}

/** A page with its rows. */
export interface Page extends PageRange {
  /** Number of rows on all pages. */
  readonly total: number;
  readonly rows: readonly Row[];
}

const positive = (value: number | undefined, otherwise: number): number =>
  value === undefined || value < 1 ? otherwise : Math.floor(value);

/** The page that a question asks for; all rows for a tool without pages. */
export function pageOf(tool: Tool, question: Question): PageRange {
  const has = (name: string): boolean => tool.parameters.some((each) => each.name === name);
  if (has('start') && has('end')) {
    const from = positive(question.number('start'), 1) - 1;
    const size = Math.min(positive(question.number('end'), from + 1) - from, MAX_PAGE_ROWS);
    return { number: 1, size: Math.max(0, size), from, names: [] };
  }
  const names = PAGING.find((pair) => has(pair[1]));
  if (!names) return { number: 1, size: MAX_PAGE_ROWS, from: 0, names: [] };
  const number = positive(question.number(names[0]), 1);
  const size = Math.min(positive(question.number(names[1]), DEFAULT_PAGE_ROWS), MAX_PAGE_ROWS);
  return { number, size, from: (number - 1) * size, names };
}
