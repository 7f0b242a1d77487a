import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import { AbortableCall } from './abortable-call.ts';
import { type Bulkhead, createBulkhead, createLanes, type Lane } from './bulkhead.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A bulkhead and its tenants, with a clock that the test sets. */
function setUp(limit: number) {
  let now = 1_000_000;
  const lanes = createLanes();
  const bulkhead = createBulkhead(limit, () => now);
  const order: string[] = [];

  /** Starts a call, which gets a slot at once or waits. */
  function call(tenant: string) {
    const lane = lanes.of(tenant, now);
    const cancellation = new Cancellation();
    const abortable = new AbortableCall(Deadline.in(60_000), cancellation);
    const started = { lane, hasSlot: false, code: '', cancel: () => cancellation.cancel() };
    const enter = (): void => {
      started.hasSlot = true;
      order.push(tenant);
    };
    const refuse = (error: { code: string }): void => {
      started.code = error.code;
    };
    if (bulkhead.tryAcquire(lane)) {
      enter();
      abortable.end();
    } else {
      void bulkhead
        .acquire(lane, abortable)
        .then(enter, refuse)
        .finally(() => abortable.end());
    }
    return started;
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

async function releaseOne(bulkhead: Bulkhead, lane: Lane): Promise<void> {
  bulkhead.release(lane);
  await settle();
}

describe('the slots of an origin', () => {
  it('can all be held by a tenant that is alone', () => {
    const { calls, held } = setUp(6);
    calls('a', 10);
    expect(held('a')).toBe(6);
  });

  it('go to the waiting tenants in turn when they are released', async () => {
    const { calls, order, bulkhead } = setUp(4);
    const [first] = calls('a', 10);
    calls('b', 4);
    calls('c', 4);
    order.length = 0;
    for (let i = 0; i < 4; i++) {
      if (first) await releaseOne(bulkhead, first.lane);
    }
    // With the third slot, the first tenant is below its share again and has its turn.
    expect(order).toEqual(['b', 'c', 'a', 'b']);
  });

  it('are limited to half for one tenant while another used the origin recently', async () => {
    const { call, calls, held, bulkhead, pass } = setUp(4);
    const occasional = call('b');
    await releaseOne(bulkhead, occasional.lane);
    const busy = calls('a', 4);
    expect(held('a')).toBe(2);
    expect(call('b').hasSlot).toBe(true);
    await releaseOne(bulkhead, occasional.lane);
    pass(10_000);
    if (busy[0]) await releaseOne(bulkhead, busy[0].lane);
    expect(held('a')).toBe(3);
    await settle();
    expect(busy.map(({ hasSlot }) => hasSlot)).toEqual([true, true, true, true]);
  });

  it('serve any tenant when the limit is one', () => {
    const { call } = setUp(1);
    expect(call('a').hasSlot).toBe(true);
    expect(call('b').hasSlot).toBe(false);
  });
});

describe('the queue of an origin', () => {
  it('holds as many calls of each tenant as the origin has slots, so that no tenant fills it for another', async () => {
    const { calls, call } = setUp(3);
    const flood = calls('a', 7);
    await settle();
    expect(flood.map(({ code }) => code)).toEqual(['', '', '', '', '', '', 'overloaded']);
    const other = call('b');
    await settle();
    expect(other.code).toBe('');
  });

  it('holds the calls of 100 tenants', async () => {
    const { call } = setUp(1);
    const tenants = Array.from({ length: 102 }, (_, index) => `tenant ${index}`);
    const started = tenants.map((tenant) => call(tenant));
    await settle();
    const codes = started.map(({ code }) => code);
    expect(codes.slice(0, 101)).toEqual(Array(101).fill(''));
    expect(codes[101]).toBe('overloaded');
    const second = call('tenant 1');
    await settle();
    expect(second.code).toBe('overloaded');
  });
});

it('for any sequence of calls, respects the limit and the shares, and serves every waiting call', async () => {
  const tenants = ['a', 'b', 'c'];
  const step = fc.record({
    tenant: fc.constantFrom(...tenants),
    kind: fc.constantFrom('start' as const, 'start' as const, 'end' as const, 'cancel' as const),
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
        let started: ReturnType<typeof call>[] = [];
        const end = (chosen: ReturnType<typeof call>): void => {
          started = started.filter((other) => other !== chosen);
          bulkhead.release(chosen.lane);
        };
        for (const { tenant, kind, passMs, pick } of steps) {
          pass(passMs);
          const before = new Map(tenants.map((name) => [name, held(name)]));
          const own = started.filter(({ lane }) => lane.tenantId === tenant);
          const chosen = own[pick % Math.max(1, own.length)];
          if (kind === 'start') started.push(call(tenant));
          else if (kind === 'end' && chosen?.hasSlot) end(chosen);
          else if (kind === 'cancel' && chosen && !chosen.hasSlot) chosen.cancel();
          await settle();
          started = started.filter(({ code }) => code === '');

          expect(bulkhead.inFlight()).toBe(started.filter(({ hasSlot }) => hasSlot).length);
          expect(bulkhead.inFlight()).toBeLessThanOrEqual(limit);
          for (const name of tenants) {
            const othersWait = started.some((v) => v.lane.tenantId !== name && !v.hasSlot);
            const grew = held(name) > (before.get(name) ?? 0);
            if (grew && othersWait) expect(held(name)).toBeLessThanOrEqual(share);
          }
        }
        for (let round = 0; started.length > 0 && round < 200; round++) {
          const holder = started.find(({ hasSlot }) => hasSlot);
          if (holder) end(holder);
          await settle();
        }
        expect(started).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

it('A tenant has one lane, which records its calls and failures', () => {
  const lanes = createLanes();
  lanes.of('a', 1).circuit.failures = 2;
  expect(lanes.of('a', 2)).toMatchObject({
    tenantId: 'a',
    lastUsedMs: 2,
    circuit: { failures: 2 },
  });
});

it('At 1000 lanes, the 100 idle lanes used least recently are removed', () => {
  const lanes = createLanes();
  for (let i = 0; i < 1000; i++) lanes.of(`tenant ${i}`, i);
  lanes.of('tenant 0', 2000).inFlight = 1;
  lanes.of('tenant 1', 2000);
  expect(lanes.all()).toHaveLength(1000);
  lanes.of('newcomer', 2001);
  const names = lanes.all().map(({ tenantId }) => tenantId);
  expect(names).toHaveLength(901);
  expect(names).toEqual(expect.arrayContaining(['tenant 0', 'tenant 1', 'tenant 102', 'newcomer']));
  expect(names).not.toContain('tenant 2');
  expect(names).not.toContain('tenant 101');
});

it('A lane with a call in flight is never removed', () => {
  const lanes = createLanes();
  for (let i = 0; i < 1000; i++) lanes.of(`busy ${i}`, i).inFlight = 1;
  for (let i = 0; i < 50; i++) lanes.of(`idle ${i}`, 1000 + i);
  expect(lanes.all().filter(({ inFlight }) => inFlight === 1)).toHaveLength(1000);
  expect(lanes.all().length).toBeLessThanOrEqual(1001);
});
