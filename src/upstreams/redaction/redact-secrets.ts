import { JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { QUOTE } from '../../platform/kernel/json-text.ts';
import { memoizeEach } from '../../platform/kernel/memoize-each.ts';
import type { HiddenSecret, HiddenSecrets } from '../../tools/tool-connection.ts';
import {
  decodeOnce,
  decodingsOf,
  JSON_ESCAPES,
  placeOf,
  type Text,
  textOf,
} from './decode-escapes.ts';
import {
  createNeedleFinder,
  isShortSecret,
  joined,
  needlesOf,
  type Range,
  textNeedle,
} from './find-secrets.ts';

/** Removes secrets. Returns the same buffer if it contains none. */
export interface Redactor {
  /** Redacts valid JSON in UTF-8, which stays valid. */
  json(json: Buffer): Buffer;
  /** Redacts any text in UTF-8. */
  text(text: Buffer): Buffer;
}

const KEEP_ALL: Redactor = { json: (json) => json, text: (text) => text };

const redactorOf = memoizeEach((hidden: HiddenSecrets): Redactor => {
  const present = hidden.filter(({ value }) => value.trim() !== '');
  return present.length === 0 ? KEEP_ALL : createRedactor(present);
});

/** The redactor for these secrets, prepared once per object. */
export const redactorFor = (hidden: HiddenSecrets | undefined): Redactor =>
  hidden ? redactorOf(hidden) : KEEP_ALL;

function createRedactor(hidden: HiddenSecrets): Redactor {
  const short = hidden.filter(({ value }) => isShortSecret(value)).map(createShortSecret);
  const needles = hidden.flatMap(needlesOf);
  const values = short.flatMap((secret) => secret.values.map(textNeedle));
  const findAny = createNeedleFinder([...needles, ...values]);
  // The quotes of the JSON itself could complete an escape at the end of a string.
  const hasQuote = [...needles, ...values].some(({ bytes }) => bytes.includes(QUOTE));
  const findLong = createNeedleFinder(needles);
  const find = (text: Text): readonly Range[] =>
    short.length === 0
      ? findLong(text)
      : joined([findLong(text), ...short.map((secret) => secret.find(text))].flat());
  return {
    json(json) {
      const mayHold = hasQuote || findAny(textOf(json), true).length > 0;
      return mayHold ? redactValues(new JsonDocument(json), find, short) : json;
    },
    text(text) {
      const mayHold = findAny(textOf(text)).length > 0;
      return mayHold ? edited(text, find(textOf(text)).map(toEdit)) : text;
    },
  };
}

/** Searches each key, string and number separately, because no secret can extend beyond one. */
function redactValues(
  document: JsonDocument,
  find: (text: Text) => readonly Range[],
  short: readonly ShortSecret[],
): Buffer {
  const { json } = document;
  const edits: Edit[] = [];
  for (let place: Place | undefined = ROOT; place !== undefined; place = document.after(place)) {
    const [from, to] = [document.start(place), document.end(place)];
    const keyStart = document.memberStart(place);
    const isKeyed = keyStart >= 0;
    if (isKeyed) edits.push(...find(stringAt(json, keyStart, document.keyEnd(place))).map(toEdit));
    if (document.isContainer(place)) continue;
    const isString = document.kind(place) === 'string';
    const text = isString ? stringAt(json, from, to) : textOf(json, from, to);
    const found = find(text);
    const isWhole = isKeyed && short.some((secret) => secret.isMember(document.key(place), text));
    if (isWhole || (!isString && found.length > 0)) edits.push({ from, to, by: QUOTED });
    else edits.push(...found.map(toEdit));
  }
  return edited(json, edits);
}

/** The text of the JSON string between these quotes. */
function stringAt(json: Buffer, from: number, to: number): Text {
  const inner = textOf(json, from + 1, to - 1);
  return decodeOnce(inner, JSON_ESCAPES) ?? inner;
}

const REDACTED = Buffer.from('REDACTED');
const QUOTED = Buffer.from('"REDACTED"');

interface Edit extends Range {
  readonly by: Buffer;
}

const toEdit = (range: Range): Edit => ({ ...range, by: REDACTED });

function edited(source: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return source;
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { from, to, by } of edits) {
    parts.push(source.subarray(copied, from), by);
    copied = to;
  }
  return Buffer.concat([...parts, source.subarray(copied)]);
}

type ShortSecret = ReturnType<typeof createShortSecret>;

/** Between a name and its value. */
const SEPARATORS = String.raw`(?=["'\s]*[=:>])["'\s=:>]{1,8}`;

/**
 * A secret that is redacted only where it is the whole value of its parameter or header: in `name=value`, `/value/` and
 * `Bearer value`.
 */
function createShortSecret({ value, name, prefix, in: place }: HiddenSecret) {
  const trimmed = value.trim();
  const sent = prefix === 'Basic ' ? Buffer.from(trimmed).toString('base64') : trimmed;
  const values = [...new Set([trimmed, sent])];
  const either = values.map((each) => pattern(each, /[+ ]/, () => '[+ ]')).join('|');
  const scheme = anyCase(prefix);
  const before = [
    `${anyCase(name)}${SEPARATORS}(?:${scheme})?`,
    ...(scheme === '' ? [] : [scheme]),
    ...(place === 'path' ? ['/'] : []),
  ].join('|');
  const named = new RegExp(`(?<=${before})(?:${either})(?![\\w\\x80-\\xff])`, 'g');
  const whole = new RegExp(`^(?:${scheme})?(?:${either})$`);
  return {
    /** The value, and what is sent of it. */
    values,
    find: (text: Text): Range[] =>
      [...decodingsOf(text)].flatMap((decoded) =>
        [...latin1Of(decoded).matchAll(named)].map(({ index, 0: found }) => ({
          from: placeOf(decoded, decoded.from + index),
          to: placeOf(decoded, decoded.from + index + found.length),
        })),
      ),
    /** Whether the text, the value of a member of this name, is the secret. */
    isMember: (member: string, text: Text): boolean =>
      member.toLowerCase() === name.toLowerCase() &&
      decodingsOf(text).some((decoded) => whole.test(latin1Of(decoded))),
  };
}

/** Each byte as a character. */
const latin1Of = ({ bytes, from, to }: Text): string => bytes.toString('latin1', from, to);

const anyCase = (text: string): string =>
  pattern(text, /[a-z]/i, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

/** A regular expression for the bytes of a text; `write` writes the special ones. */
const pattern = (text: string, special: RegExp, write: (byte: string) => string): string =>
  [...Buffer.from(text).toString('latin1')]
    .map((byte) => (special.test(byte) ? write(byte) : RegExp.escape(byte)))
    .join('');
