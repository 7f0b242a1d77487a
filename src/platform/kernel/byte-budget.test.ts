import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteBudget, type Lease } from './byte-budget.ts';

const LIMIT = 1000;
const TENANTS = ['a', 'b', 'c'];
const BUFFERS = [100, 200, 300].map((length) => Buffer.alloc(length));

type Step = (leases: Lease[], open: (tenant: string) => Lease) => void;

const pick = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...TENANTS).map(
    (tenant): Step =>
      (leases, open) =>
        leases.push(open(tenant)),
  ),
  fc.tuple(pick, fc.nat(600)).map(
    ([index, bytes]): Step =>
      (leases) =>
        leases[index % leases.length]?.take(bytes),
  ),
  fc.tuple(pick, fc.constantFrom(...BUFFERS)).map(
    ([index, buffer]): Step =>
      (leases) =>
        leases[index % leases.length]?.hold(buffer),
  ),
  pick.map(
    (index): Step =>
      (leases) =>
        leases[index % leases.length]?.close(),
  ),
);

describe('a budget of bytes', () => {
  it('is never exceeded, and is whole again when all leases are closed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createByteBudget(LIMIT);
        const leases: Lease[] = [];
        for (const take of steps) {
          take(leases, budget.open);
          const used = TENANTS.map(budget.usedBy);
          expect(budget.stats().usedBytes).toBe(used.reduce((sum, bytes) => sum + bytes, 0));
          expect(budget.stats().usedBytes).toBeLessThanOrEqual(LIMIT);
        }
        for (const lease of leases) lease.close();
        expect(budget.stats().usedBytes).toBe(0);
      }),
    );
  });

  it('counts a buffer once for all who hold it, until the last lets go', () => {
    const budget = createByteBudget(LIMIT);
    const shared = Buffer.alloc(400);
    const readers = Array.from({ length: 61 }, (_, n) => budget.open(`reader ${n}`));
    expect(readers.every((reader) => reader.hold(shared))).toBe(true);
    expect(budget.stats().usedBytes).toBe(400);
    for (const reader of readers.slice(1)) reader.close();
    expect(budget.stats().usedBytes).toBe(400);
    readers[0]?.close();
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('charges a shared buffer to one of those who still hold it', () => {
    const budget = createByteBudget(LIMIT);
    const shared = Buffer.alloc(400);
    const [first, again, second] = [budget.open('a'), budget.open('a'), budget.open('b')];
    for (const lease of [first, again, second]) lease.hold(shared);
    first.close();
    expect([budget.usedBy('a'), budget.usedBy('b')]).toEqual([400, 0]);
    again.close();
    expect([budget.usedBy('a'), budget.usedBy('b')]).toEqual([0, 400]);
    second.close();
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('leaves the other half to others when one tenant takes all it can', () => {
    const budget = createByteBudget(LIMIT);
    expect(budget.open('greedy').take(LIMIT / 2)).toBe(true);
    expect(budget.open('greedy').take(1)).toBe(false);
    expect(budget.open('other').take(LIMIT / 2)).toBe(true);
    expect(budget.stats().refused).toBe(1);
  });

  it('takes nothing for a lease that is closed: whoever had it has gone', () => {
    const budget = createByteBudget(LIMIT);
    const lease = budget.open('a');
    lease.close();
    lease.close();
    expect(lease.take(400)).toBe(true);
    expect(lease.hold(Buffer.alloc(400))).toBe(true);
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('gives a fork an end of its own', () => {
    const budget = createByteBudget(LIMIT);
    const lease = budget.open('a');
    const fork = lease.fork();
    fork.take(100);
    lease.close();
    expect(budget.usedBy('a')).toBe(100);
    fork.give(40);
    expect(budget.usedBy('a')).toBe(60);
    fork.close();
    expect(budget.usedBy('a')).toBe(0);
  });
});
