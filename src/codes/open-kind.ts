import type { CodeHit, HitDetails } from './code-hit.ts';
import type { CodeTable, Row } from './code-table.ts';
import type { KindDefinition, OpenTable } from './kinds/kind-definition.ts';
import { CODE_KINDS, type CodeKind, KINDS } from './kinds/kinds.ts';
import type { Positions } from './nearest.ts';
import { indexNames, type NameIndex, type RowName } from './search/name-index.ts';
import { isHangul, printRomanised } from './search/words.ts';

/** A kind whose table has been read. */
export interface OpenKind {
  readonly definition: KindDefinition;
  readonly table: CodeTable;
  /** The arguments that the table has codes for, if it has them for several. */
  readonly arguments: readonly string[];
  has(row: number, argument: string | undefined): boolean;
  /** Names are indexed when they are first searched. */
  names(): NameIndex;
  positions(): Positions;
  /** The row as it is shown. */
  show(row: number): CodeHit;
  code(row: number): string;
}

/** Reads the table of a kind. `namesOf` returns the index of another kind. */
export function openKind(
  kind: CodeKind,
  open: OpenTable,
  namesOf: (kind: CodeKind) => NameIndex,
): OpenKind {
  const definition: KindDefinition = KINDS[kind];
  const table = open(definition.file);
  const shared = CODE_KINDS.find((name) => name === definition.namesOf);
  const belongs = (row: Row): boolean => definition.has?.(row) ?? true;
  const argumentOf = (row: Row): string | undefined =>
    definition.argument === undefined ? undefined : row(definition.argument);
  return {
    definition,
    table,
    arguments: definition.argument === undefined ? [] : distinct(rowsOf(table).map(argumentOf)),
    has(index, argument) {
      const row = table.row(index);
      return belongs(row) && (argument === undefined || argumentOf(row) === argument);
    },
    names: once(() =>
      shared ? namesOf(shared) : indexNames(namesOfRows(definition, table, open)),
    ),
    positions: once(() => readPositions(table, belongs)),
    show: (index) => showRow(kind, table.row(index), open),
    code: (index) => table.row(index)(definition.code),
  };
}

function* rowsOf(table: CodeTable): Generator<Row> {
  for (let index = 0; index < table.size; index++) yield table.row(index);
}

const distinct = (values: Iterable<string | undefined>): string[] =>
  [...new Set(values)].filter((value) => value !== undefined);

function* namesOfRows(
  definition: KindDefinition,
  table: CodeTable,
  open: OpenTable,
): Generator<{ row: number; name: RowName }> {
  const namesOf = definition.names(open);
  for (let index = 0; index < table.size; index++) {
    const row = table.row(index);
    if (definition.has && !definition.has(row)) continue;
    for (const name of namesOf(row)) if (name.own !== '') yield { row: index, name };
  }
}

function readPositions(table: CodeTable, belongs: (row: Row) => boolean): Positions {
  const rows: number[] = [];
  const degrees: number[] = [];
  for (let index = 0; index < table.size; index++) {
    const row = table.row(index);
    if (row('lat') === '' || !belongs(row)) continue;
    rows.push(index);
    degrees.push(Number(row('lat')), Number(row('lon')));
  }
  return { rows: Uint16Array.from(rows), degrees: Float64Array.from(degrees) };
}

function showRow(kind: CodeKind, row: Row, open: OpenTable): CodeHit {
  const definition: KindDefinition = KINDS[kind];
  const name = definition.shownName(row, open);
  const details = definition.details(row, open);
  const argument = definition.argument === undefined ? {} : { argument: row(definition.argument) };
  return {
    code: row(definition.code),
    name,
    kind,
    ...english(definition, name, { nameEn: definition.nameEn?.(row, open) ?? '', ...details }),
    ...argument,
    ...details,
  };
}

function english(definition: KindDefinition, name: string, details: HitDetails): HitDetails {
  const { nameEn, romanised } = details;
  if (nameEn !== '' && nameEn !== undefined) return nameEn === name ? {} : { nameEn };
  if (romanised !== undefined || !isHangul(name)) return {};
  return { romanised: printRomanised(name, definition.nested === true) };
}

/** A function that computes its value once. */
function once<T>(compute: () => T): () => T {
  let value: { readonly it: T } | undefined;
  return () => {
    value ??= { it: compute() };
    return value.it;
  };
}
