import type { HiddenSecrets } from './hidden-secret.ts';
import { NONE } from './match-needle.ts';
import { createSecretFinder, type SecretFinder } from './secret-finder.ts';

const REDACTED = Buffer.from('REDACTED');
const QUOTED = Buffer.from('"REDACTED"');

/** Takes secrets out of texts. What holds none comes back as the very same buffer. */
export interface Redactor {
  /** Valid JSON in UTF-8, which it stays. */
  json(json: Buffer): Buffer;
  /** Any text in UTF-8. */
  text(text: Buffer): Buffer;
}

const KEEP_ALL: Redactor = { json: (json) => json, text: (text) => text };

const prepared = new WeakMap<HiddenSecrets, Redactor>();

/** The redactor for these secrets, prepared once per object. */
export function redactorFor(hidden: HiddenSecrets | undefined): Redactor {
  if (!hidden) return KEEP_ALL;
  const known = prepared.get(hidden);
  if (known) return known;
  const finder = createSecretFinder(hidden);
  const made = finder ? createRedactor(finder) : KEEP_ALL;
  prepared.set(hidden, made);
  return made;
}

const createRedactor = (finder: SecretFinder): Redactor => ({
  json: (json) => (finder.mayHold(json) ? redactTokens(json, finder) : json),
  text(text) {
    if (!finder.mayHold(text)) return text;
    const output = new Output(text);
    redactText(output, text, 0, text.length, finder);
    return output.finish();
  },
});

/** A copy with parts replaced. */
class Output {
  readonly #source: Buffer;
  readonly #parts: Buffer[] = [];
  #copied = 0;

  constructor(source: Buffer) {
    this.#source = source;
  }

  replace(from: number, to: number, by: Buffer): void {
    this.#parts.push(this.#source.subarray(this.#copied, from), by);
    this.#copied = to;
  }

  finish(): Buffer {
    if (this.#parts.length === 0) return this.#source;
    return Buffer.concat([...this.#parts, this.#source.subarray(this.#copied)]);
  }
}

/** Secrets cannot go beyond a string or number, so that each is looked through for itself. */
function redactTokens(json: Buffer, finder: SecretFinder): Buffer {
  const output = new Output(json);
  let key = '';
  for (let at = 0; at < json.length; ) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      const end = stringEnd(json, at);
      if (finder.isMember(key, json, at + 1, end - 1)) output.replace(at, end, QUOTED);
      else redactText(output, json, at + 1, end - 1, finder);
      if (isKey(json, end)) key = String(JSON.parse(json.toString('utf8', at, end)));
      else key = '';
      at = end;
    } else if (PUNCTUATION.has(byte)) {
      if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) key = '';
      at++;
    } else {
      const end = wordEnd(json, at);
      const holds = finder.isMember(key, json, at, end) || finder.find(json, at, end) !== NONE;
      if (holds) output.replace(at, end, QUOTED);
      at = end;
    }
  }
  return output.finish();
}

/** Replaces the secrets of one text; an escape of JSON goes as a whole or stays. */
function redactText(
  output: Output,
  bytes: Buffer,
  from: number,
  limit: number,
  finder: SecretFinder,
): void {
  let at = from;
  for (;;) {
    const found = finder.find(bytes, at, limit);
    if (found === NONE) return;
    const foundEnd = finder.end();
    while (unitEnd(bytes, at) <= found) at = unitEnd(bytes, at);
    const start = at;
    while (at < foundEnd) at = unitEnd(bytes, at);
    at = Math.min(at, limit);
    output.replace(start, at, REDACTED);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;

/** Where the character or the escape of JSON ends that begins at `at`. */
function unitEnd(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH) return at + 1;
  return bytes[at + 1] === 0x75 /* u */ ? at + 6 : at + 2;
}

function stringEnd(json: Buffer, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Blanks, and what stands between values. */
const PUNCTUATION: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r\n,:[]{}'));

function wordEnd(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && !PUNCTUATION.has(json[at])) at++;
  return at;
}

function isKey(json: Buffer, end: number): boolean {
  let at = end;
  while ((json[at] ?? COLON) <= 0x20) at++;
  return json[at] === COLON;
}
