import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteBudget, createByteBudget, type MemoryHold } from './byte-budget.ts';

const LIMIT = 1000;
const TENANTS = ['a', 'b', 'c'];
const BUFFERS = [100, 200, 300].map((length) => Buffer.alloc(length));

/** A hold with what the test knows of it. */
interface Holding {
  readonly tenant: string;
  readonly memory: MemoryHold;
  bytes: number;
  readonly buffers: Set<Buffer>;
}

type Step = (holdings: Holding[], budget: ByteBudget) => void;

const at = (holdings: Holding[], index: number) => holdings[index % holdings.length];

const pick = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...TENANTS).map(
    (tenant): Step =>
      (holdings, budget) =>
        holdings.push({ tenant, memory: budget.open(tenant), bytes: 0, buffers: new Set() }),
  ),
  fc.tuple(pick, fc.nat(600)).map(
    ([index, bytes]): Step =>
      (holdings) => {
        const holding = at(holdings, index);
        if (holding?.memory.take(bytes)) holding.bytes += bytes;
      },
  ),
  fc.tuple(pick, fc.constantFrom(...BUFFERS)).map(
    ([index, buffer]): Step =>
      (holdings) => {
        const holding = at(holdings, index);
        if (holding?.memory.hold(buffer)) holding.buffers.add(buffer);
      },
  ),
  pick.map(
    (index): Step =>
      (holdings) => {
        at(holdings, index)?.memory.close();
        holdings.splice(index % holdings.length, 1);
      },
  ),
);

/** Every taken byte counts once, and every held buffer once. */
function usedBy(holdings: readonly Holding[]): number {
  const buffers = new Set(holdings.flatMap((holding) => [...holding.buffers]));
  const lengths = [...buffers].map((buffer) => buffer.length);
  return [...holdings.map(({ bytes }) => bytes), ...lengths].reduce((sum, n) => sum + n, 0);
}

/** How many bytes a tenant could take now. */
function roomOf(budget: ByteBudget, tenant: string): number {
  for (let bytes = LIMIT; bytes > 0; bytes--) {
    const memory = budget.open(tenant);
    const fits = memory.take(bytes);
    memory.close();
    if (fits) return bytes;
  }
  return 0;
}

describe('a budget of bytes', () => {
  it('counts what the open ones hold, and never exceeds its limit', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createByteBudget(LIMIT);
        const holdings: Holding[] = [];
        for (const take of steps) {
          take(holdings, budget);
          expect(budget.stats().usedBytes).toBe(usedBy(holdings));
          expect(budget.stats().usedBytes).toBeLessThanOrEqual(LIMIT);
          for (const tenant of TENANTS) {
            const taken = holdings.filter((holding) => holding.tenant === tenant);
            expect(taken.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(LIMIT / 2);
          }
        }
        for (const { memory } of holdings) memory.close();
        expect(budget.stats().usedBytes).toBe(0);
        for (const tenant of TENANTS) expect(roomOf(budget, tenant)).toBe(LIMIT / 2);
      }),
    );
  });

  it('counts a buffer once for all that hold it, until the last one closes', () => {
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

  it('charges a shared buffer to its first holder until the last lets go', () => {
    const budget = createByteBudget(LIMIT);
    const shared = Buffer.alloc(400);
    const [first, again, second] = [budget.open('a'), budget.open('a'), budget.open('b')];
    for (const memory of [first, again, second]) memory.hold(shared);
    first.close();
    expect([roomOf(budget, 'a'), roomOf(budget, 'b')]).toEqual([100, 500]);
    again.close();
    expect([roomOf(budget, 'a'), roomOf(budget, 'b')]).toEqual([100, 500]);
    second.close();
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('leaves half to others when one tenant takes all it can', () => {
    const budget = createByteBudget(LIMIT);
    expect(budget.open('greedy').take(LIMIT / 2)).toBe(true);
    expect(budget.open('greedy').take(1)).toBe(false);
    expect(budget.open('other').take(LIMIT / 2)).toBe(true);
    expect(budget.stats().refused).toBe(1);
  });

  it('takes nothing for a closed hold, whose owner no longer exists', () => {
    const budget = createByteBudget(LIMIT);
    const memory = budget.open('a');
    memory.close();
    memory.close();
    expect(memory.take(400)).toBe(true);
    expect(memory.hold(Buffer.alloc(400))).toBe(true);
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('closes a fork separately', () => {
    const budget = createByteBudget(LIMIT);
    const memory = budget.open('a');
    const fork = memory.fork();
    fork.take(100);
    memory.close();
    expect(budget.stats().usedBytes).toBe(100);
    fork.give(40);
    expect(budget.stats().usedBytes).toBe(60);
    fork.close();
    expect(budget.stats().usedBytes).toBe(0);
  });
});
