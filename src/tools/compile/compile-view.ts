import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { ColumnFacts, PayloadShape, Pivot, RowView } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import { extensionOf } from './extensions.ts';
import { textsOf } from './view-values.ts';

/** How the rows of an operation are shown: `x-titles`, `x-units`, `x-codes`, `x-concise` and `x-pivot`. */
export function compileView(
  operation: Located<JsonObject>,
  payload: Pick<PayloadShape, 'columns'>,
  context: CompileContext,
): RowView {
  const given = (name: string) => extensionOf(name, operation.value, context);
  const pivot = pivotOf(given('x-pivot'));
  const columns = columnsOf({
    titles: textsOf(given('x-titles')),
    units: textsOf(given('x-units')),
    codes: given('x-codes'),
  });
  const concise = given('x-concise');
  const view = { columns, concise: Array.isArray(concise) ? concise : null, pivot };
  checkColumns(operation, view, payload, context);
  return view;
}

function pivotOf(value: unknown): Pivot | null {
  if (!isObject(value)) return null;
  const rows = own(value, 'rows');
  return {
    rows: Array.isArray(rows) ? rows : [],
    category: String(own(value, 'category')),
    value: String(own(value, 'value')),
  };
}

interface ColumnMaps {
  readonly titles: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, string>>;
  readonly codes: unknown;
}

function columnsOf({ titles, units, codes }: ColumnMaps): Record<string, ColumnFacts> {
  const coded = isObject(codes) ? codes : {};
  const names = new Set([titles, units, coded].flatMap((map) => Object.keys(map)));
  return Object.fromEntries(
    [...names].map((name) => {
      const meanings = own(coded, name);
      const facts = {
        title: titles[name] ?? null,
        unit: units[name] ?? null,
        codes: isObject(meanings) ? textsOf(meanings) : null,
      };
      return [name, facts];
    }),
  );
}

/** Extensions of an operation name columns that it has; those of the document are for all its operations. */
function checkColumns(
  { value, pointer }: Located<JsonObject>,
  { columns, concise, pivot }: RowView,
  { columns: known }: Pick<PayloadShape, 'columns'>,
  { strict, issues }: CompileContext,
): void {
  if (!strict || known === null) return;
  const pivoted = pivot ? [...pivot.rows, pivot.category, pivot.value] : [];
  // The quantities of a pivot are columns that no schema names.
  const described = pivot ? Object.keys(columns) : [];
  const check = (extension: string, names: readonly string[], allowed: readonly string[]) => {
    const unknown = names.filter((name) => !allowed.includes(name));
    if (unknown.length === 0 || !Object.hasOwn(value, extension)) return;
    issues.add(
      `${pointer}/${extension}`,
      `${extension} names columns that the rows do not have: ${unknown.join(', ')}. Columns: ${known.join(', ')}.`,
    );
  };
  check('x-pivot', pivoted, known);
  check('x-concise', concise ?? [], [...known, ...described]);
  if (pivot === null) {
    for (const extension of ['x-titles', 'x-units', 'x-codes', 'x-members']) {
      const map = own(value, extension);
      check(extension, isObject(map) ? Object.keys(map) : [], known);
    }
  }
}
