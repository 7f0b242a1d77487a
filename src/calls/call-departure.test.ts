import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  hang,
  openCallPipeline,
  type Reply,
} from '../../test/support/call-pipeline.ts';
import { Departure, type Watcher } from '../platform/kernel/departure.ts';
import { readPayload } from '../upstreams/payload/read-payload.ts';

const SKY = `
x-items: /rows
paths:
  /now:
    get: { operationId: sky_now, responses: {} }
  /fresh:
    get: { operationId: sky_fresh, x-cache-ttl: 0, responses: {} }
  /days:
    get:
      operationId: sky_days
      x-step-back: 3
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: today-kst }
      responses: {}
`;

/** Counts who watches it. */
class CountedDeparture extends Departure {
  watching = 0;

  override watch(watcher: Watcher): void {
    this.watching++;
    super.watch(watcher);
  }

  override unwatch(watcher: Watcher): void {
    this.watching--;
    super.unwatch(watcher);
  }
}

const CANCELLED = { outcome: 'error', error: { code: 'cancelled' }, upstream: { status: null } };

const underWay = async ({ sent }: CallPipeline, count: number) => {
  while (sent.length < count) await nextTurn();
};

describe('a caller who goes away', () => {
  it('before its call begins: nothing is sent, and that is on the record', async () => {
    const gateway = await openCallPipeline(SKY);
    const departure = new Departure();
    departure.leave();
    const { code, auditId } = await failureOf(gateway.call('sky_now', {}, { departure }));
    expect(code).toBe('cancelled');
    expect(gateway.sent).toEqual([]);
    expect(gateway.records).toMatchObject([{ auditId, ...CANCELLED }]);
  });

  it.each(['sky_now', 'sky_fresh'])(
    'while the upstream is asked for it alone (%s): the request is given up',
    async (tool) => {
      const gateway = await openCallPipeline(SKY);
      gateway.answer(hang);
      const departure = new Departure();
      const call = failureOf(gateway.call(tool, {}, { departure }));
      await underWay(gateway, 1);
      expect(gateway.sent[0]?.departure?.hasLeft).toBe(false);
      departure.leave();
      expect(gateway.sent[0]?.departure?.hasLeft).toBe(true);
      expect((await call).code).toBe('cancelled');
      expect(gateway.records).toMatchObject([CANCELLED]);
      expect(gateway.finished).toMatchObject([{ code: 'cancelled', isError: true }]);
    },
  );

  it('while others wait for the same answer: they get it, and who left hears of it at once', async () => {
    const gateway = await openCallPipeline(SKY);
    const reply = Promise.withResolvers<Reply>();
    gateway.answer(() => reply.promise);
    const departure = new Departure();
    const leaving = failureOf(gateway.call('sky_now', {}, { departure }));
    const staying = gateway.call('sky_now');
    await underWay(gateway, 1);
    departure.leave();
    expect((await leaving).code).toBe('cancelled');
    expect(gateway.records).toMatchObject([CANCELLED]);
    expect(gateway.sent[0]?.departure?.hasLeft).toBe(false);
    reply.resolve({ body: { rows: [1] }, tookMs: 40 });
    expect(await staying).toMatchObject({ cacheStatus: 'COALESCED', rows: 1 });
    expect(gateway.records[1]).toMatchObject({ cacheStatus: 'COALESCED', upstreamMs: null });
    expect(gateway.sent).toHaveLength(1);
  });

  it('as all others do: the request is given up, and a later caller begins anew', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(hang);
    const departures = [new Departure(), new Departure()];
    const calls = departures.map((departure) =>
      failureOf(gateway.call('sky_now', {}, { departure })),
    );
    await underWay(gateway, 1);
    for (const departure of departures) departure.leave();
    expect(gateway.sent[0]?.departure?.hasLeft).toBe(true);
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled']);
    gateway.answer({ body: { rows: [1] } });
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS' });
    expect(gateway.records).toMatchObject([CANCELLED, CANCELLED, { outcome: 'ok' }]);
  });

  it('while its answer is read: it hears of it at once', async () => {
    const reading = Promise.withResolvers<void>();
    const gateway = await openCallPipeline(SKY, {
      normalise: async (input) => {
        departure.leave();
        await reading.promise;
        return readPayload(input);
      },
    });
    const departure = new Departure();
    expect((await failureOf(gateway.call('sky_now', {}, { departure }))).code).toBe('cancelled');
    expect(gateway.records).toMatchObject([CANCELLED]);
    reading.resolve();
    await nextTurn();
    expect(gateway.records).toHaveLength(1);
    expect(gateway.usedBytes()).toBe(0);
  });

  it('while an earlier publication is asked for: the latest, which held nothing, is no answer', async () => {
    const gateway = await openCallPipeline(SKY);
    const departure = new Departure();
    gateway.answer((...request) => {
      if (gateway.sent.length < 2) return { body: { rows: [] } };
      departure.leave();
      return hang(...request);
    });
    expect((await failureOf(gateway.call('sky_days', {}, { departure }))).code).toBe('cancelled');
    expect(gateway.sent).toHaveLength(2);
    expect(gateway.records).toMatchObject([CANCELLED]);
  });

  it('while its record is written: the answer stands', async () => {
    const departure = new Departure();
    const gateway = await openCallPipeline(SKY, { commit: () => departure.leave() });
    expect(await gateway.call('sky_now', {}, { departure })).toMatchObject({ isError: false });
    expect(gateway.records).toMatchObject([{ outcome: 'ok' }]);
  });

  it('is not even asked after where the answer is at hand', async () => {
    const gateway = await openCallPipeline(SKY);
    await gateway.call('sky_now');
    const departure = new Departure();
    departure.leave();
    expect(await gateway.call('sky_now', {}, { departure })).toMatchObject({ cacheStatus: 'HIT' });
    expect(gateway.asked.departures).toBe(0);
  });
});

describe('a caller who stays', () => {
  it('is watched until it has its answer, and no longer', async () => {
    const gateway = await openCallPipeline(SKY);
    const departures = [new CountedDeparture(), new CountedDeparture()];
    const reply = Promise.withResolvers<Reply>();
    gateway.answer(() => reply.promise);
    const calls = departures.map((departure) => gateway.call('sky_now', {}, { departure }));
    await underWay(gateway, 1);
    expect(departures.map(({ watching }) => watching)).toEqual([1, 1]);
    reply.resolve({ body: { rows: [1] } });
    await Promise.all(calls);
    expect(departures.map(({ watching }) => watching)).toEqual([0, 0]);
  });

  it('is told of to the upstream that works for it alone', async () => {
    const gateway = await openCallPipeline(SKY);
    const departure = new Departure();
    await gateway.call('sky_fresh', {}, { departure });
    expect(gateway.sent[0]?.departure).toBe(departure);
  });
});
