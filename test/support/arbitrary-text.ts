import fc from 'fast-check';

// In place of the units `binary` and `grapheme` of `fc.string`, which list a million characters: a second in each process.

const SURROGATES_AT = 0xd800;
const SURROGATES = 0x800;
/** Without surrogates. */
const CODE_POINTS = 0x110000 - SURROGATES;
/** Nothing behind the third plane can be seen. */
const ASSIGNED = 0x32400 - SURROGATES;

const characterAt = (index: number): string =>
  String.fromCodePoint(index < SURROGATES_AT ? index : index + SURROGATES);

/** Lets fast-check put names such as `__proto__` into texts. */
function indexOf(character: unknown): number {
  const [only, ...others] = typeof character === 'string' ? character : '';
  if (only === undefined || others.length > 0) throw new Error('This is not one character.');
  const code = only.codePointAt(0) ?? 0;
  return code < SURROGATES_AT ? code : code - SURROGATES;
}

const anyCharacter = fc.nat({ max: CODE_POINTS - 1 }).map(characterAt, indexOf);
const visibleCharacter = fc
  .nat({ max: ASSIGNED - 1 })
  .map(characterAt, indexOf)
  .filter((character) => !/\p{C}/u.test(character));

/** Well-formed text of any code points. */
export const anyText = (constraints: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter });

/** Such as Hangul syllables in letters. */
const decomposed = visibleCharacter.map((character) => character.normalize('NFD'));
const visibleUnit = fc.oneof({ weight: 3, arbitrary: visibleCharacter }, decomposed);

/** Text without control, private and unassigned characters. */
export const visibleText = (constraints: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: visibleUnit });
