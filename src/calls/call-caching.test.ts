import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  openCallPipeline,
  type Reply,
} from '../../test/support/call-pipeline.ts';
import { type ErrorCode, GatewayError } from '../platform/kernel/error.ts';

const SKY = `
x-success: { failure: /error }
paths:
  /now:
    get:
      operationId: sky_now
      parameters:
        - { name: n, in: query, schema: { type: integer, default: 7 } }
        - { name: unit, in: query, schema: { type: string } }
      responses: {}
  /fresh:
    get: { operationId: sky_fresh, x-cache-ttl: 0, responses: {} }
`;

const TTL_MS = 60_000;

const good = (n: number): Reply => ({ body: { n }, tookMs: 40 });

/** The members of a record that depend on where the response came from. */
const sourceOf = ({ records }: CallPipeline) => {
  const { cacheStatus, upstreamMs, outcome } = records.at(-1) ?? {};
  return { cacheStatus, upstreamMs, outcome };
};

describe('a cached response', () => {
  it('takes no upstream time, and has the size and the URL of the first response', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    await gateway.call('sky_now');
    await gateway.call('sky_now');
    const [first, second] = gateway.records;
    expect(first).toMatchObject({ durationMs: 40, responseBytes: 7 });
    expect(second).toMatchObject({ durationMs: 0, responseBytes: 7, upstream: first?.upstream });
  });

  it.each<[string, Reply]>([
    ['of status 301', { status: 301, body: {} }],
    ['of status 404', { status: 404, body: {} }],
    ['of status 500', { status: 500, body: {} }],
    ['that says it failed', { body: { error: 'No such place.' } }],
  ])('is never a response %s', async (_, reply) => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(reply);
    await gateway.call('sky_now');
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS' });
    expect(gateway.sent).toHaveLength(2);
  });
});

describe('identical concurrent calls', () => {
  it('share one request; only the call that sent it has its upstream time', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    const told = await Promise.all([1, 2, 3].map(() => gateway.call('sky_now')));
    expect(told.map(({ cacheStatus }) => cacheStatus)).toEqual(['MISS', 'COALESCED', 'COALESCED']);
    expect(new Set(told.map(({ auditId }) => auditId)).size).toBe(3);
    expect(gateway.sent).toHaveLength(1);
    const times = gateway.records.map(({ cacheStatus, upstreamMs }) => [cacheStatus, upstreamMs]);
    expect(times).toEqual([
      ['MISS', 40],
      ['COALESCED', null],
      ['COALESCED', null],
    ]);
  });

  it('replace a leader that fails, each within its own remaining time', async () => {
    const gateway = await openCallPipeline(SKY, { timeoutMs: 5000 });
    const failing = Promise.withResolvers<Reply>();
    gateway.answer(() => failing.promise);
    const first = failureOf(gateway.call('sky_now'));
    gateway.pass(1000);
    const second = gateway.call('sky_now');
    gateway.pass(500);
    gateway.answer(good(2));
    failing.reject(new GatewayError('upstream_unreachable'));
    expect(await first).toMatchObject({ code: 'upstream_unreachable' });
    expect(await second).toMatchObject({ cacheStatus: 'MISS', data: { n: 2 } });
    expect(gateway.sent.map(({ remainingMs }) => remainingMs)).toEqual([5000, 4500]);
  });
});

describe('a failing upstream', () => {
  const expired = async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    await gateway.call('sky_now');
    gateway.pass(TTL_MS);
    return gateway;
  };

  it.each<[string, Reply]>([
    ['with status 500', { status: 500, body: {}, tookMs: 30 }],
    ['with status 429', { status: 429, body: {}, tookMs: 30 }],
  ])('is replaced by an older response: %s', async (_, reply) => {
    const gateway = await expired();
    gateway.answer(reply);
    expect(await gateway.call('sky_now')).toMatchObject({
      cacheStatus: 'STALE',
      data: { n: 1 },
      isError: false,
      upstream: { status: 200 },
    });
    expect(sourceOf(gateway)).toEqual({ cacheStatus: 'STALE', upstreamMs: 30, outcome: 'ok' });
  });

  it.each<ErrorCode>([
    'upstream_timeout',
    'upstream_unreachable',
    'upstream_circuit_open',
    'upstream_too_large',
    'overloaded',
  ])('is replaced by an older response: %s', async (code) => {
    const gateway = await expired();
    gateway.answer(() => {
      throw new GatewayError(code);
    });
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'STALE', data: { n: 1 } });
    expect(sourceOf(gateway)).toMatchObject({ cacheStatus: 'STALE', outcome: 'ok' });
  });

  it('is replaced by an older response if its own cannot be read', async () => {
    const gateway = await expired();
    gateway.answer({ body: '<html></html>', contentType: 'text/html' });
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'STALE' });
  });
});
