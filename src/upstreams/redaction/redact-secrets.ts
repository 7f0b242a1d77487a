import { JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { HiddenSecret, HiddenSecrets } from '../../tools/tool-connection.ts';
import { createFinder, type FindForms, joined, type Range } from './find-secrets.ts';
import { bareFormsOf, type Form, formsOf, isShortSecret, writtenForms } from './secret-forms.ts';

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
  const long = hidden.flatMap(formsOf);
  const short = hidden.filter(({ value }) => isShortSecret(value)).map(createShortSecret);
  const values = short.flatMap((secret) => secret.values.flatMap(writtenForms));
  const prepare = (forms: readonly Form[], isJson: boolean) => {
    const mayHold = createFinder([...forms, ...values], isJson);
    const findLong = createFinder(forms, isJson);
    const find: FindForms =
      short.length === 0
        ? findLong
        : (bytes, from, to) =>
            joined(
              [findLong, ...short.map((secret) => secret.find)].flatMap((each) =>
                each(bytes, from, to),
              ),
            );
    return { mayHold: (bytes: Buffer) => mayHold(bytes, 0, bytes.length).length > 0, find };
  };
  const inJson = prepare(long, true);
  const inText = prepare([...long, ...hidden.flatMap(bareFormsOf)], false);
  return {
    json: (json) =>
      inJson.mayHold(json) ? redactValues(new JsonDocument(json), inJson.find, short) : json,
    text: (text) =>
      inText.mayHold(text) ? edited(text, inText.find(text, 0, text.length).map(toEdit)) : text,
  };
}

/** Searches each key, string and number separately, because no secret can extend beyond one. */
function redactValues(
  document: JsonDocument,
  find: FindForms,
  short: readonly ShortSecret[],
): Buffer {
  const { json } = document;
  const edits: Edit[] = [];
  for (let place: Place | undefined = ROOT; place !== undefined; place = document.after(place)) {
    const keyStart = document.memberStart(place);
    const isKeyed = keyStart >= 0;
    if (isKeyed) edits.push(...find(json, keyStart + 1, document.keyEnd(place) - 1).map(toEdit));
    if (document.isContainer(place)) continue;
    const quote = document.kind(place) === 'string' ? 1 : 0;
    const [from, to] = [document.start(place), document.end(place)];
    const found = find(json, from + quote, to - quote);
    const isWhole =
      isKeyed &&
      short.some((secret) =>
        secret.isMember(document.key(place), json.subarray(from + quote, to - quote)),
      );
    if (isWhole || (quote === 0 && found.length > 0)) edits.push({ from, to, by: QUOTED });
    else edits.push(...found.map(toEdit));
  }
  return edited(json, edits);
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

/** Any of these characters, escaped or not. */
const oneOf = (characters: string): string =>
  `(?:${[...characters].flatMap(writtenForms).map(patternOf).join('|')})`;

/**
 * A secret that is redacted only where it is the whole value of its parameter or header: in `name=value`, `/value/` and
 * `Bearer value`.
 */
function createShortSecret({ value, name, prefix, in: place }: HiddenSecret) {
  const trimmed = value.trim().toWellFormed();
  const sent = prefix === 'Basic ' ? Buffer.from(trimmed).toString('base64') : trimmed;
  const values = [...new Set([trimmed, sent])];
  const either = values.flatMap(writtenForms).map(patternOf).join('|');
  const scheme = anyCase(prefix);
  const before = [
    `${anyCase(name)}${SEPARATOR}(?:${scheme})?`,
    ...(scheme === '' ? [] : [scheme]),
    ...(place === 'path' ? [String.raw`\\?/`] : []),
  ].join('|');
  const named = new RegExp(`(?<=${before})(?:${either})(?![\\w\\x80-\\xff])`, 'g');
  const whole = new RegExp(`^(?:${scheme})?(?:${either})$`);
  return {
    /** The value, and what is sent of it. */
    values,
    find: (bytes: Buffer, start: number, end: number): Range[] =>
      [...bytes.toString('latin1', start, end).matchAll(named)].map(({ index, 0: found }) => ({
        from: start + index,
        to: start + index + found.length,
      })),
    /** Whether the text, the value of a member of this name, is the secret. */
    isMember: (member: string, text: Buffer): boolean =>
      member.toLowerCase() === name.toLowerCase() && whole.test(text.toString('latin1')),
  };
}

/** A regular expression for a text in letters of either case, with any of its characters escaped. */
const anyCase = (text: string): string =>
  [...text.toLowerCase()].map((letter) => oneOf(letter + letter.toUpperCase())).join('');

/** A regular expression for a form. */
const patternOf = ({ characters }: Form): string =>
  characters.map((spellings) => `(?:${spellings.map(RegExp.escape).join('|')})`).join('');

const QUOTES = `(?:\\\\|${oneOf('"\' \n')}){0,4}`;
/** Between a name and its value, in an address or a text within the text too. */
const SEPARATOR = `${QUOTES}${oneOf('=:>')}${QUOTES}`;
