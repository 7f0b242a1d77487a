import type { CalcFunction } from './aggregation.ts';
import {
  add,
  compareDecimals,
  type Decimal,
  decimalJson,
  decimalOf,
  meanOf,
  ZERO,
} from './decimal.ts';
import { MedianValues } from './median.ts';
import { type Cell, textOf } from './table.ts';

/** What figures may keep in memory. Both throw if it is used up. */
export interface Room {
  takeCharacters(count: number): void;
  takeMedianValues(count: number): void;
}

/** What is wanted of one column. */
export interface WantedFigures {
  /** Figures that only numbers have: sum, mean, median. */
  readonly computed: boolean;
  readonly median: boolean;
  /** Its least or greatest value. */
  readonly range: boolean;
  /** Its first or last value. */
  readonly ends: boolean;
}

export function wantedFigures(functions: readonly CalcFunction[]): WantedFigures {
  const some = (...names: readonly CalcFunction[]) =>
    names.some((name) => functions.includes(name));
  return {
    computed: some('sum', 'mean', 'median'),
    median: some('median'),
    range: some('min', 'max'),
    ends: some('first', 'last'),
  };
}

/** The figures of one column of one group. Values without a text are missing in all of them. */
export class ColumnFigures {
  readonly #wanted: WantedFigures;
  readonly #room: Room;
  #values = 0;
  #numbers = 0;
  #sum = ZERO;
  #ends: readonly [first: Cell, last: Cell] = ['', ''];
  readonly #median: MedianValues | null;
  readonly #numberRange: Range<Decimal> | null;
  readonly #textRange: Range<string> | null;

  constructor(wanted: WantedFigures, room: Room) {
    this.#wanted = wanted;
    this.#room = room;
    this.#median = wanted.median ? new MedianValues() : null;
    this.#numberRange = wanted.range ? new Range(compareDecimals, room) : null;
    this.#textRange = wanted.range ? new Range(compareTexts, room) : null;
  }

  /** Values that are not missing. */
  get values(): number {
    return this.#values;
  }

  /** Values that are numbers, if figures depend on that. */
  get numbers(): number {
    return this.#numbers;
  }

  add(cell: Cell): void {
    const text = textOf(cell).trim();
    if (text === '') return;
    this.#values++;
    if (this.#wanted.ends) this.#addEnd(cell);
    if (!this.#wanted.computed && !this.#wanted.range) return;
    const number = decimalOf(text);
    if (number === null) this.#textRange?.add(text, cell);
    else this.#addNumber(number, cell);
  }

  #addEnd(cell: Cell): void {
    const [first, last] = this.#ends;
    this.#room.takeCharacters(cell.length - last.length);
    this.#ends = [first === '' ? cell : first, cell];
  }

  #addNumber(number: Decimal, cell: Cell): void {
    this.#numbers++;
    this.#sum = add(this.#sum, number);
    this.#numberRange?.add(number, cell);
    if (this.#median) this.#room.takeMedianValues(this.#median.add(number));
  }

  /** A figure as JSON; `''` without values. `isText`: no value of the whole column is a number. */
  cell(name: CalcFunction, isText: boolean): Cell {
    const range = isText ? this.#textRange : this.#numberRange;
    switch (name) {
      case 'count':
        return String(this.#values);
      case 'sum':
        return this.#numbers === 0 ? '' : decimalJson(this.#sum);
      case 'mean':
        return this.#numbers === 0 ? '' : decimalJson(meanOf(this.#sum, this.#numbers));
      case 'median':
        return this.#medianCell();
      case 'min':
        return range?.least?.cell ?? '';
      case 'max':
        return range?.greatest?.cell ?? '';
      case 'first':
        return this.#ends[0];
      case 'last':
        return this.#ends[1];
    }
  }

  #medianCell(): Cell {
    const median = this.#median?.median() ?? null;
    return median === null ? '' : decimalJson(median);
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** A value with the cell in which the source wrote it. */
interface Written<T> {
  readonly value: T;
  readonly cell: Cell;
}

/** The least and the greatest of some values; of equal ones, the first. */
class Range<T> {
  least: Written<T> | null = null;
  greatest: Written<T> | null = null;
  readonly #compare: (a: T, b: T) => number;
  readonly #room: Room;

  constructor(compare: (a: T, b: T) => number, room: Room) {
    this.#compare = compare;
    this.#room = room;
  }

  add(value: T, cell: Cell): void {
    if (this.least === null || this.#compare(value, this.least.value) < 0)
      this.least = this.#replace(this.least, { value, cell });
    if (this.greatest === null || this.#compare(value, this.greatest.value) > 0)
      this.greatest = this.#replace(this.greatest, { value, cell });
  }

  #replace(known: Written<T> | null, written: Written<T>): Written<T> {
    this.#room.takeCharacters(written.cell.length - (known?.cell.length ?? 0));
    return written;
  }
}
