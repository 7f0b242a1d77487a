import { percentEncode } from '../../tools/request/write-style.ts';
import type { HiddenSecret } from '../../tools/tool-connection.ts';

/** A shorter value may be part of any word; it is redacted only where it is the whole value of its parameter. */
const MIN_CHARACTERS = 8;

/** Whether the value is too short to be redacted everywhere. */
export const isShortSecret = (value: string): boolean => value.trim().length < MIN_CHARACTERS;

/** How one character may be written: as bytes, each as a character. The first that matches counts. */
export type Spellings = readonly string[];

/** One form of a secret, character by character. */
export interface Form {
  readonly characters: readonly Spellings[];
  /** Whether the base64 character after it contains its last bits. */
  readonly hasTail: boolean;
}

/** The forms of a secret that is long enough to be redacted everywhere. */
export function formsOf(secret: HiddenSecret): Form[] {
  return textsOf(secret)
    .filter((text) => !isShortSecret(text))
    .flatMap((text) => {
      const bytes = Buffer.from(text);
      const base64 = [bytes, Buffer.from(percentEncode(text))].flatMap((encoded) =>
        [0, 1, 2].map((before) => base64Form(encoded, before)),
      );
      const hex = [...bytes.toString('hex')].map(inEitherCase);
      return [...writtenForms(text), ...base64, form(hex)];
    });
}

/** The secret, and what an upstream may know of it: its decoded form, the value after its scheme, the password. */
function textsOf({ value, prefix }: HiddenSecret): string[] {
  const trimmed = value.trim();
  const afterScheme = /^[A-Za-z]+ +(\S+)$/.exec(trimmed)?.[1] ?? '';
  const password = prefix === 'Basic ' ? trimmed.slice(trimmed.indexOf(':') + 1) : '';
  const texts = [trimmed, decoded(trimmed), afterScheme, password];
  return [...new Set(texts.map((text) => text.toWellFormed()))];
}

const inEitherCase = (digit: string): Spellings =>
  [...new Set([digit, upper(digit)])].flatMap(spellingsOf);

/** Portals also show keys percent-encoded, and operators copy them so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A text with any of its characters percent-encoded or escaped as in JSON. A percent sign of its own may look like an
 * escape, so that such a text is also compared without percent-encoding.
 */
export function writtenForms(text: string): Form[] {
  const characters = [...text].map(spellingsOf);
  const unencoded = characters.map((spellings) => spellings.filter((each) => !/^%../.test(each)));
  return text.includes('%') ? [form(characters), form(unencoded)] : [form(characters)];
}

/** The forms without escapes of a secret with a backslash, which only JSON cannot contain as it is. */
export const bareFormsOf = (secret: HiddenSecret): Form[] =>
  textsOf(secret)
    .filter((text) => !isShortSecret(text) && text.includes('\\'))
    .map((text) =>
      form(
        [...text].map((each) => ['\\', ...spellingsOf(each)].filter((bare) => isBare(bare, each))),
      ),
    );

const isBare = (spelling: string, character: string): boolean =>
  spelling === '\\' ? character === '\\' : !/^[%\\]./.test(spelling);

const form = (characters: readonly Spellings[], hasTail = false): Form => ({ characters, hasTail });

function spellingsOf(character: string): Spellings {
  const bytes = Buffer.from(character);
  const escapes = [
    eachOf(bytes, percent),
    // Headers are sent in Latin-1, which differs from UTF-8 beyond ASCII.
    ...(/[\x80-\xff]/.test(character) ? [percent(character.charCodeAt(0))] : []),
    character.replace(/[\s\S]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
  ];
  const short = JSON.stringify(character).slice(1, -1);
  return [
    ...new Set([
      ...escapes,
      ...escapes.map((each) => each.replace(/[a-f]/g, upper)),
      ...(character === '/' ? ['\\/'] : []),
      bytesOf(short),
      ...(character === '\\' ? [] : [bytesOf(character)]),
      // Forms encode a space as a plus sign, and a form decoder turns a bare plus sign into a space.
      ...(character === '+' ? [' '] : []),
      ...(character === ' ' ? ['+'] : []),
    ]),
  ];
}

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');
const upper = (text: string): string => text.toUpperCase();
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const percent = (byte: number): string => `%${hex(byte, 2)}`;
const eachOf = (bytes: Buffer, write: (byte: number) => string): string =>
  [...bytes].map(write).join('');

/** Both alphabets of base64 (RFC 4648 sections 4 and 5). */
const inBase64 = (digit: string): Spellings =>
  (({ '+': '+-', '/': '/_' })[digit] ?? digit).split('').flatMap(spellingsOf);

/** The base64 characters that these bytes produce after so many others, without those that also depend on neighbours. */
function base64Form(secret: Buffer, before: number): Form {
  const bytes = Buffer.concat([Buffer.alloc(before), secret]);
  const bits = bytes.length * 8;
  const whole = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  return form([...whole].map(inBase64), bits % 6 !== 0);
}
