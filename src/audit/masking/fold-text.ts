/** Characters that look like others or are invisible: digits of any script, compatibility forms, format characters. */
const DISGUISED =
  /[[\p{Nd}\p{No}\p{Zs}\p{Cf}\p{Default_Ignorable_Code_Point}\uff01-\uff5e\ufe50-\ufe6b\u{1d400}-\u{1d7ff}]--[\x20-\x7e]]/gv;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/v;
const DIGIT = /\p{Nd}/v;
/** A keycap emoji is an ASCII digit followed by combining marks. */
const MARKS_ON_DIGITS = /(?<=\d)\p{M}+/gv;
const BEYOND_ASCII = /\P{ASCII}/v;

/**
 * Replaces every decimal digit of Unicode and every compatibility form of an ASCII character with the ASCII character,
 * and removes invisible characters. Everything else stays, so that text that is not masked stays readable as sent.
 */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(DISGUISED, foldCharacter).replace(MARKS_ON_DIGITS, '');
}

/** Cache of folded characters. Bounded by the number of such characters in Unicode, about six thousand. */
const FOLDED = new Map<string, string>();

function foldCharacter(character: string): string {
  const cached = FOLDED.get(character);
  if (cached !== undefined) return cached;
  const folded = computeFold(character);
  FOLDED.set(character, folded);
  return folded;
}

function computeFold(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (DIGIT.test(character)) return String(digitOf(character.codePointAt(0) ?? 0));
  const compatible = character.normalize('NFKC');
  return compatible.length === 1 && compatible <= '\x7f' ? compatible : character;
}

/** Decimal digits form runs of ten, from zero to nine (Unicode 16, section 4.6). Runs may be adjacent. */
function digitOf(codePoint: number): number {
  let first = codePoint;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return (codePoint - first) % 10;
}

const ESCAPES = /(?:%[0-9a-f]{2})+|&(?:#x[0-9a-f]{1,6}|#\d{1,7}|commat);|\\u[0-9a-f]{4}/gi;
const ASCII_BYTE = /%[0-7][0-9a-f]/gi;

/** Decodes percent-encoding, numeric HTML character references and JSON escapes, one level deep. */
export const decodeEscapes = (text: string): string => text.replace(ESCAPES, decode);

function decode(escaped: string): string {
  if (escaped.startsWith('%')) return decodePercent(escaped);
  if (escaped === '&commat;') return '@';
  const hex = /^(?:&#x|\\u)([0-9a-f]+)/i.exec(escaped)?.[1];
  const codePoint = hex === undefined ? Number(escaped.slice(2, -1)) : Number.parseInt(hex, 16);
  return codePoint > 0x10ffff ? escaped : String.fromCodePoint(codePoint);
}

/** If the bytes are not valid UTF-8, decodes at least the ASCII bytes among them. */
function decodePercent(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes.replace(ASCII_BYTE, decodeURIComponent);
  }
}
