import { describe, expect, test } from 'vitest';
import { barAt, stack, stepAt, timeTicks, valueTicks, wholeSteps } from './chart-data.ts';

const series = (key: string, values: (number | null)[]) =>
  ({ key, label: key, colour: '--chart-1', values }) as const;

test('stacks series, the highest first', () => {
  expect(stack([series('a', [1, null, 3]), series('b', [10, 20, null])])).toEqual([
    [11, 20, 3],
    [1, 0, 3],
  ]);
});

test('stacks nothing', () => {
  expect(stack([])).toEqual([]);
});

test('a point is about the time until the next one; the last is as long as the one before', () => {
  expect([0, 1, 2].map((at) => stepAt([10, 20, 30], at))).toEqual([
    [10, 20],
    [20, 30],
    [30, 40],
  ]);
  expect([stepAt([10], 0), stepAt([10, 20], 5), stepAt([], 0)]).toEqual([null, null, null]);
});

test('a stretch of time ends with the step of its last point', () => {
  expect(wholeSteps([10, 20, 30], 12, 30)).toEqual([12, 40]);
  expect(wholeSteps([10, 20, 30], 5, 14)).toEqual([5, 20]);
  expect(wholeSteps([10], 5, 14)).toEqual([5, 14]);
});

test.each([
  ['values above zero', 2, 17, [0, 5, 10, 15, 20]],
  ['a round highest value', 0, 100, [0, 25, 50, 75, 100, 125]],
  ['few calls', 0, 2, [0, 1, 2, 3]],
  ['fractions', 0, 0.3, [0, 0.1, 0.2, 0.3, 0.4]],
  ['a winter', -7, 3, [-10, -5, 0, 5]],
  ['a cold winter', -20, -5, [-25, -20, -15, -10, -5, 0]],
  ['only zeros', 0, 0, [0, 1]],
  ['no values', null, null, [0, 1]],
])('the axis of %s has round values, the outermost beyond all of them', (_, min, max, ticks) => {
  expect(valueTicks(min, max)).toEqual(ticks);
});

test('the axis of ratios goes from 0 to 100 % whatever the values are', () => {
  expect(valueTicks(0.2, 0.3, 1)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(valueTicks(0, 1, 1)).toEqual([0, 0.25, 0.5, 0.75, 1]);
});

describe('the axis of times', () => {
  const local = (year: number, month: number, day: number, hour = 0, minute = 0) =>
    new Date(year, month, day, hour, minute).getTime();

  test('has round times within two days, midnight among them', () => {
    const { unit, timesMs } = timeTicks(local(2026, 2, 3, 14, 7), local(2026, 2, 4, 14, 7), 8);
    expect(unit).toBe('minute');
    expect(timesMs.map((ms) => new Date(ms).getHours())).toEqual([15, 18, 21, 0, 3, 6, 9, 12]);
  });

  test('has each day at most once beyond two days', () => {
    const { unit, timesMs } = timeTicks(local(2026, 2, 3, 14), local(2026, 2, 6, 14), 15);
    expect(unit).toBe('day');
    expect(timesMs).toEqual([local(2026, 2, 4), local(2026, 2, 5), local(2026, 2, 6)]);
  });

  test('has months beyond a year, and Januaries beyond many', () => {
    const twoYears = timeTicks(local(2024, 4, 15), local(2026, 4, 15), 8);
    expect([twoYears.unit, twoYears.timesMs[0]]).toEqual(['month', local(2024, 8, 1)]);
    const decades = timeTicks(local(1990, 0, 1), local(2026, 0, 1), 8).timesMs;
    expect(decades.map((ms) => new Date(ms).getMonth())).toEqual(decades.map(() => 0));
  });

  test.each([2, 5, 12])('never has more than %i and one', (most) => {
    for (const hours of [0.1, 1, 5, 24, 49, 200, 3000, 20_000, 400_000]) {
      const from = local(2026, 2, 3, 14, 7);
      const { timesMs } = timeTicks(from, from + hours * 3_600_000, most);
      expect(timesMs.length).toBeLessThanOrEqual(most + 1);
    }
  });
});

test('a bar covers the time from its own to the next bar', () => {
  expect([5, 10, 19, 20, 99].map((ms) => barAt([10, 20, 30], ms))).toEqual([null, 0, 0, 1, 2]);
});
