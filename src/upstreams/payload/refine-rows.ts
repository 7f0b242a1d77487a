import type { Path } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape, RowFilter } from '../../tools/model.ts';
import { JsonDocument, type Place } from './json-document.ts';
import { joined, type Rows, replace, textOf } from './rows.ts';

/** Rows that one list may become; a longer one stays as it is. */
export const MAX_LISTED_ROWS = 10_000;

/** What `refineRows` does. */
export interface RowRules extends Pick<PayloadShape, 'listColumn' | 'filters' | 'itemWrapper'> {
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** Applies `x-list-column` and `x-filter` to a payload whose rows are an array at `path`. */
export function refineRows(shaped: Rows, path: Path, rules: RowRules): Rows {
  if (!shaped.rows) return shaped;
  const listed = rules.listColumn === undefined ? shaped : listRows(shaped, path, rules.listColumn);
  const wanted = wantedOf(rules);
  return wanted.length === 0 ? listed : filterRows(listed, path, wanted, rules.itemWrapper);
}

/** The array of rows in a payload. */
function openRows({ json }: Rows, path: Path) {
  const document = new JsonDocument(json);
  const place = document.find(path);
  return place !== undefined && document.kind(place) === 'array' ? { document, place } : null;
}

/** Replaces each row that has only the list column by one row per element. Rows of other forms keep their bytes. */
function listRows(shaped: Rows, path: Path, column: string): Rows {
  const opened = openRows(shaped, path);
  if (!opened) return shaped;
  const { document, place } = opened;
  const rows: (string | Buffer)[] = [];
  for (const row of document.children(place)) {
    const elements = elementsOf(document.value(row), column);
    if (elements) rows.push(...elements.map((element) => JSON.stringify({ [column]: element })));
    else rows.push(textOf(document, row));
    if (rows.length > MAX_LISTED_ROWS) return shaped;
  }
  return { json: replace(document, place, joined(rows)), rows: rows.length };
}

/** The elements of the list in a row without other columns: an array, or a text such as `[a, b]`. */
function elementsOf(row: unknown, column: string): readonly unknown[] | null {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
  const [[name, list] = [], ...others] = Object.entries(row);
  if (name !== column || others.length > 0) return null;
  if (Array.isArray(list)) return list.slice(0, MAX_LISTED_ROWS + 1);
  const inner = typeof list === 'string' ? /^\s*\[(.*)\]\s*$/s.exec(list)?.[1] : undefined;
  return inner === undefined
    ? null
    : inner
        .split(',', MAX_LISTED_ROWS + 1)
        .map(trim)
        .filter(Boolean);
}

const trim = (text: string): string => text.trim();

/** A value that a column must contain, folded. */
interface Wanted {
  readonly column: string;
  readonly value: string;
}

const wantedOf = ({ filters = [], arguments: args = {} }: RowRules): Wanted[] =>
  filters.flatMap(({ argument, column }: RowFilter) => {
    const value = Object.hasOwn(args, argument) ? fold(args[argument]) : '';
    return value === '' ? [] : [{ column, value }];
  });

/** Blanks and case do not distinguish names. */
const fold = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).normalize('NFC').replace(/\s+/g, '').toLowerCase()
    : '';

/** Keeps the rows whose columns contain what was asked for. A row without such a column cannot be judged and stays. */
function filterRows(
  shaped: Rows,
  path: Path,
  wanted: readonly Wanted[],
  wrapper: string | null,
): Rows {
  const opened = openRows(shaped, path);
  if (!opened) return shaped;
  const { document, place } = opened;
  const all = document.children(place);
  const kept = all.filter((element) => {
    const row = (wrapper !== null && document.child(element, wrapper)) || element;
    return wanted.every(({ column, value }) => contains(document, row, column, value));
  });
  return kept.length === all.length
    ? shaped
    : {
        json: replace(document, place, joined(kept.map((row) => textOf(document, row)))),
        rows: kept.length,
      };
}

function contains(document: JsonDocument, row: Place, column: string, value: string): boolean {
  const cell = document.kind(row) === 'object' ? document.child(row, column) : undefined;
  return cell === undefined || fold(document.value(cell)).includes(value);
}
