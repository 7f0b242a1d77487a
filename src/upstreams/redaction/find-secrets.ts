import { percentEncode } from '../../tools/request/percent-encode.ts';
import type { HiddenSecret } from '../../tools/tool-connection.ts';
import {
  decodeOnce,
  decodingsOf,
  JSON_ESCAPES,
  placeOf,
  type Text,
  textOf,
} from './decode-escapes.ts';

/** A shorter value may be part of any word; it is redacted only where it is the whole value of its parameter. */
const MIN_CHARACTERS = 8;

/** Whether the value is too short to be redacted everywhere. */
export const isShortSecret = (value: string): boolean => value.trim().length < MIN_CHARACTERS;

/** One form of a secret. */
interface Needle {
  /** Each byte mapped by `fold`. */
  readonly bytes: Uint8Array;
  /** Maps each byte to the one that represents all bytes equivalent to it. */
  readonly fold: Uint8Array;
  /** Whether the base64 character after it contains its last bits. */
  readonly hasTail: boolean;
}

const foldOf = (from: string, to: string): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    const index = from.indexOf(String.fromCharCode(byte));
    return index < 0 ? byte : to.charCodeAt(index);
  });

/** Forms encode a space as a plus sign, and a form decoder turns a bare plus sign into a space. */
const TEXT = foldOf('+', ' ');
/** Both alphabets of base64 (RFC 4648 sections 4 and 5). */
const BASE64 = foldOf('+ /', '--_');
const HEX = foldOf('ABCDEF', 'abcdef');
/** Percent-encoding: a space may be a plus sign, and the digits are of either case. */
const PERCENT = foldOf('+ABCDEF', ' abcdef');

const needle = (bytes: Buffer, fold: Uint8Array, hasTail = false): Needle => ({
  bytes: bytes.map((byte) => fold[byte] ?? byte),
  fold,
  hasTail,
});

/** The text itself. */
export const textNeedle = (text: string | Buffer): Needle => needle(Buffer.from(text), TEXT);

/** Every form of a secret that is long enough to be redacted everywhere. */
export function needlesOf({ value, prefix }: HiddenSecret): Needle[] {
  const trimmed = value.trim();
  const afterScheme = /^[A-Za-z]+ +(\S+)$/.exec(trimmed)?.[1] ?? '';
  const password = prefix === 'Basic ' ? trimmed.slice(trimmed.indexOf(':') + 1) : '';
  // Its own escapes, such as those of a key configured percent-encoded, are decoded with the text around it.
  const decoded = [...decodingsOf(textOf(Buffer.from(trimmed)))];
  return [
    ...decoded.map(({ bytes, to }) => bytes.subarray(0, to)),
    Buffer.from(afterScheme),
    Buffer.from(password),
  ].flatMap((bytes) => (isShortSecret(bytes.toString()) ? [] : formsOf(bytes)));
}

function formsOf(bytes: Buffer): Needle[] {
  const text = bytes.toString();
  // Headers are sent in Latin-1, which differs from UTF-8 beyond ASCII.
  const isLatin1 = /[\x80-\xff]/.test(text) && !/[\u0100-\uffff]/.test(text);
  const encoded = Buffer.from(percentEncode(text));
  return [
    textNeedle(bytes),
    ...(isLatin1 ? [needle(Buffer.from(text, 'latin1'), TEXT)] : []),
    ...[0, 1, 2].flatMap((before) => [base64Needle(bytes, before), base64Needle(encoded, before)]),
    needle(Buffer.from(bytes.toString('hex')), HEX),
    // Decoding may merge its first letter with a backslash before it.
    needle(encoded, PERCENT),
    needle(Buffer.from(encoded.toString().replaceAll('%20', '+')), PERCENT),
  ];
}

/**
 * The base64 characters that these bytes produce after so many others. Without those that also depend on neighbouring
 * bytes.
 */
function base64Needle(secret: Buffer, before: number): Needle {
  const bytes = Buffer.concat([Buffer.alloc(before), secret]);
  const bits = bytes.length * 8;
  const whole = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  return needle(Buffer.from(whole), BASE64, bits % 6 !== 0);
}

/** A place in the source. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Finds the needles in a text and in what it decodes to, in order. The escapes of JSON around it are decoded first. */
export type FindNeedles = (text: Text, isJson?: boolean) => readonly Range[];

/** Prepares the search. No needle may be empty. */
export function createNeedleFinder(needles: readonly Needle[]): FindNeedles {
  const shortest = Math.min(...needles.map(({ bytes }) => bytes.length));
  const inside = insideTable(needles);
  const pairs = pairTable(needles);
  const hasBackslash = needles.some(({ bytes }) => bytes.includes(0x5c));

  function search(text: Text, from: number, to: number, found: Range[]): void {
    const { bytes } = text;
    let byte = bytes[from] ?? 0;
    for (let start = from; start + shortest <= to; start++) {
      const next = bytes[start + 1] ?? 0;
      const mayStart = pairs[((byte << 5) ^ next) & 0xfff] === 1;
      const end = mayStart ? longestAt(needles, bytes, start, to) : start;
      byte = next;
      if (end > start) found.push({ from: placeOf(text, start), to: placeOf(text, end) });
    }
  }

  /**
   * Each character of a secret takes at least one byte, so that a match is in a run of at least as many bytes as the
   * shortest needle has, all of which may occur in a needle. In most responses, checking every so many bytes finds
   * no such run.
   */
  return (text, isJson = false) => {
    const { bytes, to } = text;
    const found: Range[] = [];
    for (let start = text.from; start + shortest <= to; ) {
      let end = start + shortest - 1;
      while (end >= start && inside[bytes[end] ?? 0] !== 0) end--;
      if (end < start) {
        end = start;
        let hasEscape = false;
        for (; end < to && inside[bytes[end] ?? 0] !== 0; end++) {
          hasEscape ||= inside[bytes[end] ?? 0] === 2;
        }
        if (hasEscape) {
          const run = { ...text, from: start, to: end };
          const first = (isJson && decodeOnce(run, JSON_ESCAPES)) || run;
          for (const each of decodingsOf(first, hasBackslash)) {
            search(each, each.from, each.to, found);
          }
        } else search(text, start, end, found);
      }
      start = end + 1;
    }
    return joined(found);
  };
}

/** The end of the longest needle that starts at `start`; `start` if none does. */
function longestAt(needles: readonly Needle[], bytes: Buffer, start: number, to: number): number {
  let longest = start;
  for (const { bytes: wanted, fold, hasTail } of needles) {
    let index = 0;
    while (index < wanted.length && fold[bytes[start + index] ?? 0] === wanted[index]) index++;
    const end = start + index;
    if (index < wanted.length || end > to) continue;
    longest = Math.max(longest, hasTail ? Math.min(tailEnd(bytes, end), to) : end);
  }
  return longest;
}

/** The end of base64 with its last bits and its padding. */
const tailEnd = (bytes: Buffer, end: number): number =>
  end + (/^[\w+/-]?={0,2}/.exec(bytes.toString('latin1', end, end + 3))?.[0].length ?? 0);

/** The ranges in order, those that overlap as one. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  if (ranges.length < 2) return ranges;
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const latest = result.at(-1);
    if (latest && from < latest.to) latest.to = Math.max(latest.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** The bytes that `fold` maps to this one; all bytes for undefined. */
const equalTo = (byte: number | undefined, fold: Uint8Array): number[] =>
  [...fold.keys()].filter((each) => byte === undefined || fold[each] === byte);

/** Not 0 for every byte that may occur in a needle, escaped or not; 2 for those that start escapes. */
function insideTable(needles: readonly Needle[]): Uint8Array {
  const isOfEscape = (byte: number): boolean => /[\da-z\\%&#;=]/i.test(String.fromCharCode(byte));
  const table = Uint8Array.from({ length: 256 }, (_, byte) => Number(isOfEscape(byte)));
  for (const { bytes, fold } of needles) {
    for (const byte of new Set(bytes)) for (const each of equalTo(byte, fold)) table[each] = 1;
  }
  for (const byte of Buffer.from('\\%&')) table[byte] = 2;
  return table;
}

/** 1 for every pair of bytes with which a needle may start, indexed by their hash; other pairs may share it. */
function pairTable(needles: readonly Needle[]): Uint8Array {
  const table = new Uint8Array(0x1000);
  for (const { bytes, fold } of needles) {
    const seconds = equalTo(bytes[1], fold);
    for (const first of equalTo(bytes[0], fold)) {
      for (const second of seconds) table[((first << 5) ^ second) & 0xfff] = 1;
    }
  }
  return table;
}
