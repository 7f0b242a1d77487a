import type { PayloadShape } from '../model.ts';
import { isObject, type JsonObject, type Located, own, pointerTo } from '../plain-json.ts';
import type { CompileContext } from './compile-context.ts';
import { extensionOf } from './extensions.ts';
import { rowColumns } from './row-columns.ts';
import { successRule } from './success-rule.ts';

/** Where rows, number of rows and result code are in an operation's answer. */
export function compilePayload(
  operation: Located<JsonObject>,
  context: CompileContext,
): PayloadShape {
  const text = (name: string): string | null => {
    const said = extensionOf(name, operation.value, context.root);
    return typeof said === 'string' ? said : null;
  };
  const success = extensionOf('x-success', operation.value, context.root);
  const items = text('x-items');
  const itemWrapper = text('x-item-wrapper');
  if (itemWrapper !== null && items === null) {
    const message = 'x-item-wrapper has no effect without x-items.';
    context.complain(`${operation.pointer}/x-item-wrapper`, message);
  }
  return {
    items,
    total: text('x-total'),
    success: isObject(success) ? successRule(success) : null,
    itemWrapper,
    columns: items === null ? null : columnsOf(operation, items, itemWrapper, context),
  };
}

function columnsOf(
  { value, pointer }: Located<JsonObject>,
  items: string,
  itemWrapper: string | null,
  context: CompileContext,
): readonly string[] | null {
  const responses = own(value, 'responses');
  const good = isObject(responses) ? own(responses, '200') : undefined;
  if (good === undefined) return null;
  const place = { value: good, pointer: pointerTo(`${pointer}/responses`, '200') };
  const response = context.references.followToObject(place);
  const content = response ? own(response.value, 'content') : undefined;
  const [media] = isObject(content) ? Object.values(content) : [];
  const schema = isObject(media) ? own(media, 'schema') : undefined;
  return rowColumns(schema, items, itemWrapper, context.references);
}
