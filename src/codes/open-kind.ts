import { atOnce, inSlices } from '../platform/kernel/in-slices.ts';
import type { CodeHit, CodeTable, HitDetails, Point, Row } from './code-table.ts';
import type { KindDefinition, OpenTable } from './kinds/kind-definition.ts';
import { CODE_KINDS, type CodeKind, KINDS } from './kinds/kinds.ts';
import { indexNames, type NameIndex, type RowName, searchNames } from './search/search-names.ts';
import { isHangul, printRomanised } from './search/words.ts';

/** A row that was found. */
export interface RankedRow {
  readonly row: number;
  /** Of rows found by name: comparable within one search. */
  readonly score?: number;
  /** Whether the text names the row without doubt. */
  readonly certain?: boolean;
  /** Of rows found by place, the distance. */
  readonly km?: number;
}

export type OpenKind = ReturnType<typeof openKind>;

/** Reads the table of a kind. `namesOf` returns the index of another kind. */
export function openKind(kind: CodeKind, open: OpenTable, namesOf: (kind: CodeKind) => NameIndex) {
  const definition: KindDefinition = KINDS[kind];
  const table = open(definition.file);
  const shared = CODE_KINDS.find((name) => name === definition.namesOf);
  const { argument: column, code = 'code' } = definition;
  let names: NameIndex | undefined;
  let positions: readonly Position[] | undefined;
  const index = () => indexNames(namesOfRows(definition, table, open));
  return {
    definition,
    table,
    /** The arguments that the table has codes for, if it has them for several. */
    arguments: column === undefined ? [] : [...new Set(table.rows().map((row) => row(column)))],
    has(index: number, argument: string | undefined): boolean {
      const row = table.row(index);
      if (definition.has?.(row) === false) return false;
      return argument === undefined || (column !== undefined && row(column) === argument);
    },
    /** Names are indexed when they are first searched, at the latest. */
    names: (): NameIndex => (names ??= shared ? namesOf(shared) : atOnce(index())),
    /** Indexes the names while other work continues. */
    async prepare(): Promise<void> {
      if (!shared) names ??= await inSlices(index());
    },
    /** The rows with coordinates, with latitude and longitude. */
    positions: () => (positions ??= positionsOf(definition, table)),
    /** The row as it is shown. */
    show: (index: number): CodeHit => showRow(kind, table.row(index), open),
    code: (index: number): string => table.row(index)(code),
  };
}

type Position = readonly [row: number, lat: number, lon: number];

const positionsOf = (definition: KindDefinition, table: CodeTable): Position[] =>
  table
    .rows()
    .flatMap((row, index) =>
      row('lat') === '' || definition.has?.(row) === false
        ? []
        : [[index, Number(row('lat')), Number(row('lon'))] as const],
    );

function* namesOfRows(
  definition: KindDefinition,
  table: CodeTable,
  open: OpenTable,
): Generator<{ row: number; name: RowName }> {
  const namesOf = definition.names(open);
  for (let index = 0; index < table.size; index++) {
    const row = table.row(index);
    if (definition.has?.(row) === false) continue;
    for (const name of namesOf(row)) if (name.own !== '') yield { row: index, name };
  }
}

function showRow(kind: CodeKind, row: Row, open: OpenTable): CodeHit {
  const definition: KindDefinition = KINDS[kind];
  const name = definition.shownName?.(row, open) ?? row('name');
  const details = definition.details(row, open);
  const argument = definition.argument === undefined ? {} : { argument: row(definition.argument) };
  return {
    code: row(definition.code ?? 'code'),
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

interface FindOptions {
  readonly text?: string | undefined;
  readonly near?: Point | undefined;
  readonly argument?: string | undefined;
}

/** The rows of a kind that fit a text or are near a point, best first: each once, or each code if rows share codes. */
export function findRows(kind: OpenKind, { text = '', near, argument }: FindOptions): RankedRow[] {
  const rows: RankedRow[] = near
    ? nearestRows(kind, near)
    : [...rowsWithCode(kind, text), ...searchNames(kind.names(), text)];
  const seen = new Set<string | number>();
  return rows.filter(({ row }) => {
    const key = kind.definition.sharesCodes ? kind.code(row) : row;
    if (seen.has(key) || !kind.has(row, argument)) return false;
    seen.add(key);
    return true;
  });
}

/** The rows whose code, today's or a former one, is this text. */
export function rowsWithCode({ definition, table }: OpenKind, text: string): RankedRow[] {
  const { code = 'code', formerCode, codePattern } = definition;
  const value = text.trim();
  if (!codePattern.test(value)) return [];
  const columns = formerCode === undefined ? [code] : [code, formerCode];
  const found = [value, value.toUpperCase()]
    .map((spelling) => table.rowsWith(spelling, columns))
    .find((rows) => rows.length > 0);
  return (found ?? []).map((row) => ({ row, certain: true }));
}

/** All rows with coordinates, the nearest first; rows at the same distance in the order of the table. */
const nearestRows = (kind: OpenKind, near: Point): RankedRow[] =>
  kind
    .positions()
    .map(([row, lat, lon]) => ({ row, km: distanceKm(near, { lat, lon }) }))
    .sort((one, other) => one.km - other.km);

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** Great-circle distance of two points in kilometres. */
export function distanceKm(one: Point, other: Point): number {
  const latitudes = (other.lat - one.lat) * RADIANS;
  const longitudes = (other.lon - one.lon) * RADIANS;
  const half =
    Math.sin(latitudes / 2) ** 2 +
    Math.cos(one.lat * RADIANS) * Math.cos(other.lat * RADIANS) * Math.sin(longitudes / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(half)));
}
