import { isObject } from '../../platform/kernel/plain-json.ts';

/** Filters of one tool: each is compared with every row. */
const MAX_FILTERS = 10;

/** What is wrong with an `x-filter` value, if anything: it maps names of arguments to names of columns. */
export function rowFilterIssue(value: unknown): string | undefined {
  const columns = isObject(value) ? Object.values(value) : [];
  const isFilter =
    columns.length > 0 &&
    columns.length <= MAX_FILTERS &&
    columns.every((column) => typeof column === 'string' && column !== '');
  return isFilter
    ? undefined
    : `must map 1 to ${MAX_FILTERS} arguments to columns, such as {LBRRY_NM: lbrryNm}`;
}
