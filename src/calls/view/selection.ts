import type { RowView } from '../../tools/model.ts';
import type { RowSelection } from '../../upstreams/payload/select-rows.ts';
import { ALL_COLUMNS, type RowChoice } from './view-rows.ts';
import type { Where } from './where.ts';

/**
 * A choice as it applies to the rows of the payload. There, the quantities of a pivot are values of one column: choosing
 * some keeps their rows, whole.
 */
export function selectionOf({ fields, where, limit }: RowChoice, view: RowView): RowSelection {
  const { pivot } = view;
  const isQuantity = (name: string): boolean =>
    pivot !== null && Object.hasOwn(view.columns, name) && !isColumn(pivot.rows, name, pivot);
  const quantities = fields?.filter(isQuantity) ?? [];
  const conditions: Where = new Map([...where].filter(([name]) => !isQuantity(name)));
  if (pivot === null || quantities.length === 0) {
    return { fields: fields?.includes(ALL_COLUMNS) ? null : fields, where: conditions, limit };
  }
  const named = new Set(quantities);
  return {
    fields: null,
    where: new Map([...conditions, [pivot.category, (text: string) => named.has(text)]]),
    limit,
  };
}

const isColumn = (
  rows: readonly string[],
  name: string,
  { category, value }: { readonly category: string; readonly value: string },
): boolean => rows.includes(name) || name === category || name === value;
