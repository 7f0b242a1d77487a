import type { CodeTable, HitDetails, Row } from '../code-table.ts';
import type { RowName } from '../search/search-names.ts';

/** Reads another table of the same folder. */
export type OpenTable = (file: string) => CodeTable;

/** How one kind of code is read from its table. */
export interface KindDefinition {
  /** The file in `codes`, without its extension. */
  readonly file: string;
  /** What the codes are for, in a few words. */
  readonly title: string;
  /** The column of the code; `code` if absent. */
  readonly code?: string;
  /** What a text must look like to be tried as a code. */
  readonly codePattern: RegExp;
  /** A column of codes that were replaced by the code of the row. */
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
  /** The name that is shown; the column `name` if absent. */
  readonly shownName?: (row: Row, open: OpenTable) => string;
  /** The English name of the table; empty if it has none. */
  readonly nameEn?: (row: Row, open: OpenTable) => string;
  /** What tells a row apart; members without a value are left out of the hit. */
  readonly details: (row: Row, open: OpenTable) => HitDetails;
  /** Whether the table has coordinates (columns lat and lon). */
  readonly located?: true;
}

/** A name that is found by the words of its name first, and by the words of what it belongs to. */
export const rowName = (own = '', parents: readonly string[] = [], rank = 0): RowName => ({
  own,
  parents,
  rank,
});

/** "수원시장안구" and "수원시 장안구" as a city and its district. */
export const splitDistrict = (name: string): string[] =>
  name.split(' ').flatMap((part) => /^(.{2,}시)(.{2,}구)$/u.exec(part)?.slice(1) ?? [part]);

/** The columns with numbers; all others have text. */
const NUMBERS = ['lat', 'lon', 'nx', 'ny', 'height_m'];

/**
 * Reads columns as details, each given as `column`, or as `name=column`, with blanks between them. Those without a value are
 * left out.
 */
export function columns(names: string): (row: Row) => HitDetails {
  const wanted = names.split(' ').map((name) => name.split('='));
  return (row) =>
    Object.fromEntries(
      wanted.flatMap(([name = '', column = name]) => {
        const text = row(column);
        return text === '' ? [] : [[name, NUMBERS.includes(column) ? Number(text) : text]];
      }),
    );
}

/** The first row with a value in a column. */
export function rowWith(table: CodeTable, value: string, column: string): Row | undefined {
  const [index] = table.rowsWith(value, [column]);
  return index === undefined ? undefined : table.row(index);
}
