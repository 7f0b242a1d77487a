import fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf, rangeValues } from './range-values.ts';
import { MAX_RANGED, readOver } from './read-over.ts';

it('reads the notations of texts and of objects alike', () => {
  const texts = readOver(['a=1..3', ' b = within: Seoul ']);
  const objects = readOver({ a: { from: 1, to: '3' }, b: { within: 'Seoul' } });
  const valuesOf = ({ entries }: ReturnType<typeof readOver>) =>
    entries.map(({ argument, values }) => [argument, values]);
  expect(valuesOf(texts)).toEqual(valuesOf(objects));
  expect(readOver(['a=x, y']).entries[0]?.values).toEqual({ kind: 'list', values: ['x', 'y'] });
  expect(readOver({ a: ['x', 2] }).entries[0]?.values).toEqual({ kind: 'list', values: ['x', 2] });
  expect(readOver({ a: 5 }).entries[0]?.values).toEqual({ kind: 'list', values: [5] });
});

it('never throws, and has entries or says what is wrong', () => {
  const texts = fc.array(fc.string(), { maxLength: 4 });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), texts), (given) => {
      const { entries, issues } = readOver(given);
      expect(entries.length + issues.length).toBeGreaterThan(0);
      expect(entries.length).toBeLessThanOrEqual(MAX_RANGED);
      for (const { path, message } of issues) {
        expect(path).toMatch(/^\/_over/);
        expect(message).toMatch(/\S.*\.$/s);
      }
    }),
  );
});

it('a range has as many values as steps, in their order, and ends where it should', () => {
  const numbers = fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.nat(500));
  fc.assert(
    fc.property(numbers, ([first, steps]) => {
      const range = rangeValues(`${first}`, `${first + steps}`, false);
      if (typeof range === 'string') throw new Error(range);
      expect(range.count).toBe(steps + 1);
      expect([range.at(0), range.at(steps)]).toEqual([`${first}`, `${first + steps}`]);
    }),
  );
});

it('a range of days is of days that exist, each once', () => {
  const dayText = (day: number, mark: string): string =>
    new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', mark);
  const cases = fc.tuple(fc.integer({ min: -40_000, max: 60_000 }), fc.nat(800));
  fc.assert(
    fc.property(cases, fc.constantFrom('', '-', '.'), ([first, steps], mark) => {
      const range = rangeValues(dayText(first, mark), dayText(first + steps, mark), true);
      if (typeof range === 'string') throw new Error(range);
      expect(range.count).toBe(steps + 1);
      for (const at of [0, steps >> 1, steps]) expect(range.at(at)).toBe(dayText(first + at, mark));
    }),
  );
});

it.each([
  ['202411', '202502', ['202411', '202412', '202501', '202502']],
  ['2024Q4', '2025Q1', ['2024Q4', '2025Q1']],
  ['2024S2', '2025S1', ['2024S2', '2025S1']],
  ['08', '11', ['08', '09', '10', '11']],
  ['-1', '1', ['-1', '0', '1']],
])('from %s to %s', (from, to, values) => {
  const range = rangeValues(from, to, true);
  if (typeof range === 'string') throw new Error(range);
  expect(Array.from({ length: range.count }, (_, at) => range.at(at))).toEqual(values);
});

it('takes digits for a month only where the argument is one', () => {
  expect(rangeValues('202411', '202502', false)).toMatchObject({ count: 92 });
  expect(rangeValues('2024-11', '2025-02', false)).toMatchObject({ count: 4 });
});

it.each([
  [
    '20250101',
    '20250125',
    { step: 'day', max: 10 },
    ['20250101-20250110', '20250111-20250120', '20250121-20250125'],
  ],
  ['202412', '202501', { step: 'day', max: 31 }, ['20241201-20241231', '20250101-20250131']],
  ['2024-02', '2024-02', { step: 'day', max: 366 }, ['2024-02-01-2024-02-29']],
  ['2024', '2024', { step: 'day', max: 200 }, ['20240101-20240718', '20240719-20241231']],
  [
    '20250101',
    '20250103',
    { step: 'day', max: 2, isExclusive: true },
    ['20250101-20250103', '20250103-20250104'],
  ],
  ['202411', '202502', { step: 'month', max: 3 }, ['202411-202501', '202502-202502']],
  ['1990', '2009', { step: 'year', max: 10 }, ['1990-1999', '2000-2009']],
  ['2024Q3', '2025Q2', { step: undefined, max: 2 }, ['2024Q3-2024Q4', '2025Q1-2025Q2']],
] as const)('%s to %s is divided: %j', (from, to, form, expected) => {
  const pieces = piecesOf(from, to, { isExclusive: false, ...form });
  if (typeof pieces === 'string') throw new Error(pieces);
  const found = Array.from({ length: pieces.count }, (_, index) => pieces.at(index));
  expect(found.map((piece) => `${piece.from}-${piece.to}`)).toEqual(expected);
});

it.each([
  ['20250101', '20250102', 'month'],
  ['202501', '202502', 'year'],
  ['20250102', '20250101', 'day'],
  ['202501', '20250101', 'day'],
  ['x', 'y', 'day'],
] as const)('%s to %s is no range of a pair that takes each %s', (from, to, step) => {
  expect(piecesOf(from, to, { step, max: 3, isExclusive: false })).toEqual(expect.any(String));
});
