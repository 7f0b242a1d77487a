import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { RowFilter } from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { readExtension } from './extensions.ts';

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
