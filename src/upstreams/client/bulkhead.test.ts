import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../platform/kernel/deadline.ts';
import { Departure } from '../../platform/kernel/departure.ts';
import { type Bulkhead, createBulkhead } from './bulkhead.ts';
import { Interruption } from './interruption.ts';
import { createLanes, type Lane } from './lanes.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A bulkhead and its tenants at a time that the test sets. */
function setUp(limit: number, maxWaitingTenants?: number) {
  let now = 1_000_000;
  const lanes = createLanes();
  const bulkhead = createBulkhead(limit, () => now, maxWaitingTenants);
  const order: string[] = [];

  /** Begins a call, which enters at once or waits. */
  function call(tenant: string) {
    const lane = lanes.of(tenant, now);
    const departure = new Departure();
    const interruption = new Interruption(Deadline.in(60_000), departure);
    const visit = { lane, isInside: false, code: '', leave: () => departure.leave() };
    const enter = (): void => {
      visit.isInside = true;
      order.push(tenant);
    };
    const refuse = (error: { code: string }): void => {
      visit.code = error.code;
    };
    if (bulkhead.tryEnter(lane)) {
      enter();
      interruption.end();
    } else {
      void bulkhead
        .enterLater(lane, interruption)
        .then(enter, refuse)
        .finally(() => interruption.end());
    }
    return visit;
  }

  return {
    bulkhead,
    call,
    calls: (tenant: string, count: number) => Array.from({ length: count }, () => call(tenant)),
    order,
    pass: (ms: number) => {
      now += ms;
    },
    held: (tenant: string) => lanes.of(tenant, now).inFlight,
  };
}

async function leaveOne(bulkhead: Bulkhead, lane: Lane): Promise<void> {
  bulkhead.leave(lane);
  await settle();
}

describe('the places of an origin', () => {
  it('may all be taken by a tenant that is alone', () => {
    const { calls, held } = setUp(6);
    calls('a', 10);
    expect(held('a')).toBe(6);
  });

  it('go to the waiting tenants in turn when they become free', async () => {
    const { calls, order, bulkhead } = setUp(4);
    const [first] = calls('a', 10);
    calls('b', 4);
    calls('c', 4);
    order.length = 0;
    for (let i = 0; i < 4; i++) {
      if (first) await leaveOne(bulkhead, first.lane);
    }
    // At the third place the first tenant is below its share again, and has its turn.
    expect(order).toEqual(['b', 'c', 'a', 'b']);
  });

  it('are kept free to a half from one tenant while another was there a moment ago', async () => {
    const { call, calls, held, bulkhead, pass } = setUp(4);
    const visitor = call('b');
    await leaveOne(bulkhead, visitor.lane);
    const busy = calls('a', 4);
    expect(held('a')).toBe(2);
    expect(call('b').isInside).toBe(true);
    await leaveOne(bulkhead, visitor.lane);
    pass(10_000);
    if (busy[0]) await leaveOne(bulkhead, busy[0].lane);
    expect(held('a')).toBe(3);
    await settle();
    expect(busy.map(({ isInside }) => isInside)).toEqual([true, true, true, true]);
  });

  it('number one: it is used by whoever comes', () => {
    const { call } = setUp(1);
    expect(call('a').isInside).toBe(true);
    expect(call('b').isInside).toBe(false);
  });
});

describe('the queue of an origin', () => {
  it('has as many places for each tenant as the origin, so that none fills it for another', async () => {
    const { calls, call } = setUp(3);
    const flood = calls('a', 7);
    await settle();
    expect(flood.map(({ code }) => code)).toEqual(['', '', '', '', '', '', 'overloaded']);
    const other = call('b');
    await settle();
    expect(other.code).toBe('');
  });

  it('takes a bounded number of tenants', async () => {
    const { call } = setUp(1, 2);
    const visits = ['a', 'b', 'c', 'd', 'b'].map((tenant) => call(tenant));
    await settle();
    expect(visits.map(({ code }) => code)).toEqual(['', '', '', 'overloaded', 'overloaded']);
  });
});

it('for any arrivals and ends, keeps to the limit and to the shares, and forgets no call that waits', async () => {
  const tenants = ['a', 'b', 'c'];
  const step = fc.record({
    tenant: fc.constantFrom(...tenants),
    kind: fc.constantFrom('begin' as const, 'begin' as const, 'end' as const, 'give up' as const),
    passMs: fc.constantFrom(0, 0, 0, 20_000),
    pick: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.array(step, { maxLength: 80 }),
      async (limit, steps) => {
        const { bulkhead, call, held, pass } = setUp(limit);
        const share = Math.ceil(limit / 2);
        let visits: ReturnType<typeof call>[] = [];
        const end = (visit: ReturnType<typeof call>): void => {
          visits = visits.filter((other) => other !== visit);
          bulkhead.leave(visit.lane);
        };
        for (const { tenant, kind, passMs, pick } of steps) {
          pass(passMs);
          const before = new Map(tenants.map((name) => [name, held(name)]));
          const own = visits.filter(({ lane }) => lane.tenantId === tenant);
          const visit = own[pick % Math.max(1, own.length)];
          if (kind === 'begin') visits.push(call(tenant));
          else if (kind === 'end' && visit?.isInside) end(visit);
          else if (kind === 'give up' && visit && !visit.isInside) visit.leave();
          await settle();
          visits = visits.filter(({ code }) => code === '');

          expect(bulkhead.inFlight()).toBe(visits.filter(({ isInside }) => isInside).length);
          expect(bulkhead.inFlight()).toBeLessThanOrEqual(limit);
          for (const name of tenants) {
            const othersWait = visits.some((v) => v.lane.tenantId !== name && !v.isInside);
            const grew = held(name) > (before.get(name) ?? 0);
            if (grew && othersWait) expect(held(name)).toBeLessThanOrEqual(share);
          }
        }
        for (let guard = 0; visits.length > 0 && guard < 200; guard++) {
          const inside = visits.find(({ isInside }) => isInside);
          if (inside) end(inside);
          await settle();
        }
        expect(visits).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
