import type { JsonObject } from '../../src/platform/kernel/plain-json.ts';
import { koreanTime } from '../../src/public-data/korean-time.ts';
import type { Tool } from '../../src/tools/model.ts';
import { readTime } from './times.ts';

interface AskedParts {
  /** Name of the tool. */
  readonly tool: string;
  readonly nowMs: number;
  /** The value of a parameter; empty if it was not sent. */
  readonly textOf: (name: string) => string;
  /** The JSON object in the body of the request. */
  readonly body: JsonObject | undefined;
}

export type Question = ReturnType<typeof createQuestion>;

/** What a request asks its upstream for. */
export const createQuestion = ({ tool, nowMs, textOf, body = {} }: AskedParts) => ({
  tool,
  body,
  /** The present. */
  now: koreanTime(nowMs),
  text: textOf,
  /** Whether any of these parameters was sent. */
  has: (...names: readonly string[]) => names.some((name) => textOf(name) !== ''),
  /** A parameter that is a number; undefined if it was not sent or is none. */
  number(name: string): number | undefined {
    const text = textOf(name).trim();
    const value = Number(text);
    return text === '' || !Number.isFinite(value) ? undefined : value;
  },
  /** The values of a parameter, separated by commas. */
  list: (name: string): string[] =>
    textOf(name)
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  /** The start of the period that a parameter names; undefined if it was not sent or names none. */
  time: (name: string) => readTime(textOf(name)),
});

/** A code of only zeros or only nines, three or more, such as "99999": by convention, one that no upstream knows. */
export const isUnknownCode = (code: string): boolean => /^\D{0,4}(0{3,}|9{3,})$/.test(code);

/** Rows in one response. */
const MAX_PAGE_ROWS = 2_000;

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
export interface Page {
  /** 1 is the first. */
  readonly number: number;
  readonly size: number;
  /** Index of the first row. */
  readonly from: number;
  /** The parameters by which it was asked for. */
  readonly names: readonly string[];
  /** Number of rows on all pages. */
  readonly total: number;
  readonly rows: readonly JsonObject[];
}

const positive = (value: number | undefined, otherwise: number): number =>
  value === undefined || value < 1 ? otherwise : Math.floor(value);

/** The page that a question asks for; all rows for a tool without pages. */
export function pageOf(tool: Tool, { number: numberOf }: Question): Omit<Page, 'total' | 'rows'> {
  const has = (name: string): boolean => tool.parameters.some((each) => each.name === name);
  if (has('start') && has('end')) {
    const from = positive(numberOf('start'), 1) - 1;
    const size = Math.min(positive(numberOf('end'), from + 1) - from, MAX_PAGE_ROWS);
    return { number: 1, size: Math.max(0, size), from, names: [] };
  }
  const names = PAGING.find((pair) => has(pair[1]));
  if (!names) return { number: 1, size: MAX_PAGE_ROWS, from: 0, names: [] };
  const number = positive(numberOf(names[0]), 1);
  const size = Math.min(positive(numberOf(names[1]), DEFAULT_PAGE_ROWS), MAX_PAGE_ROWS);
  return { number, size, from: (number - 1) * size, names };
}
