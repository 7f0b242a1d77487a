/** By what rows are sorted; what is missing comes last. */
export type SortValue = string | number | null | undefined;

export interface SortOrder {
  /** The key of the column. */
  readonly by: string;
  readonly isDescending: boolean;
}

interface SortedColumn<Row> {
  readonly header: string;
  readonly key?: string;
  readonly sort?: (row: Row) => SortValue;
}

export const directionOf = (
  key: string,
  order: SortOrder | null,
): 'ascending' | 'descending' | 'none' => {
  if (order?.by !== key) return 'none';
  return order.isDescending ? 'descending' : 'ascending';
};

/** The order after a click on a column's head. Numbers start with the highest; the third click restores the original order. */
export function nextOrder(
  by: string,
  order: SortOrder | null,
  startsDescending: boolean,
): SortOrder | null {
  if (order?.by !== by) return { by, isDescending: startsDescending };
  return order.isDescending === startsDescending ? { by, isDescending: !startsDescending } : null;
}

/** The rows in an order; as they are without one. */
export function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly SortedColumn<Row>[],
  order: SortOrder | null,
): readonly Row[] {
  const sort = columns.find(({ header, key = header }) => key === order?.by)?.sort;
  if (!order || !sort) return rows;
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => compare(sort(a), sort(b), sign));
}

const byText = new Intl.Collator(undefined, { numeric: true });

function compare(a: SortValue, b: SortValue, sign: number): number {
  if (a == null || b == null) return Number(a == null) - Number(b == null);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * byText.compare(String(a), String(b));
}
