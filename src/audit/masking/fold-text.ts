/** Characters that look like others or like nothing: digits of any script, compatibility forms, invisible ones. */
const DISGUISED =
  /[[\p{Nd}\p{No}\p{Zs}\p{Cf}\p{Default_Ignorable_Code_Point}\uff01-\uff5e\ufe50-\ufe6b\u{1d400}-\u{1d7ff}]--[\x20-\x7e]]/gv;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/v;
const DIGIT = /\p{Nd}/v;
/** An emoji's digit is an ASCII one with marks on it. */
const MARKS_ON_DIGITS = /(?<=\d)\p{M}+/gv;
const BEYOND_ASCII = /\P{ASCII}/v;

/**
 * A text with every decimal digit of Unicode and every compatibility form of an ASCII character as that character, and
 * without what cannot be seen. Everything else stays: what is not masked is to be read as it was sent.
 */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(DISGUISED, foldCharacter).replace(MARKS_ON_DIGITS, '');
}

/** Characters that were folded before; no more than Unicode has of them, some six thousand. */
const FOLDED = new Map<string, string>();

function foldCharacter(character: string): string {
  const known = FOLDED.get(character);
  if (known !== undefined) return known;
  const folded = workOut(character);
  FOLDED.set(character, folded);
  return folded;
}

function workOut(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (DIGIT.test(character)) return String(digitOf(character.codePointAt(0) ?? 0));
  const compatible = character.normalize('NFKC');
  return compatible.length === 1 && compatible <= '\x7f' ? compatible : character;
}

/** Digits stand in runs of ten, each from nought to nine (Unicode 16, section 4.6); several runs may touch. */
function digitOf(codePoint: number): number {
  let first = codePoint;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return (codePoint - first) % 10;
}
