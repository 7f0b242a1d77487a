import { changeCost, EDIT_COST, gapCost } from './letter-costs.ts';

/** A part of packed words. */
interface Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
}

/** The distances of the beginnings of two words; used again for every comparison. Words have at most 64 bytes. */
let beforeLast = new Uint8Array(65);
let last = new Uint8Array(65);
let current = new Uint8Array(65);

/**
 * The cheapest edits and swaps of neighbours that turn one word into another (optimal string alignment), in halves of
 * an edit. Any value above `allowed` means that it is dearer than that.
 */
export function editCost(word: Uint8Array, other: Span, allowed: number): number {
  const { bytes, start, length } = other;
  last[0] = 0;
  for (let column = 1; column <= length; column++) {
    last[column] = (last[column - 1] ?? 0) + gapCost(bytes[start + column - 1] ?? 0);
  }
  for (let row = 1; row <= word.length; row++) {
    const cheapest = fillRow(word, row, other);
    if (cheapest > allowed) return cheapest;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[length] ?? 0;
}

/** Fills `current` with the distances of the first `row` letters, and returns the least of them. */
function fillRow(word: Uint8Array, row: number, { bytes, start, length }: Span): number {
  const letter = word[row - 1] ?? 0;
  const before = row > 1 ? word[row - 2] : -1;
  const gap = gapCost(letter);
  let left = (last[0] ?? 0) + gap;
  let cheapest = left;
  current[0] = left;
  for (let column = 1; column <= length; column++) {
    const against = bytes[start + column - 1] ?? 0;
    let cost = (last[column - 1] ?? 0) + changeCost(letter, against);
    cost = Math.min(cost, (last[column] ?? 0) + gap, left + gapCost(against));
    if (column > 1 && before === against && letter === bytes[start + column - 2]) {
      cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + EDIT_COST);
    }
    current[column] = cost;
    left = cost;
    if (cost < cheapest) cheapest = cost;
  }
  return cheapest;
}
