import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  hang,
  openCallPipeline,
  type Respond,
} from '../../test/support/call-pipeline.ts';
import { SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { Departure } from '../platform/kernel/departure.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { readPayload } from '../upstreams/payload/read-payload.ts';

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

/** Rows that are so many bytes of JSON. */
function rowsOf(bytes: number): string {
  const frame = '{"rows":[{"a":1},""]}';
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
}

const LARGE_BYTES = 40_000;
const large = { body: rowsOf(LARGE_BYTES) };

describe('a small answer', () => {
  it('takes nothing of the memory budget, and asks for no lease', async () => {
    const gateway = await openCallPipeline(SKY, { memoryBytes: 0 });
    gateway.answer({ body: rowsOf(SMALL_BYTES) });
    expect(await gateway.call('sky_fresh')).toMatchObject({ bytes: SMALL_BYTES });
    expect(gateway.asked.leases).toBe(0);
  });
});

describe('a large answer', () => {
  it('takes its bytes while it is read', async () => {
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

  it('is held for its caller until it has left', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(large);
    await gateway.call('sky_fresh');
    expect(gateway.usedBytes()).toBe(LARGE_BYTES);
    gateway.release();
    expect(gateway.usedBytes()).toBe(0);
  });

  it('counts once, however many read the same from the cache', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(large);
    await Promise.all([gateway.call('sky_now'), gateway.call('sky_now')]);
    await gateway.call('sky_now', {}, { caller: { tenantId: 'ten_b' } });
    expect(gateway.usedBytes()).toBe(LARGE_BYTES);
    gateway.release();
    expect(gateway.usedBytes()).toBe(0);
  });

  it('is held no longer when the rows that were asked for are small', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(large);
    expect(await gateway.call('sky_now', { _limit: 1 })).toMatchObject({ rows: 1 });
    expect(gateway.usedBytes()).toBe(0);
    expect(gateway.asked.leases).toBe(0);
  });
});

describe('a large answer for which there is no room', () => {
  const refused = {
    code: 'overloaded',
    details: { retryAfterSeconds: 1 },
    auditId: expect.stringMatching(/^aud_/),
  };

  it('is refused before it is read, on the record', async () => {
    const gateway = await openCallPipeline(SKY, {
      memoryBytes: 2 * LARGE_BYTES - 1,
      normalise: () => {
        throw new Error('There is no room to read it.');
      },
    });
    gateway.answer(large);
    expect(await failureOf(gateway.call('sky_fresh'))).toMatchObject(refused);
    expect(gateway.records).toMatchObject([{ outcome: 'error', error: { code: 'overloaded' } }]);
    expect(gateway.usedBytes()).toBe(0);
  });

  it('is refused to a tenant whose share is full, and others are served', async () => {
    // Room for two answers of each tenant.
    const gateway = await openCallPipeline(SKY, { memoryBytes: 4 * LARGE_BYTES });
    gateway.answer(large);
    await gateway.call('sky_now', { n: 1 });
    await gateway.call('sky_now', { n: 2 });
    expect(await failureOf(gateway.call('sky_now', { n: 3 }))).toMatchObject(refused);
    expect(gateway.records.at(-1)).toMatchObject({ outcome: 'error', responseBytes: 0 });
    const caller = { tenantId: 'ten_b' };
    expect(await gateway.call('sky_now', { n: 4 }, { caller })).toMatchObject({ isError: false });
    gateway.release();
    expect(await gateway.call('sky_now', { n: 3 })).toMatchObject({ isError: false });
  });

  it('is refused from the cache as well', async () => {
    const gateway = await openCallPipeline(SKY, { memoryBytes: 2 * LARGE_BYTES });
    gateway.answer(large);
    await gateway.call('sky_now', { n: 1 });
    gateway.release();
    gateway.answer({ body: rowsOf(LARGE_BYTES) });
    await gateway.call('sky_fresh');
    expect(await failureOf(gateway.call('sky_now', { n: 1 }))).toMatchObject(refused);
  });
});

describe('a call without an answer', () => {
  const takes: Respond = (_request, { memory }) => {
    expect(memory.take(LARGE_BYTES)).toBe(true);
    throw new GatewayError('upstream_too_large');
  };

  it.each<[string, Respond]>([
    ['the upstream said too much', takes],
    ['what it said cannot be read', () => ({ body: `<html>${'x'.repeat(LARGE_BYTES)}</html>` })],
  ])('keeps no memory when %s', async (_, respond) => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(respond);
    for (const tool of ['sky_now', 'sky_fresh']) await failureOf(gateway.call(tool));
    expect(gateway.usedBytes()).toBe(0);
  });

  it('keeps no memory when its caller left in between', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer((request, options) => {
      options.memory.take(LARGE_BYTES);
      departure.leave();
      return hang(request, options);
    });
    const departure = new Departure();
    await failureOf(gateway.call('sky_fresh', {}, { departure }));
    expect(gateway.usedBytes()).toBe(0);
  });

  it('keeps no memory when reading fails on our side', async () => {
    const gateway: CallPipeline = await openCallPipeline(SKY, {
      normalise: () => Promise.reject(new Error('The thread has died.')),
    });
    gateway.answer(large);
    expect((await failureOf(gateway.call('sky_fresh'))).code).toBe('internal');
    expect(gateway.usedBytes()).toBe(0);
  });
});
