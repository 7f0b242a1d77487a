import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { RowFilter } from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { readExtension } from './extensions.ts';

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

/** `x-filter`: the arguments by which the rows are filtered again. */
export function compileFilters(
  { value, pointer }: Located<JsonObject>,
  { properties }: InputDraft,
  context: CompileContext,
): RowFilter[] {
  const filters = readExtension('x-filter', value, context);
  if (!isObject(filters)) return [];
  return Object.entries(filters).flatMap(([argument, column]) => {
    if (properties.has(argument)) return [{ argument, column: String(column) }];
    const known = [...properties.keys()].join(', ') || 'none';
    const message = `x-filter: "${argument}" is not an argument of this tool. Known: ${known}.`;
    context.report(`${pointer}/x-filter`, message);
    return [];
  });
}
