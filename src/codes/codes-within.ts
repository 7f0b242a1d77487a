import { checkText } from './code-query.ts';
import type { CodeHit } from './code-table.ts';
import type { CodeKind } from './kinds/kinds.ts';
import type { OpenKind } from './open-kind.ts';
import { areaPrefix, resolveCode } from './resolve-code.ts';

/** The codes below a place, each with its name; or the places that a text may mean; undefined of a kind whose codes lie in no place. */
export type CodesWithin =
  | { readonly codes: readonly NamedCode[] }
  | { readonly choices: readonly CodeHit[] }
  | undefined;

export type NamedCode = readonly [code: string, name: string];

/** Of codes in a table of several arguments, the argument of the code above each. */
const ABOVE: Readonly<Record<string, string>> = {
  lDongSignguCd: 'lDongRegnCd',
  lclsSystm2: 'lclsSystm1',
  lclsSystm3: 'lclsSystm2',
  dtl_region: 'region',
  dtl_kdc: 'kdc',
  signgucodesub: 'signgucode',
};

/** The codes of a kind below a place that a text names, in the order of the table. */
export function codesWithin(
  kindOf: (kind: CodeKind) => OpenKind,
  kind: CodeKind,
  text: string,
  argument: string | undefined,
): CodesWithin {
  checkText(text);
  const open = kindOf(kind);
  if (open.definition.nested) return areasWithin(kindOf, open, text);
  const above = ABOVE[argument ?? ''];
  if (above !== undefined && open.arguments.includes(above)) {
    const found = resolveCode(open, text, above);
    return 'code' in found ? { codes: partsOf(open, found.code, argument) } : found;
  }
  if (kind !== 'air_station' && kind !== 'river_station') return undefined;
  const found = resolveCode(kindOf('province'), text, undefined);
  return 'code' in found ? { codes: stationsIn(open, kind, found.hit.name) } : found;
}

/** Areas without parts below a province, a city or a district. */
function areasWithin(
  kindOf: (kind: CodeKind) => OpenKind,
  open: OpenKind,
  text: string,
): CodesWithin {
  const province = resolveCode(kindOf('province'), text, undefined);
  const found = 'code' in province ? province : resolveCode(kindOf('district'), text, undefined);
  if (!('code' in found)) return found;
  const prefix = areaPrefix(found.code);
  const isCurrent = open.definition.file === 'legal-districts' ? currentOnly : () => true;
  const all = namedRows(open, (row) => isCurrent(row) && row('code').startsWith(prefix)).sort(
    ([one], [other]) => (one < other ? -1 : 1),
  );
  const codes = all.filter(([code], index) => !all[index + 1]?.[0].startsWith(areaPrefix(code)));
  return { codes };
}

/** Rows whose column `parent` is the code; without such a column, whose code begins with it. */
function partsOf(open: OpenKind, code: string, argument: string | undefined): NamedCode[] {
  const isBelow = open.definition.file === 'kopis-codes' ? byPrefix : byParent;
  return namedRows(open, (row, index) => open.has(index, argument) && isBelow(row, code));
}

type Row = ReturnType<OpenKind['table']['row']>;
const currentOnly = (row: Row): boolean => row('status') === 'current';
const byParent = (row: Row, code: string): boolean => row('parent') === code;
const byPrefix = (row: Row, code: string): boolean => row('code').startsWith(code);

function stationsIn(open: OpenKind, kind: CodeKind, province: string): NamedCode[] {
  const column = kind === 'air_station' ? 'near_sido' : 'address';
  return namedRows(open, (row) => {
    const where = row(column);
    return where === province || where.startsWith(`${province} `);
  });
}

const namedRows = (open: OpenKind, isWanted: (row: Row, index: number) => boolean): NamedCode[] =>
  open.table
    .rows()
    .flatMap((row, index): NamedCode[] =>
      isWanted(row, index) ? [[open.code(index), open.show(index).name]] : [],
    );
