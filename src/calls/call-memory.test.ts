import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  hang,
  openCallPipeline,
  type Respond,
} from '../../test/support/call-pipeline.ts';
import { SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { Cancellation } from '../platform/kernel/cancellation.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { PUBLIC_DATA_PAYLOADS } from '../public-data/payload-domain.ts';
import { createPayloadReader } from '../upstreams/payload/read-payload.ts';

const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

const SKY = `
x-items: /rows
paths:
  /now:
    get:
      operationId: sky_now
      parameters:
        - { name: n, in: query, schema: { type: integer } }
      responses: {}
  /fresh:
    get: { operationId: sky_fresh, x-cache-ttl: 0, responses: {} }
`;

/** Rows whose JSON has exactly this many bytes. */
function rowsOf(bytes: number): string {
  const frame = '{"rows":[{"a":1},""]}';
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
}

const LARGE_BYTES = 40_000;
const large = { body: rowsOf(LARGE_BYTES) };

describe('a small response', () => {
  it('does not use the memory budget, and opens no hold', async () => {
    const gateway = await openCallPipeline(SKY, { memoryBytes: 0 });
    gateway.answer({ body: rowsOf(SMALL_BYTES) });
    expect(await gateway.call('sky_fresh')).toMatchObject({ bytes: SMALL_BYTES });
    expect(gateway.asked.holds).toBe(0);
  });
});

describe('a large response', () => {
  it('is charged to the memory budget while it is read', async () => {
    const used: number[] = [];
    const gateway = await openCallPipeline(SKY, {
      normalise: (input) => {
        used.push(gateway.usedBytes());
        return readPayload(input);
      },
    });
    gateway.answer(large);
    await gateway.call('sky_fresh');
    expect(used).toEqual([LARGE_BYTES]);
  });

  it('is charged to its caller until it has been sent', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(large);
    await gateway.call('sky_fresh');
    expect(gateway.usedBytes()).toBe(LARGE_BYTES);
    gateway.release();
    expect(gateway.usedBytes()).toBe(0);
  });

  it('is charged once, however many calls share the cached bytes', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(large);
    await Promise.all([gateway.call('sky_now'), gateway.call('sky_now')]);
    await gateway.call('sky_now', {}, { caller: { tenantId: 'ten_b' } });
    expect(gateway.usedBytes()).toBe(LARGE_BYTES);
    gateway.release();
    expect(gateway.usedBytes()).toBe(0);
  });

  it('is not charged any longer when the projected rows are small', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(large);
    expect(await gateway.call('sky_now', { _limit: 1 })).toMatchObject({ rows: 1 });
    expect(gateway.usedBytes()).toBe(0);
    expect(gateway.asked.holds).toBe(0);
  });
});

describe('a large response that exceeds the memory budget', () => {
  const rejected = {
    code: 'overloaded',
    details: { retryAfterSeconds: 1 },
    auditId: expect.stringMatching(/^aud_/),
  };

  it('is rejected before it is read, and that is recorded', async () => {
    const gateway = await openCallPipeline(SKY, {
      memoryBytes: 2 * LARGE_BYTES - 1,
      normalise: () => {
        throw new Error('The response must not be read.');
      },
    });
    gateway.answer(large);
    expect(await failureOf(gateway.call('sky_fresh'))).toMatchObject(rejected);
    expect(gateway.records).toMatchObject([{ outcome: 'error', error: { code: 'overloaded' } }]);
    expect(gateway.usedBytes()).toBe(0);
  });

  it('is rejected for a tenant whose share is used up, while others are served', async () => {
    // Enough for two responses of each tenant.
    const gateway = await openCallPipeline(SKY, { memoryBytes: 4 * LARGE_BYTES });
    gateway.answer(large);
    await gateway.call('sky_now', { n: 1 });
    await gateway.call('sky_now', { n: 2 });
    expect(await failureOf(gateway.call('sky_now', { n: 3 }))).toMatchObject(rejected);
    expect(gateway.records.at(-1)).toMatchObject({ outcome: 'error', responseBytes: 0 });
    const caller = { tenantId: 'ten_b' };
    expect(await gateway.call('sky_now', { n: 4 }, { caller })).toMatchObject({ isError: false });
    gateway.release();
    expect(await gateway.call('sky_now', { n: 3 })).toMatchObject({ isError: false });
  });

  it('is rejected even if it is in the cache', async () => {
    const gateway = await openCallPipeline(SKY, { memoryBytes: 2 * LARGE_BYTES });
    gateway.answer(large);
    await gateway.call('sky_now', { n: 1 });
    gateway.release();
    gateway.answer({ body: rowsOf(LARGE_BYTES) });
    await gateway.call('sky_fresh');
    expect(await failureOf(gateway.call('sky_now', { n: 1 }))).toMatchObject(rejected);
  });
});

describe('a call without a response', () => {
  const takesMemory: Respond = (_request, { memory }) => {
    expect(memory.take(LARGE_BYTES)).toBe(true);
    throw new GatewayError('upstream_too_large');
  };

  it.each<[string, Respond]>([
    ['the response is too large', takesMemory],
    ['the response cannot be read', () => ({ body: `<html>${'x'.repeat(LARGE_BYTES)}</html>` })],
  ])('frees its memory when %s', async (_, respond) => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(respond);
    for (const tool of ['sky_now', 'sky_fresh']) await failureOf(gateway.call(tool));
    expect(gateway.usedBytes()).toBe(0);
  });

  it('frees its memory when its caller cancels', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer((request, options) => {
      options.memory.take(LARGE_BYTES);
      cancellation.cancel();
      return hang(request, options);
    });
    const cancellation = new Cancellation();
    await failureOf(gateway.call('sky_fresh', {}, { cancellation }));
    expect(gateway.usedBytes()).toBe(0);
  });

  it('frees its memory when the gateway fails to read the response', async () => {
    const gateway: CallPipeline = await openCallPipeline(SKY, {
      normalise: () => Promise.reject(new Error('The thread has died.')),
    });
    gateway.answer(large);
    expect((await failureOf(gateway.call('sky_fresh'))).code).toBe('internal');
    expect(gateway.usedBytes()).toBe(0);
  });
});
