import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { DataSource, PayloadShape } from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { compileFilters } from './compile-filters.ts';
import { extensionOf } from './extensions.ts';
import { responseSchema } from './response-schema.ts';
import { rowColumns } from './row-columns.ts';
import { successRule } from './success-rule.ts';
import { textsOf } from './view-values.ts';

/** Where the rows, their number, the result code and the time of the data are in an operation's response. */
export function compilePayload(
  operation: Located<JsonObject>,
  { asOf }: Pick<DataSource, 'asOf'>,
  input: InputDraft,
  context: CompileContext,
): PayloadShape {
  const text = (name: string): string | null => {
    const value = extensionOf(name, operation.value, context);
    return typeof value === 'string' ? value : null;
  };
  const success = extensionOf('x-success', operation.value, context);
  const items = text('x-items');
  const itemWrapper = text('x-item-wrapper');
  const listColumn = text('x-list-column');
  const members = extensionOf('x-members', operation.value, context);
  const filters = compileFilters(operation, input, context);
  if (items === null) {
    const ofRows = {
      'x-item-wrapper': itemWrapper,
      'x-list-column': listColumn,
      'x-members': members ?? null,
    };
    const given = Object.entries({ ...ofRows, 'x-filter': filters[0] ?? null });
    for (const [name] of given.filter(([, value]) => value !== null)) {
      const message = `${name} has no effect without x-items. Add x-items, or remove it.`;
      context.report(`${operation.pointer}/${name}`, message);
    }
  }
  return {
    items,
    total: text('x-total'),
    success: isObject(success) ? successRule(success) : null,
    itemWrapper,
    ...(listColumn === null ? {} : { listColumn }),
    ...(isObject(members) ? { members: textsOf(members) } : {}),
    ...(filters.length === 0 ? {} : { filters }),
    columns:
      items === null
        ? null
        : rowColumns(
            responseSchema(operation, context.references),
            items,
            itemWrapper,
            context.references,
          ),
    asOf: asOf.kind === 'payload' ? asOf.place : null,
  };
}
