/** The kinds of characters, by UTF-16 code unit. */
const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
/** Occurs only in addresses, pairs and escapes, or may be a disguised digit or an invisible character. */
const RARE = 3;

/** Letters, digits and signs of common scripts, without any that could pass for an ASCII character. */
const ORDINARY: readonly (readonly [kind: number, first: number, last: number])[] = [
  [OTHER, 0x00, 0x7f],
  [LETTER, 0x41, 0x5a],
  [LETTER, 0x61, 0x7a],
  [DIGIT, 0x30, 0x39],
  [OTHER, 0xa0, 0xac],
  [OTHER, 0xae, 0xb1],
  [OTHER, 0xb4, 0xb8],
  [LETTER, 0xc0, 0x24f],
  [LETTER, 0x370, 0x588],
  [LETTER, 0x1100, 0x115e],
  [LETTER, 0x1161, 0x11ff],
  [OTHER, 0x2000, 0x200a],
  [OTHER, 0x2010, 0x2027],
  [OTHER, 0x2030, 0x205e],
  [OTHER, 0x2190, 0x22ff],
  [OTHER, 0x2500, 0x2775],
  [OTHER, 0x3000, 0x3040],
  [LETTER, 0x3041, 0x30fa],
  [OTHER, 0x30fb, 0x30fc],
  [LETTER, 0x3131, 0x3163],
  [OTHER, 0x3161, 0x3161],
  [OTHER, 0x318d, 0x318e],
  [LETTER, 0x3400, 0x9fff],
  [LETTER, 0xac00, 0xd7a3],
];

const KINDS = new Uint8Array(0x1_0000).fill(RARE);
for (const [kind, first, last] of ORDINARY) KINDS.fill(kind, first, last + 1);
// Lists, and numbers with thousands separators, are not one number.
for (const sign of ',;') KINDS[sign.charCodeAt(0)] = LETTER;
for (const sign of '@=%&\\"') KINDS[sign.charCodeAt(0)] = RARE;

/** The shortest landline number: an area code of two digits and a subscriber number of seven. */
const MIN_DIGITS = 9;
/** The most characters between two digits of one number. */
export const MAX_GAP = 4;
/** A passport number is the shortest word of letters and digits that needs masking. */
const PASSPORT_LENGTH = 9;
const PASSPORT_DIGITS = 7;
/** A word of this length may be a token without a separator. */
const TOKEN_LENGTH = 16;

/** The last three characters of each token prefix, separator included. The rules are in mask-text.ts. */
const TOKEN_PREFIXES: ReadonlySet<number> = new Set(
  [
    ...['hp_', 'ho_', 'hu_', 'hs_', 'hr_', 'at_', 'at-', 'sk_', 'sk-', 'rk_', 'rk-', 'pm_', 'hf_'],
    ...['ve_', 'ec_', 'xa-', 'xb-', 'xe-', 'xp-', 'xr-', 'xs-', 'pp-', '29.', '---', 'er ', 'ic '],
  ].map((prefix) => tailKey(prefix, 2)),
);

/**
 * Whether any masking rule can apply to a text. This one pass clears nearly every argument. It costs about a nanosecond
 * per character, less than an equivalent regular expression.
 */
export function isSuspicious(text: string): boolean {
  let digits = 0;
  let gap = 0;
  let word = 0;
  let wordDigits = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)];
    if (kind === RARE) return true;
    if (kind === DIGIT) {
      if (++digits >= MIN_DIGITS) return true;
      wordDigits++;
      word++;
      gap = 0;
    } else if (kind === LETTER) {
      digits = 0;
      word++;
    } else {
      if (at >= 2 && TOKEN_PREFIXES.has(tailKey(text, at))) return true;
      if (++gap > MAX_GAP) digits = 0;
      word = 0;
      wordDigits = 0;
    }
    if (word === TOKEN_LENGTH || (word === PASSPORT_LENGTH && wordDigits >= PASSPORT_DIGITS)) {
      return true;
    }
  }
  return false;
}

/** The three characters up to this index as one number, without regard to case and kind of white space. */
function tailKey(text: string, at: number): number {
  const last = text.charCodeAt(at);
  const separator = last < 0x20 || last === 0xa0 ? 0x20 : last;
  return (
    ((text.charCodeAt(at - 2) | 0x20) << 16) | ((text.charCodeAt(at - 1) | 0x20) << 8) | separator
  );
}
