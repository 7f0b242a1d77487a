import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  hang,
  openCallPipeline,
  type Reply,
} from '../../test/support/call-pipeline.ts';
import { Cancellation, type Watcher } from '../platform/kernel/cancellation.ts';
import { PUBLIC_DATA_PAYLOADS } from '../public-data/payload-domain.ts';
import { createPayloadReader } from '../upstreams/payload/read-payload.ts';

const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

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

/** Counts its watchers. */
class CountedCancellation extends Cancellation {
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

const requestsSent = async ({ sent }: CallPipeline, count: number) => {
  while (sent.length < count) await nextTurn();
};

describe('a caller who cancels', () => {
  it('before the call starts: nothing is sent, and the cancellation is recorded', async () => {
    const gateway = await openCallPipeline(SKY);
    const cancellation = new Cancellation();
    cancellation.cancel();
    const { code, auditId } = await failureOf(gateway.call('sky_now', {}, { cancellation }));
    expect(code).toBe('cancelled');
    expect(gateway.sent).toEqual([]);
    expect(gateway.records).toMatchObject([{ auditId, ...CANCELLED }]);
  });

  it.each(['sky_now', 'sky_fresh'])(
    'while the upstream request serves this call alone (%s): the request is cancelled',
    async (tool) => {
      const gateway = await openCallPipeline(SKY);
      gateway.answer(hang);
      const cancellation = new Cancellation();
      const call = failureOf(gateway.call(tool, {}, { cancellation }));
      await requestsSent(gateway, 1);
      expect(gateway.sent[0]?.cancellation?.isCancelled).toBe(false);
      cancellation.cancel();
      expect(gateway.sent[0]?.cancellation?.isCancelled).toBe(true);
      expect((await call).code).toBe('cancelled');
      expect(gateway.records).toMatchObject([CANCELLED]);
      expect(gateway.finished).toMatchObject([{ code: 'cancelled', isError: true }]);
    },
  );

  it('while others wait for the same response: they receive it, and the cancelled call fails at once', async () => {
    const gateway = await openCallPipeline(SKY);
    const reply = Promise.withResolvers<Reply>();
    gateway.answer(() => reply.promise);
    const cancellation = new Cancellation();
    const leaving = failureOf(gateway.call('sky_now', {}, { cancellation }));
    const staying = gateway.call('sky_now');
    await requestsSent(gateway, 1);
    cancellation.cancel();
    expect((await leaving).code).toBe('cancelled');
    expect(gateway.records).toMatchObject([CANCELLED]);
    expect(gateway.sent[0]?.cancellation?.isCancelled).toBe(false);
    reply.resolve({ body: { rows: [1] }, tookMs: 40 });
    expect(await staying).toMatchObject({ cacheStatus: 'COALESCED', rows: 1 });
    expect(gateway.records[1]).toMatchObject({ cacheStatus: 'COALESCED', upstreamMs: null });
    expect(gateway.sent).toHaveLength(1);
  });

  it('and so do all others: the request is cancelled, and a later call sends a new one', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(hang);
    const cancellations = [new Cancellation(), new Cancellation()];
    const calls = cancellations.map((cancellation) =>
      failureOf(gateway.call('sky_now', {}, { cancellation })),
    );
    await requestsSent(gateway, 1);
    for (const cancellation of cancellations) cancellation.cancel();
    expect(gateway.sent[0]?.cancellation?.isCancelled).toBe(true);
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled']);
    gateway.answer({ body: { rows: [1] } });
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS' });
    expect(gateway.records).toMatchObject([CANCELLED, CANCELLED, { outcome: 'ok' }]);
  });

  it('while the response is read: the call fails at once', async () => {
    const reading = Promise.withResolvers<void>();
    const gateway = await openCallPipeline(SKY, {
      normalise: async (input) => {
        cancellation.cancel();
        await reading.promise;
        return readPayload(input);
      },
    });
    const cancellation = new Cancellation();
    expect((await failureOf(gateway.call('sky_now', {}, { cancellation }))).code).toBe('cancelled');
    expect(gateway.records).toMatchObject([{ ...CANCELLED, upstream: { status: 200 } }]);
    reading.resolve();
    await nextTurn();
    expect(gateway.records).toHaveLength(1);
    expect(gateway.usedBytes()).toBe(0);
  });

  it('while an earlier publication is requested: the call fails instead of returning the empty latest one', async () => {
    const gateway = await openCallPipeline(SKY);
    const cancellation = new Cancellation();
    gateway.answer((...request) => {
      if (gateway.sent.length < 2) return { body: { rows: [] } };
      cancellation.cancel();
      return hang(...request);
    });
    expect((await failureOf(gateway.call('sky_days', {}, { cancellation }))).code).toBe(
      'cancelled',
    );
    expect(gateway.sent).toHaveLength(2);
    expect(gateway.records).toMatchObject([CANCELLED]);
  });

  it('while the record is written: the outcome stands', async () => {
    const cancellation = new Cancellation();
    const gateway = await openCallPipeline(SKY, { commit: () => cancellation.cancel() });
    expect(await gateway.call('sky_now', {}, { cancellation })).toMatchObject({ isError: false });
    expect(gateway.records).toMatchObject([{ outcome: 'ok' }]);
  });

  it('is served from the cache without a check of the cancellation', async () => {
    const gateway = await openCallPipeline(SKY);
    await gateway.call('sky_now');
    const cancellation = new Cancellation();
    cancellation.cancel();
    expect(await gateway.call('sky_now', {}, { cancellation })).toMatchObject({
      cacheStatus: 'HIT',
    });
    expect(gateway.asked.cancellations).toBe(0);
  });
});

describe('a caller who does not cancel', () => {
  it('is watched only until its call ends', async () => {
    const gateway = await openCallPipeline(SKY);
    const cancellations = [new CountedCancellation(), new CountedCancellation()];
    const reply = Promise.withResolvers<Reply>();
    gateway.answer(() => reply.promise);
    const calls = cancellations.map((cancellation) =>
      gateway.call('sky_now', {}, { cancellation }),
    );
    await requestsSent(gateway, 1);
    expect(cancellations.map(({ watching }) => watching)).toEqual([1, 1]);
    reply.resolve({ body: { rows: [1] } });
    await Promise.all(calls);
    expect(cancellations.map(({ watching }) => watching)).toEqual([0, 0]);
  });

  it('passes its own cancellation to an upstream request that serves its call alone', async () => {
    const gateway = await openCallPipeline(SKY);
    const cancellation = new Cancellation();
    await gateway.call('sky_fresh', {}, { cancellation });
    expect(gateway.sent[0]?.cancellation).toBe(cancellation);
  });
});
