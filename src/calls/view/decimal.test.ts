import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  compareDecimals,
  type Decimal,
  decimalJson,
  decimalOf,
  decimalOfDouble,
  decimalText,
  doubleOf,
  meanOf,
  ZERO,
} from './decimal.ts';
import { MedianValues } from './median.ts';

const read = (text: string): Decimal => {
  const decimal = decimalOf(text);
  if (!decimal) throw new Error(`${text} is not read as a number.`);
  return decimal;
};

/** Numbers with up to 40 digits, of which up to 12 are after the point. */
const decimals = fc.record({
  digits: fc.oneof(
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    fc.bigInt({ min: -99_999n, max: 99_999n }),
  ),
  scale: fc.integer({ min: 0, max: 12 }),
});
const lists = fc.array(decimals, { minLength: 1, maxLength: 30 });

describe('a written number', () => {
  it.each([
    ['82,500', '82500'],
    [' 1,234,567.50 ', '1234567.5'],
    ['-0.50', '-0.5'],
    ['+7', '7'],
    ['−12', '-12'],
    ['.5', '0.5'],
    ['007', '7'],
    ['1.5e3', '1500'],
    ['25E-2', '0.25'],
    ['-0', '0'],
    ['12345678901234567890.123', '12345678901234567890.123'],
  ])('%j is %s', (text, number) => {
    expect(decimalText(read(text))).toBe(number);
  });

  it.each([
    '',
    ' ',
    '-',
    '.',
    '1,5',
    '1,2345',
    ',123',
    '12,34,567',
    '1e999',
    '0x10',
    '12건',
    'NaN',
    '1 000',
    '9'.repeat(101),
  ])('%j is not one', (text) => {
    expect(decimalOf(text)).toBeNull();
  });

  it('is read again from its text', () => {
    fc.assert(
      fc.property(decimals, (number) => {
        expect(compareDecimals(read(decimalText(number)), number)).toBe(0);
      }),
    );
  });

  it('is a number of JSON as long as a double keeps its digits, else a text', () => {
    expect(decimalJson(read('0.123456789012345'))).toBe('0.123456789012345');
    expect(decimalJson(read('1234567890123456'))).toBe('"1234567890123456"');
    expect(decimalJson(read('1e30'))).toBe(`1${'0'.repeat(30)}`);
    fc.assert(
      fc.property(decimals, (number) => {
        const value: unknown = JSON.parse(decimalJson(number));
        expect(compareDecimals(read(String(value)), number)).toBe(0);
      }),
    );
  });

  it('is kept in a double only if all of its digits are', () => {
    fc.assert(
      fc.property(decimals, (number) => {
        const double = doubleOf(number);
        if (double === undefined)
          return number.digits > 10n ** 14n || number.digits < -(10n ** 14n);
        return compareDecimals(decimalOfDouble(double), number) === 0;
      }),
    );
  });
});

describe('sums and means', () => {
  it('are exact, whatever the order', () => {
    fc.assert(
      fc.property(lists, fc.infiniteStream(fc.nat()), (numbers, random) => {
        const expected = numbers.reduce(
          (sum, { digits, scale }) => sum + digits * 10n ** BigInt(12 - scale),
          0n,
        );
        const shuffled = numbers
          .map((number) => [random.next().value ?? 0, number] as const)
          .sort(([a], [b]) => a - b)
          .map(([, number]) => number);
        for (const list of [numbers, shuffled]) {
          expect(compareDecimals(list.reduce(add, ZERO), { digits: expected, scale: 12 })).toBe(0);
        }
      }),
    );
  });

  it.each([
    [['1', '2'], '1.5'],
    [['1', '1', '2'], '1.3333333333'],
    [['0', '0', '2'], '0.6666666667'],
    [['0', '0', '-2'], '-0.6666666667'],
    [['0.00000000001', '0'], '0.00000000001'],
    [['82,500', '82,500'], '82500'],
    [['460091', '460091', '460092'], '460091.333333333'],
    [['-99999.99999999999', '0', '0'], '-33333.3333333333'],
    [['2000000000000001', '2000000000000002'], '2000000000000002'],
  ])('of %j is %s', (texts, mean) => {
    expect(decimalText(meanOf(texts.map(read).reduce(add), texts.length))).toBe(mean);
  });

  it('differ from the rational mean by at most half of the last digit', () => {
    fc.assert(
      fc.property(lists, (numbers) => {
        const sum = numbers.reduce(add, ZERO);
        const { digits, scale } = meanOf(sum, numbers.length);
        const [up, down] = [scale, sum.scale].map(
          (other) => 10n ** BigInt(Math.max(scale, sum.scale) - other),
        );
        const count = BigInt(numbers.length);
        const difference = 2n * (digits * count * (up ?? 1n) - sum.digits * (down ?? 1n));
        const most = count * (up ?? 1n);
        expect(difference <= most && difference >= -most).toBe(true);
        const isNumber = typeof JSON.parse(decimalJson({ digits, scale })) === 'number';
        expect(isNumber || scale === 0).toBe(true);
      }),
    );
  });
});

describe('a median', () => {
  const medianOf = (numbers: readonly Decimal[]) => {
    const values = new MedianValues();
    for (const number of numbers) values.add(number);
    return values.median();
  };

  it('is the exact middle, or the exact mean of the middle two, of short and long numbers', () => {
    const near = fc.constantFrom(
      '9007199254740993',
      '9007199254740992',
      '9007199254740992.5',
      '900719925474099',
      '0.1',
      '0.10000000000000001',
      '1e15',
      '999999999999999',
    );
    const some = fc.array(fc.oneof(decimals, near.map(read)), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(some, (numbers) => {
        const sorted = numbers.toSorted(compareDecimals);
        const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2)];
        const twice = add(sorted[low] ?? ZERO, sorted[high] ?? ZERO);
        const median = medianOf(numbers) ?? ZERO;
        expect(compareDecimals(add(median, median), twice)).toBe(0);
      }),
    );
  });

  it('is null without numbers', () => {
    expect(medianOf([])).toBeNull();
  });
});
