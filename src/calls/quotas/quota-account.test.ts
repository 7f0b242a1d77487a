import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BucketUse, remainderOf, shareOf } from './quota-account.ts';

/** All members are calling now, and have had this much. */
function useOf(limit: number, had: readonly number[]): BucketUse {
  const share = shareOf(limit, had.length);
  return {
    limit,
    granted: had.reduce((sum, each) => sum + each, 0),
    members: had.length,
    held: had.reduce((sum, each) => sum + Math.max(each, share), 0),
  };
}

describe('the share of a tenant', () => {
  it('is an equal part; a tenant that is alone leaves the reserve', () => {
    expect([shareOf(1000, 20), shareOf(1000, 3), shareOf(1000, 1)]).toEqual([50, 333, 950]);
    expect([shareOf(99, 1), shareOf(3, 5)]).toEqual([99, 0]);
  });

  it('is left to it when another has borrowed', () => {
    // One had 400 before the other came.
    const use = useOf(1000, [400, 0]);
    expect(remainderOf(use, 400)).toBe(100);
    expect(remainderOf(use, 0)).toBe(500);
  });

  it('is what it lacks, although the reserve is all that is left', () => {
    const use = { limit: 1000, granted: 960, members: 20, held: 1010 };
    expect(remainderOf(use, 10)).toBe(40);
    expect(remainderOf(use, 50)).toBe(0);
  });

  it('is more while others do not claim theirs', () => {
    // Of two, one has not called for long, and half of the day is over: its claim is 250.
    const use = { limit: 1000, granted: 500, members: 2, held: 750 };
    expect(remainderOf(use, 500)).toBe(200);
  });
});

it('never gives more than the limit, and gives every tenant its share, in whatever order they ask', () => {
  const turns = fc.array(
    fc.record({ tenant: fc.nat(7), wanted: fc.integer({ min: 1, max: 200 }) }),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 8 }),
      turns,
      (limit, tenants, asked) => {
        const had = Array.from({ length: tenants }, () => 0);
        const ask = (tenant: number, wanted: number): number => {
          const before = had[tenant] ?? 0;
          const units = Math.min(wanted, remainderOf(useOf(limit, had), before));
          had[tenant] = before + units;
          return units;
        };
        for (const { tenant, wanted } of asked) ask(tenant % tenants, wanted);
        // Then each asks until nothing is left for it.
        for (const tenant of had.keys()) while (ask(tenant, 1) > 0);
        const sum = had.reduce((total, each) => total + each, 0);
        expect(sum).toBeLessThanOrEqual(limit);
        for (const each of had) expect(each).toBeGreaterThanOrEqual(shareOf(limit, tenants));
      },
    ),
  );
});
