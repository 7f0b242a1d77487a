import type { HitDetails } from '../code-hit.ts';
import type { CodeTable, Row } from '../code-table.ts';
import type { RowName } from '../search/name-index.ts';

/** Reads another table of the same folder. */
export type OpenTable = (file: string) => CodeTable;

/** How one kind of code is read from its table. */
export interface KindDefinition {
  /** The file in `data/codes`, without its extension. */
  readonly file: string;
  /** What the codes are for, in a few words. */
  readonly title: string;
  /** The column of the code. */
  readonly code: string;
  /** What a text must look like to be tried as a code. */
  readonly codePattern: RegExp;
  /** A column of codes that were replaced by that of the row. */
  readonly formerCode?: string;
  /** The column that says for which argument a code is, if a table has codes for several. */
  readonly argument?: string;
  /** Rows of the table that belong to the kind; all if absent. */
  readonly has?: (row: Row) => boolean;
  /** Several rows stand for one code: the best of them is shown. */
  readonly sharesCodes?: true;
  /** Whether a code whose trailing zeros are left out starts the codes of its parts. */
  readonly nested?: true;
  /** The kind whose names are the same, so that they are indexed once. */
  readonly namesOf?: string;
  /** The names of a row, the first one being shown. Called once per table. */
  readonly names: (open: OpenTable) => (row: Row) => RowName[];
  /** The name that is shown. */
  readonly shownName: (row: Row, open: OpenTable) => string;
  /** The English name of the table; empty if it has none. */
  readonly nameEn?: (row: Row, open: OpenTable) => string;
  /** What tells a row apart; members without a value are left out of the hit. */
  readonly details: (row: Row, open: OpenTable) => HitDetails;
  /** Whether the table has coordinates (columns lat and lon). */
  readonly located?: true;
}

/** A column of text as a detail. */
export const texts = (row: Row, names: Readonly<Record<string, string>>): HitDetails =>
  Object.fromEntries(
    Object.entries(names)
      .map(([name, column]) => [name, row(column)] as const)
      .filter(([, value]) => value !== ''),
  );

/** Columns of numbers as details. */
export const numbers = (row: Row, names: Readonly<Record<string, string>>): HitDetails =>
  Object.fromEntries(
    Object.entries(texts(row, names)).map(([name, value]) => [name, Number(value)]),
  );

export const POSITION = { lat: 'lat', lon: 'lon' } as const;
