import type { ArgumentIssue } from '../platform/kernel/error.ts';
import { MAX_FIELDS } from '../tools/compile/row-arguments.ts';
import type { Tool } from '../tools/model.ts';
import type { RowSelection } from '../upstreams/payload/select-rows.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The columns and rows that `_fields` and `_limit` choose. */
export type Projection = RowSelection;

/** Returns an issue for each unknown column in `_fields`. A tool whose rows are not described accepts every name. */
export function unknownColumns({ payload }: Tool, args: Arguments): ArgumentIssue[] {
  const fields = args['_fields'];
  const { columns } = payload;
  if (!Array.isArray(fields) || columns === null) return [];
  const unknown = [...fields.slice(0, MAX_FIELDS).keys()].filter(
    (index) => !columns.includes(fields[index]),
  );
  // The columns are listed once, however many names are unknown.
  return unknown.map((index, nth) => ({
    path: `/_fields/${index}`,
    message:
      nth === 0 ? `is not a column. Columns: ${columns.join(', ')}.` : 'is not a column either.',
  }));
}

/** The projection that valid arguments choose; null for all rows, unchanged. */
export function projectionOf(args: Arguments): Projection | null {
  const { _fields: fields, _limit: limit } = args;
  const columns = Array.isArray(fields) ? fields : null;
  const maxRows = typeof limit === 'number' ? limit : null;
  if (columns === null && maxRows === null) return null;
  return { fields: columns, limit: maxRows };
}

/** Removes the projection from the arguments: the upstream's response does not depend on it. */
export function withoutProjection({ payload }: Tool, args: Record<string, unknown>): void {
  if (payload.items === null) return;
  delete args['_fields'];
  delete args['_limit'];
}
