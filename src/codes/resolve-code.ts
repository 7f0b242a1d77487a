import type { CodeHit } from './code-hit.ts';
import { CODE_LIMITS } from './code-query.ts';
import { findRows, type RankedRow, rowsWithCode } from './find-rows.ts';
import type { OpenKind } from './open-kind.ts';
import { provincesNamed } from './search/province-names.ts';
import { spellingOf, wordsOf } from './search/words.ts';

/** What a name stands for: one code, or the codes that it may stand for; an empty list if nothing fits. */
export type Resolution =
  | {
      readonly code: string;
      readonly hit: CodeHit;
      /** Says that the code or the name is a former one, and what took its place. */
      readonly note?: string;
    }
  | { readonly choices: readonly CodeHit[] };

/** A name means the best row only if no other one is nearly as good. */
const MIN_LEAD = 8;

/** The code that a text stands for, or the choices; see `CodeTables.resolve`. */
export function resolveCode(
  kind: OpenKind,
  text: string,
  argument: string | undefined,
): Resolution {
  const byCode = rowsWithCode(kind, text).filter(({ row }) => kind.has(row, argument));
  const codes = new Set(byCode.map(({ row }) => kind.code(row)));
  const [first] = byCode;
  if (first && codes.size === 1) return settled(kind.show(first.row), text);

  const rows = findRows(kind, { text, argument });
  const best = rows[0];
  if (best?.certain && !isContested(kind, rows, best)) {
    const hit = kind.show(best.row);
    const elsewhere = rowsInProvince(kind, text, hit, argument);
    if (elsewhere.length > 0) return { choices: choicesOf(kind, [best, ...elsewhere]) };
    if (!isWholeProvince(kind, text, hit)) return settled(hit, text);
    return { choices: choicesOf(kind, rowsNamedByProvince(kind, text, argument)) };
  }
  const certain = rows.filter((row) => row.certain);
  return { choices: choicesOf(kind, certain.length > 0 ? certain : rows) };
}

const choicesOf = (kind: OpenKind, rows: readonly RankedRow[]): CodeHit[] =>
  rows.slice(0, CODE_LIMITS.defaultHits).map(({ row }) => kind.show(row));

function isContested(kind: OpenKind, rows: readonly RankedRow[], best: RankedRow): boolean {
  const code = kind.code(best.row);
  return rows.some(({ row, score, certain }) => {
    if (!certain || (score ?? 0) + MIN_LEAD <= (best.score ?? 0)) return false;
    const other = kind.code(row);
    return !isWithin(kind, other, code) && !isTownshipBeside(kind, other, code);
  });
}

/** Who says Busan means the city of millions, and not a township of that name elsewhere. */
const isTownshipBeside = (kind: OpenKind, code: string, best: string): boolean =>
  kind.definition.nested === true &&
  areaPrefix(best).length === PROVINCE_DIGITS &&
  areaPrefix(code).length >= TOWNSHIP_DIGITS;

/** Whether a code is another one or, in a table of areas, a part of it. */
function isWithin(kind: OpenKind, part: string, whole: string): boolean {
  return part === whole || (kind.definition.nested === true && part.startsWith(areaPrefix(whole)));
}

/** Digits of a province, a city with districts, a district, and an eup, myeon or dong. */
const PROVINCE_DIGITS = 2;
const TOWNSHIP_DIGITS = 8;
const AREA_DIGITS = [PROVINCE_DIGITS, 4, 5, TOWNSHIP_DIGITS];

/** The common prefix of the codes of an area and its parts. */
function areaPrefix(code: string): string {
  const digits = AREA_DIGITS.find((length) => /^0*$/.test(code.slice(length)));
  return code.slice(0, digits);
}

/**
 * Rows of a province that the text names as well, elsewhere than the best row: "광주" is a city in Gyeonggi-do, and
 * five districts of the former Gwangju Metropolitan City.
 */
function rowsInProvince(
  kind: OpenKind,
  text: string,
  best: CodeHit,
  argument: string | undefined,
): RankedRow[] {
  const own = best['sido'] ?? best['parentName'];
  const provinces = provincesNamed(text.trim().toLowerCase());
  if (own === undefined || provincesNamed(String(own)).some((name) => provinces.includes(name))) {
    return [];
  }
  return rowsNamedByProvince(kind, text, argument).filter(
    ({ row }) => kind.code(row) !== best.code,
  );
}

/** The rows of the provinces that a text names. */
const rowsNamedByProvince = (
  kind: OpenKind,
  text: string,
  argument: string | undefined,
): RankedRow[] =>
  provincesNamed(text.trim().toLowerCase()).flatMap((province) =>
    findRows(kind, { text: province, argument }),
  );

/** Whether a text names the province around an area, and not the area: Busan is not Busanjin-gu. */
function isWholeProvince({ definition }: OpenKind, text: string, hit: CodeHit): boolean {
  const provinces = provincesNamed(text.trim().toLowerCase());
  return (
    definition.nested === true &&
    provinces.length > 0 &&
    !provinces.includes(String(hit.name)) &&
    !isPresentName(hit, text)
  );
}

function settled(hit: CodeHit, text: string): Resolution {
  const note = noteOf(hit, text.trim());
  return { code: hit.code, hit, ...(note === '' ? {} : { note }) };
}

function noteOf(hit: CodeHit, text: string): string {
  const { code, name, formerCode, status, successor, abolishedOn, formerly } = hit;
  if (status === 'abolished') {
    return `${code} ${name} was abolished on ${abolishedOn}. In its place: ${successor}.`;
  }
  if (formerCode === text) return `${text} is a former code of ${name}. The code is now ${code}.`;
  const renamed = typeof formerly === 'string' && !isPresentName(hit, text);
  return renamed ? `${name} (${code}) was formerly ${formerly}.` : '';
}

/** Whether a word of a text is of the hit's present name, in Korean or English, rather than of a former one. */
function isPresentName({ name, nameEn }: CodeHit, text: string): boolean {
  const known = wordsOf(`${name} ${nameEn ?? ''}`).flatMap((word) => {
    const spelling = spellingOf(word);
    return [spelling.text, spelling.bare];
  });
  return wordsOf(text).some((word) => known.includes(word));
}
