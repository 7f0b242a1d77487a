import type { Form } from './secret-forms.ts';

/** A part of a text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Finds every form in the bytes between `from` and `to`, in order. */
export type FindForms = (bytes: Buffer, from: number, to: number) => readonly Range[];

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/** How the bytes of a form are compared: its characters, each with its spellings as bytes. */
interface Needle {
  readonly characters: readonly (readonly Buffer[])[];
  readonly hasTail: boolean;
}

/**
 * Prepares the search of a text, or of the strings and numbers of a JSON text, where no match begins within an escape.
 *
 * Each character takes at least a byte, so that a match is in a run of at least as many bytes as the shortest form has
 * characters, all of which may occur in a form. In most responses, checking every so many bytes finds no such run.
 */
export function createFinder(forms: readonly Form[], isJson: boolean): FindForms {
  const needles = forms.map(({ characters, hasTail }) => ({
    characters: characters.map((each) => each.map((spelling) => Buffer.from(spelling, 'latin1'))),
    hasTail,
  }));
  const shortest = Math.min(...needles.map(({ characters }) => characters.length));
  const inside = insideTable(needles);
  const pairs = pairTable(needles);

  /** Searches a run, and returns where it ends, or the last match in it. */
  function search(bytes: Buffer, from: number, to: number, found: Range[]): number {
    let at = from;
    while (at + shortest <= to) {
      const byte = bytes[at] ?? 0;
      const next = bytes[at + 1] ?? 0;
      const end = pairs[pairOf(byte, next)] === 1 ? longestAt(needles, bytes, at) : at;
      if (end > at) {
        found.push({ from: at, to: end });
        at = end;
      } else if (isJson && byte === BACKSLASH) at += next === SMALL_U ? 6 : 2;
      else at++;
    }
    return Math.max(at, to);
  }

  return (bytes, from, to) => {
    const found: Range[] = [];
    for (let start = from; start + shortest <= to; ) {
      let end = start + shortest - 1;
      while (end >= start && inside[bytes[end] ?? 0] === 1) end--;
      if (end < start) {
        end = start + shortest;
        while (end < to && inside[bytes[end] ?? 0] === 1) end++;
        end = search(bytes.subarray(0, to), start, end, found);
      }
      start = end + 1;
    }
    return found;
  };
}

/** The end of the longest match that starts at `start`; `start` if none does. */
function longestAt(needles: readonly Needle[], bytes: Buffer, start: number): number {
  let longest = start;
  for (const { characters, hasTail } of needles) {
    let end = start;
    for (const spellings of characters) {
      const length = lengthAt(spellings, bytes, end);
      end += length;
      if (length === 0) {
        end = start;
        break;
      }
    }
    longest = Math.max(longest, hasTail && end > start ? tailEnd(bytes, end) : end);
  }
  return longest;
}

/** The length of the first spelling that is at this place; 0 if none is. */
function lengthAt(spellings: readonly Buffer[], bytes: Buffer, at: number): number {
  for (const spelling of spellings) {
    let index = 0;
    while (index < spelling.length && bytes[at + index] === spelling[index]) index++;
    if (index === spelling.length) return index;
  }
  return 0;
}

/** The end of base64 with its last bits and its padding. */
const tailEnd = (bytes: Buffer, end: number): number =>
  end + (/^[\w+/-]?={0,2}/.exec(bytes.toString('latin1', end, end + 3))?.[0].length ?? 0);

/** 1 for every byte that may occur in a match. */
function insideTable(needles: readonly Needle[]): Uint8Array {
  const table = new Uint8Array(256);
  // Otherwise a run of such bytes could begin in the middle of an escape.
  table[BACKSLASH] = 1;
  for (const { characters } of needles) {
    for (const byte of characters.flat().flatMap((spelling) => [...spelling])) table[byte] = 1;
  }
  return table;
}

const pairOf = (first: number, second: number): number => ((first << 5) ^ second) & 0xfff;

/** 1 for every pair of bytes with which a match may begin, by its hash; other pairs may share it. */
function pairTable(needles: readonly Needle[]): Uint8Array {
  const table = new Uint8Array(0x1000);
  for (const { characters } of needles) {
    const [firsts = [], seconds = []] = characters;
    for (const first of firsts) {
      const nexts = first.length > 1 ? [first.subarray(1)] : seconds;
      for (const next of nexts) table[pairOf(first[0] ?? 0, next[0] ?? 0)] = 1;
    }
  }
  return table;
}

/** The ranges in order, those that overlap as one. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const latest = result.at(-1);
    if (latest && from < latest.to) latest.to = Math.max(latest.to, to);
    else result.push({ from, to });
  }
  return result;
}
