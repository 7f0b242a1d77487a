import { JsonDocument, type Place } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { findRows, rowOf } from '../../upstreams/payload/rows.ts';
import { columnValue } from '../../upstreams/payload/select-rows.ts';
import { besideRows } from './beside-rows.ts';
import type { Cell, ShownRows, Table } from './table.ts';

/** The name of the only column of rows that are no objects. */
const VALUE_COLUMN = 'value';

/**
 * Reads the rows of a normalised payload. Columns are in the order in which they first appear; `wanted` restricts them.
 * Null for a payload without an array of rows at `x-items`.
 */
export function readTable(
  json: Buffer,
  { items, itemWrapper, members = {}, finds }: PayloadShape,
  wanted: ReadonlySet<string> | null,
): (Table & Pick<ShownRows, 'beside'>) | null {
  if (items === null) return null;
  const document = new JsonDocument(json);
  const path = parsePointer(items);
  const place = findRows(document, path);
  if (place === undefined) return null;
  const reader = new RowReader(document, wanted, members);
  for (const element of document.children(place)) {
    reader.read(rowOf(document, element, itemWrapper));
  }
  const beside = finds && besideRows(document, place, path);
  return { ...reader.table(), ...(beside === undefined ? {} : { beside }) };
}

/** A member of the row before, at the same position: most rows have the same members in the same order. */
interface KnownKey {
  readonly bytes: Buffer;
  /** Of its column; -1 if the column is not wanted. */
  readonly index: number;
}

class RowReader {
  readonly #document: JsonDocument;
  readonly #wanted: ReadonlySet<string> | null;
  readonly #members: ReadonlyMap<string, string>;
  /** By column, the member that stands for its value. */
  readonly #memberOf: (string | undefined)[] = [];
  readonly #columns = new Map<string, number>();
  readonly #known: KnownKey[] = [];
  readonly #rows: Cell[][] = [];

  constructor(
    document: JsonDocument,
    wanted: ReadonlySet<string> | null,
    members: Readonly<Record<string, string>>,
  ) {
    this.#document = document;
    this.#wanted = wanted;
    this.#members = new Map(Object.entries(members));
  }

  read(row: Place): void {
    const cells: Cell[] = [];
    if (this.#document.kind(row) === 'object') {
      for (const [position, member] of this.#document.children(row).entries()) {
        this.#put(cells, this.#indexAt(position, member), member);
      }
    } else this.#put(cells, this.#indexOf(VALUE_COLUMN), row);
    this.#rows.push(cells);
  }

  #indexAt(position: number, member: Place): number {
    const known = this.#known[position];
    if (known && this.#document.isKey(member, known.bytes)) return known.index;
    const name = this.#document.key(member);
    const index = this.#indexOf(name);
    // The bytes of a name with a backslash could be the escapes of another name.
    if (!name.includes('\\')) this.#known[position] = { bytes: Buffer.from(name), index };
    return index;
  }

  #indexOf(name: string): number {
    if (this.#wanted && !this.#wanted.has(name)) return -1;
    const index = this.#columns.get(name) ?? this.#columns.size;
    this.#columns.set(name, index);
    this.#memberOf[index] = this.#members.get(name);
    return index;
  }

  #put(cells: Cell[], index: number, value: Place): void {
    if (index < 0) return;
    while (cells.length < index) cells.push('');
    cells[index] = columnValue(this.#document, value, this.#memberOf[index]);
  }

  table(): Table {
    const columns = [...this.#columns.keys()];
    for (const cells of this.#rows) while (cells.length < columns.length) cells.push('');
    return { columns, rows: this.#rows };
  }
}
