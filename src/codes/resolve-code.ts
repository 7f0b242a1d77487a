import { CODE_LIMITS } from './code-query.ts';
import type { CodeHit } from './code-table.ts';
import { findRows, type OpenKind, type RankedRow, rowsWithCode } from './open-kind.ts';

import { provincesNamed, spellingOf, wordsOf } from './search/words.ts';

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
  const choicesOf = (rows: readonly RankedRow[]): Resolution => ({
    choices: rows.slice(0, CODE_LIMITS.defaultHits).map(({ row }) => kind.show(row)),
  });
  const byCode = rowsWithCode(kind, text).filter(({ row }) => kind.has(row, argument));
  const [first] = byCode;
  const isOne = new Set(byCode.map(({ row }) => kind.code(row))).size === 1;
  if (first && isOne) return settled(kind.show(first.row), text);

  const rows = findRows(kind, { text, argument });
  const certain = rows.filter((row) => row.certain);
  const [best] = rows;
  if (!best?.certain || isContested(kind, certain, best)) {
    return choicesOf(certain.length > 0 ? certain : rows);
  }
  const hit = kind.show(best.row);
  const provinces = provincesNamed(text.trim().toLowerCase());
  const inProvinces = () => provinces.flatMap((name) => findRows(kind, { text: name, argument }));
  if (provinces.length > 0 && isElsewhere(hit, provinces)) {
    const elsewhere = inProvinces().filter(({ row }) => kind.code(row) !== hit.code);
    if (elsewhere.length > 0) return choicesOf([best, ...elsewhere]);
  }
  // The text names the province around an area, and not the area: Busan is not Busanjin-gu.
  const isWholeProvince =
    kind.definition.nested && provinces.length > 0 && !provinces.includes(hit.name);
  return isWholeProvince && !isPresentName(hit, text)
    ? choicesOf(inProvinces())
    : settled(hit, text);
}

/**
 * Whether an area is in another province than those that the text names: "광주" is a city in Gyeonggi-do, and five
 * districts of the former Gwangju Metropolitan City.
 */
function isElsewhere(hit: CodeHit, provinces: readonly string[]): boolean {
  const own = hit['sido'] ?? hit['parentName'];
  return own !== undefined && !provincesNamed(String(own)).some((name) => provinces.includes(name));
}

/** Whether a row that matches the text just as certainly scores nearly as well as the best one. */
function isContested(kind: OpenKind, certain: readonly RankedRow[], best: RankedRow): boolean {
  const code = kind.code(best.row);
  return certain.some(({ row, score = 0 }) => {
    if (score + MIN_LEAD <= (best.score ?? 0)) return false;
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
export function areaPrefix(code: string): string {
  const digits = AREA_DIGITS.find((length) => /^0*$/.test(code.slice(length)));
  return code.slice(0, digits);
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
