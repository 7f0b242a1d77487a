import type { Located } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, ownObject } from '../../platform/kernel/plain-json.ts';
import type { PayloadShape, RowView } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import { extensionOf } from './extension-table.ts';

/** How the rows of an operation are shown: `x-titles`, `x-units`, `x-codes`, `x-concise`, `x-pivot` and `x-missing`. */
export function compileView(
  operation: Located<JsonObject>,
  payload: PayloadShape,
  context: CompileContext,
): RowView {
  const given = <Name extends string>(name: Name) => extensionOf(name, operation.value, context);
  const titles = given('x-titles') ?? {};
  const units = given('x-units') ?? {};
  const codes = given('x-codes') ?? {};
  const columns = [titles, units, codes]
    .flatMap((map) => Object.keys(map))
    .map((name) => [
      name,
      { title: titles[name] ?? null, unit: units[name] ?? null, codes: codes[name] ?? null },
    ]);
  const missing = given('x-missing');
  const view: RowView = {
    columns: Object.fromEntries(columns),
    concise: given('x-concise') ?? null,
    pivot: given('x-pivot') ?? null,
    ...(missing === undefined ? {} : { missing }),
  };
  checkColumns(operation, view, payload, context);
  return view;
}

/** Extensions of an operation name columns that it has; those of the document are for all its operations. */
function checkColumns(
  { value, pointer }: Located<JsonObject>,
  { columns, concise, pivot, missing = {} }: RowView,
  { columns: known }: PayloadShape,
  { strict, refuse }: CompileContext,
): void {
  if (!strict || known === null) return;
  const check = (extension: string, names: readonly string[], allowed: readonly string[]) => {
    const unknown = names.filter((name) => !allowed.includes(name));
    if (unknown.length === 0 || !Object.hasOwn(value, extension)) return;
    refuse(
      `${pointer}/${extension}`,
      `${extension} names columns that the rows do not have: ${unknown.join(', ')}. Columns: ${known.join(', ')}.`,
    );
  };
  if (pivot) check('x-pivot', [...pivot.rows, pivot.category, pivot.value], known);
  check('x-missing', Object.keys(missing), known);
  // The quantities of a pivot are columns that no schema names.
  check('x-concise', concise ?? [], pivot ? [...known, ...Object.keys(columns)] : known);
  if (pivot) return;
  for (const extension of ['x-titles', 'x-units', 'x-codes', 'x-members']) {
    check(extension, Object.keys(ownObject(value, extension)), known);
  }
}
