import type { HiddenSecrets } from '../../tools/tool-connection.ts';
import { EscapedText } from './escaped-text.ts';
import { NONE } from './match-needle.ts';
import { createSecretFinder, type SecretFinder } from './secret-finder.ts';

const REDACTED = Buffer.from('REDACTED');
const QUOTED = Buffer.from('"REDACTED"');

/** Removes secrets. Returns the same buffer if it contains none. */
export interface Redactor {
  /** Redacts valid JSON in UTF-8, which stays valid. */
  json(json: Buffer): Buffer;
  /** Redacts any text in UTF-8. */
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
  const redactor = finder ? createRedactor(finder) : KEEP_ALL;
  prepared.set(hidden, redactor);
  return redactor;
}

const createRedactor = (finder: SecretFinder): Redactor => ({
  json: (json) => (finder.mayHold(json) ? redactTokens(json, finder) : json),
  text(text) {
    if (!finder.mayHold(text)) return text;
    const redaction = new Redaction(text, finder);
    redaction.redactText(0, text.length);
    return redaction.finish();
  },
});

/** A copy of one document with its secrets replaced. */
class Redaction {
  readonly #source: Buffer;
  readonly #finder: SecretFinder;
  readonly #text: EscapedText;
  readonly #parts: Buffer[] = [];
  #copied = 0;

  constructor(source: Buffer, finder: SecretFinder) {
    this.#source = source;
    this.#finder = finder;
    this.#text = new EscapedText(source);
  }

  replace(from: number, to: number, by: Buffer): void {
    this.#parts.push(this.#source.subarray(this.#copied, from), by);
    this.#copied = to;
  }

  /** Whether this part, the value of a member of this name, is a short secret. */
  isMember(name: string, from: number, limit: number): boolean {
    this.#text.limit = limit;
    return this.#finder.isMember(name, this.#text, from);
  }

  hasSecret(from: number, limit: number): boolean {
    this.#text.limit = limit;
    return this.#finder.find(this.#text, from) !== NONE;
  }

  /** Replaces the secrets of one text. A JSON escape is replaced as a whole or not at all. */
  redactText(from: number, limit: number): void {
    const source = this.#source;
    this.#text.limit = limit;
    let at = from;
    for (;;) {
      const found = this.#finder.find(this.#text, at);
      if (found === NONE) return;
      const foundEnd = this.#finder.end();
      while (unitEnd(source, at) <= found) at = unitEnd(source, at);
      const start = at;
      while (at < foundEnd) at = unitEnd(source, at);
      at = Math.min(at, limit);
      this.replace(start, at, REDACTED);
    }
  }

  finish(): Buffer {
    if (this.#parts.length === 0) return this.#source;
    return Buffer.concat([...this.#parts, this.#source.subarray(this.#copied)]);
  }
}

/** Searches each string and number separately, because no secret can extend beyond one. */
function redactTokens(json: Buffer, finder: SecretFinder): Buffer {
  const redaction = new Redaction(json, finder);
  let key = '';
  for (let at = 0; at < json.length; ) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      const end = stringEnd(json, at);
      if (redaction.isMember(key, at + 1, end - 1)) redaction.replace(at, end, QUOTED);
      else redaction.redactText(at + 1, end - 1);
      if (isKey(json, end)) key = String(JSON.parse(json.toString('utf8', at, end)));
      else key = '';
      at = end;
    } else if (PUNCTUATION.has(byte)) {
      if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) key = '';
      at++;
    } else {
      const end = wordEnd(json, at);
      const holds = redaction.isMember(key, at, end) || redaction.hasSecret(at, end);
      if (holds) redaction.replace(at, end, QUOTED);
      at = end;
    }
  }
  return redaction.finish();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;

/** The end of the character or JSON escape that starts at `at`. */
function unitEnd(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH) return at + 1;
  return bytes[at + 1] === 0x75 /* u */ ? at + 6 : at + 2;
}

function stringEnd(json: Buffer, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Blanks, and the characters between values. */
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
