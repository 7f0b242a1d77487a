import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import {
  blockOf,
  changeLimit,
  createQueues,
  enter,
  type Lease,
  newLease,
  newQueue,
  roomAlone,
  roomOf,
  use,
} from './lease.ts';
import { toDecision } from './limit-decision.ts';

describe('a lease', () => {
  it('has blocks that are together at most their part of the limit, however many processes have one', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 200 }), (limit, processes) => {
        const block = blockOf(limit, 0.02, processes);
        expect(block * processes).toBeLessThanOrEqual(limit * 0.02);
        expect(block).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('admits, alone in each process, 1 to 1.3 of what was left', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(1_000_000), (processes, more) => {
        const limit = 4 * processes + more;
        const sum = processes * roomAlone(newLease(limit, 0), processes);
        expect(sum).toBeGreaterThanOrEqual(limit);
        expect(sum).toBeLessThanOrEqual(1.3 * limit);
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('never has more room than the store counted as free, less what it owes', () => {
    const step = fc.oneof(
      fc.record({ points: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ limit: fc.integer({ min: 1, max: 500 }) }),
      fc.record({ block: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const lease: Lease = newLease(300, 0);
        let admitted = 0;
        for (const one of steps) {
          if ('limit' in one) changeLimit(lease, one.limit);
          else if ('points' in one) {
            if (roomOf(lease) < one.points) continue;
            use(lease, one.points);
            admitted += one.points;
          } else {
            const taken = Math.max(0, Math.min(one.block, lease.left));
            enter(lease, taken, lease.left - taken, one.block);
            expect(lease.refillAt).toBeLessThanOrEqual(lease.inHand / 2);
            expect(lease.refillAt === -1).toBe(one.block === 0 || lease.left < 8);
          }
          expect(roomOf(lease)).toBe(lease.limit - admitted);
          expect(lease.inHand).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });
});

describe('the queue of a lease', () => {
  const allowed = (points: number) => toDecision(true, 10, points, 1000);

  it('asks once for all that wait, and decides in their order', async () => {
    let inHand = 0;
    const asked: number[][] = [];
    const order: number[] = [];
    const queues = createQueues<number>({
      ask: async (_first, waiting) => {
        asked.push([...waiting]);
        inHand += waiting.reduce((sum, points) => sum + points, 0);
      },
      decide: (points) => {
        if (inHand < points) return undefined;
        inHand -= points;
        order.push(points);
        return allowed(points);
      },
      decideAlone: allowed,
    });
    const queue = newQueue<number>();
    await Promise.all([1, 2, 3].map((points) => queues.wait(queue, points)));
    expect(asked).toEqual([[1], [2, 3]]);
    expect(order).toEqual([1, 2, 3]);
    expect(queue).toEqual({ waiting: [], isAsking: false });
  });

  it('decides without the store what waits when it cannot be asked', async () => {
    const queues = createQueues<number>({
      ask: () => Promise.reject(new Error('away')),
      decide: () => undefined,
      decideAlone: allowed,
    });
    const queue = newQueue<number>();
    queues.refill(queue, 1);
    expect(await queues.wait(queue, 2)).toMatchObject({ remaining: 2 });
    expect(await queues.wait(queue, 3)).toMatchObject({ remaining: 3 });
    expect(queue).toEqual({ waiting: [], isAsking: false });
  });
});
