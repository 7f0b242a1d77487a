import type { Point } from './code-hit.ts';
import { nearestRows } from './nearest.ts';
import type { OpenKind } from './open-kind.ts';
import { searchNames } from './search/search-names.ts';

/** A row that was found, best first. */
export interface RankedRow {
  readonly row: number;
  /** Of rows found by name: comparable within one search. */
  readonly score?: number;
  /** Whether the text names the row without doubt. */
  readonly certain?: boolean;
  /** Of rows found by place, the distance. */
  readonly km?: number;
}

/** The rows of a kind that fit a text or are near a point, best first. */
export function findRows(
  kind: OpenKind,
  query: {
    readonly text?: string | undefined;
    readonly near?: Point | undefined;
    readonly argument?: string | undefined;
  },
): RankedRow[] {
  const { text, near, argument } = query;
  const rows: RankedRow[] = near
    ? nearestRows(kind.positions(), near)
    : [...rowsWithCode(kind, text ?? ''), ...searchNames(kind.names(), text ?? '')];
  return distinctRows(kind, rows, argument);
}

/** The rows whose code, today's or a former one, is this text. */
export function rowsWithCode(kind: OpenKind, text: string): RankedRow[] {
  const { code, formerCode, codePattern } = kind.definition;
  const value = text.trim();
  if (!codePattern.test(value)) return [];
  const columns = formerCode === undefined ? [code] : [code, formerCode];
  const found = [value, value.toUpperCase()]
    .map((spelling) => kind.table.rowsWith(spelling, columns))
    .find((rows) => rows.length > 0);
  return (found ?? []).map((row) => ({ row, certain: true }));
}

/** Each row once, or each code if rows share codes, and only rows of the kind. */
function distinctRows(
  kind: OpenKind,
  rows: readonly RankedRow[],
  argument: string | undefined,
): RankedRow[] {
  const seen = new Set<string | number>();
  return rows.filter(({ row }) => {
    const key = kind.definition.sharesCodes ? kind.code(row) : row;
    if (seen.has(key) || !kind.has(row, argument)) return false;
    seen.add(key);
    return true;
  });
}
