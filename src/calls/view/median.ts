import {
  compareDecimals,
  type Decimal,
  decimalOfDouble,
  decimalText,
  doubleOf,
  middleOf,
} from './decimal.ts';

/** What a number that no double keeps takes, in doubles. */
const LONG_VALUE = 16;

/** Numbers of which the median is wanted. Nearly all are kept as doubles, from which they are read without loss. */
export class MedianValues {
  readonly #doubles: number[] = [];
  readonly #longs: Decimal[] = [];

  /** Keeps a number, and returns what it takes, in doubles. */
  add(value: Decimal): number {
    const double = doubleOf(value);
    if (double === undefined) this.#longs.push(value);
    else this.#doubles.push(double);
    return double === undefined ? LONG_VALUE : 1;
  }

  /** The exact median; of an even number of values, the mean of the middle two. Null without values. */
  median(): Decimal | null {
    const count = this.#doubles.length + this.#longs.length;
    if (count === 0) return null;
    const doubles = Float64Array.from(this.#doubles).sort();
    const longs = this.#longs.toSorted(compareDecimals);
    const ranks = longs.map((long, index) => index + countBelow(doubles, long));
    const at = (rank: number): Decimal => {
      const long = longs[ranks.indexOf(rank)];
      const before = ranks.filter((other) => other < rank).length;
      return long ?? decimalOfDouble(doubles[rank - before] ?? 0);
    };
    const upper = at(Math.floor(count / 2));
    return count % 2 === 1 ? upper : middleOf(at(count / 2 - 1), upper);
  }
}

/** How many of the sorted doubles are less than a number. */
function countBelow(doubles: Float64Array, number: Decimal): number {
  const near = Number(decimalText(number));
  let [low, high] = [0, doubles.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const double = doubles[middle] ?? 0;
    // Rounding keeps the order, but may make two numbers equal.
    const isBelow =
      double === near ? compareDecimals(decimalOfDouble(double), number) < 0 : double < near;
    if (isBelow) low = middle + 1;
    else high = middle;
  }
  return low;
}
