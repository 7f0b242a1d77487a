import { checkText } from './code-query.ts';
import type { CodeHit } from './code-table.ts';
import type { CodeKind } from './kinds/kinds.ts';
import type { OpenKind } from './open-kind.ts';
import { areaPrefix, resolveCode } from './resolve-code.ts';

/** The codes below a place; or the places that a text may mean; undefined of a kind whose codes lie in no place. */
export type CodesWithin =
  | { readonly codes: readonly string[] }
  | { readonly choices: readonly CodeHit[] }
  | undefined;

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
  const all = open.table
    .rows()
    .filter((row) => open.definition.file !== 'legal-districts' || row('status') === 'current')
    .map((row) => row('code'))
    .filter((code) => code.startsWith(prefix))
    .sort();
  const codes = all.filter((code, index) => !all[index + 1]?.startsWith(areaPrefix(code)));
  return { codes };
}

/** Rows whose column `parent` is the code; without such a column, whose code begins with it. */
function partsOf(open: OpenKind, code: string, argument: string | undefined): string[] {
  const isBelow = open.definition.file === 'kopis-codes' ? byPrefix : byParent;
  return open.table
    .rows()
    .filter((row, index) => open.has(index, argument) && isBelow(row, code))
    .map((row) => row('code'));
}

type Row = ReturnType<OpenKind['table']['row']>;
const byParent = (row: Row, code: string): boolean => row('parent') === code;
const byPrefix = (row: Row, code: string): boolean => row('code').startsWith(code);

function stationsIn(open: OpenKind, kind: CodeKind, province: string): string[] {
  const column = kind === 'air_station' ? 'near_sido' : 'address';
  return open.table
    .rows()
    .map((row, index) => [row(column), open.code(index)] as const)
    .filter(([where]) => where === province || where.startsWith(`${province} `))
    .map(([, code]) => code);
}
