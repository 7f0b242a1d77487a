import { describe, expect, it } from 'vitest';
import { ratioOf } from './interval.ts';

describe('ratioOf', () => {
  it('is exact for figures that are always in the same proportion', () => {
    const { ratio, low, high } = ratioOf([2, 4, 6, 8], [1, 2, 3, 4]);
    expect([ratio, low, high].map((value) => value.toFixed(9))).toEqual(
      Array(3).fill('2.000000000'),
    );
  });

  it.each([
    { rounds: 5, t: 2.776 },
    { rounds: 12, t: 2.201 },
    { rounds: 31, t: 2.042 },
  ])("has Student's interval for $rounds rounds", ({ rounds, t }) => {
    const logs = Array.from({ length: rounds }, (_, at) => (at - (rounds - 1) / 2) / 10);
    const variance = logs.reduce((total, log) => total + log ** 2, 0) / (rounds - 1);
    const { ratio, high, low } = ratioOf(
      logs.map(Math.exp),
      logs.map(() => 1),
    );
    expect(ratio).toBeCloseTo(1);
    const margin = t * Math.sqrt(variance / rounds);
    expect(Math.log(high) / margin).toBeCloseTo(1, 2);
    expect(Math.log(low) / margin).toBeCloseTo(-1, 2);
  });
});
