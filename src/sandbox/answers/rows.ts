/** A row of an answer: a value for each column. */
export type Row = Readonly<Record<string, unknown>>;

/** All rows that an upstream has for a question. Only those of the requested page are made. */
export interface Rows {
  readonly count: number;
  /** The row at an index from 0 to `count` - 1. */
  readonly at: (index: number) => Row;
}

export const NO_ROWS: Rows = { count: 0, at: () => ({}) };

export const listed = (rows: readonly Row[]): Rows => ({
  count: rows.length,
  at: (index) => rows[index] ?? {},
});

export const repeated = (count: number, at: Rows['at']): Rows => ({ count, at });

/** One row for each combination of the axes, such as days and stations; the last axis changes fastest. */
export const crossed = (...axes: readonly (readonly Row[])[]): Rows => ({
  count: axes.reduce((count, axis) => count * axis.length, 1),
  at(index) {
    let rest = index;
    const parts = axes.toReversed().map((axis) => {
      const part = axis[rest % axis.length];
      rest = Math.floor(rest / axis.length);
      return part;
    });
    return Object.assign({}, ...parts.reverse());
  },
});

/** The same rows with more columns, which may depend on the columns of each. */
export const extended = (rows: Rows, extend: (row: Row, index: number) => Row): Rows => ({
  count: rows.count,
  at(index) {
    const row = rows.at(index);
    return { ...row, ...extend(row, index) };
  },
});
