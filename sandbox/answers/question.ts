import type { JsonObject } from '../../src/platform/kernel/plain-json.ts';
import { koreanTime } from '../../src/public-data/korean-time.ts';
import type { Tool } from '../../src/tools/model.ts';

interface AskedParts {
  readonly tool: Tool;
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
  /** Whether any of these parameters was sent, with a value that stands for itself. */
  has: (...names: readonly string[]) => names.some((name) => !/^(ALL|\?|)$/.test(textOf(name))),
  /** A parameter that is a number; undefined if it was not sent or is none. */
  number(name: string): number | undefined {
    const text = textOf(name).trim();
    const value = Number(text);
    return text === '' || !Number.isFinite(value) ? undefined : value;
  },
  /** The values of a parameter, separated by commas, semicolons, blanks or plus signs. */
  list: (name: string): string[] =>
    textOf(name)
      .split(/[\s,;+]+/)
      .filter(Boolean),
  /** The parameters that a caller can give, beside those of the page. */
  asked: tool.parameters.filter(
    ({ name, source }) => source.kind === 'argument' && !PAGING.flat().includes(name),
  ),
});

/** A code of only zeros or only nines, three or more, such as "99999": by convention, one that no upstream knows. */
export const isUnknownCode = (code: string): boolean => /^\D{0,4}(0{3,}|9{3,})$/.test(code);

/** Rows in one response. */
const MAX_PAGE_ROWS = 2_000;

const DEFAULT_PAGE_ROWS = 10;

/** The parameters for the number of a page and for its size, as upstreams name them. */
const PAGING = [
  ...['pageNo numOfRows', 'pageNo pageSize', 'page_no page_count', 'page per_page', 'page limit'],
  ...['startCount resultCount', 'cpage rows', 'pageIndex pageUnit', 'curPage itemPerPage'],
  'start end',
].map((pair) => pair.split(' '));

/** Which of the rows a response contains. */
export interface Page {
  /** 1 is the first. */
  readonly number: number;
  readonly size: number;
  /** Index of the first row. */
  readonly from: number;
  /** Number of rows on all pages. */
  readonly total: number;
  readonly rows: readonly JsonObject[];
}

const positive = (value: number | undefined, otherwise: number): number =>
  value === undefined || value < 1 ? otherwise : Math.floor(value);

/** The page that a question asks for; all rows for a tool without pages. */
export function pageOf({ tool, number: numberOf }: Question): Omit<Page, 'total' | 'rows'> {
  const names = PAGING.find(([, size]) => tool.parameters.some(({ name }) => name === size));
  if (!names) return { number: 1, size: MAX_PAGE_ROWS, from: 0 };
  const [first, second] = names.map(numberOf);
  const number = positive(first, 1);
  if (names[1] === 'end') {
    const size = positive(second, number) - number + 1;
    return { number: 1, size: Math.max(0, Math.min(size, MAX_PAGE_ROWS)), from: number - 1 };
  }
  const size = Math.min(positive(second, DEFAULT_PAGE_ROWS), MAX_PAGE_ROWS);
  return { number, size, from: (number - 1) * size };
}
