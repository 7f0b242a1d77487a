import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  openCallPipeline,
  PORTAL_PRESET,
  PORTAL_SECRETS,
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
const STALE_MS = 600_000;

const good = (n: number): Reply => ({ body: { n }, tookMs: 40 });

/** The members of a record that depend on where the response came from. */
const sourceOf = ({ records }: CallPipeline) => {
  const { cacheStatus, upstreamMs, outcome } = records.at(-1) ?? {};
  return { cacheStatus, upstreamMs, outcome };
};

describe('a cached response', () => {
  it('repeats what the upstream sent, until its time to live ends', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS', data: { n: 1 } });
    expect(sourceOf(gateway)).toEqual({ cacheStatus: 'MISS', upstreamMs: 40, outcome: 'ok' });
    gateway.answer(good(2));
    gateway.pass(TTL_MS - 1);
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'HIT', data: { n: 1 } });
    expect(sourceOf(gateway)).toEqual({ cacheStatus: 'HIT', upstreamMs: null, outcome: 'ok' });
    expect(gateway.sent).toHaveLength(1);
    gateway.pass(1);
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS', data: { n: 2 } });
  });

  it('takes no upstream time, and has the size and the URL of the first response', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    await gateway.call('sky_now');
    await gateway.call('sky_now');
    const [first, second] = gateway.records;
    expect(first).toMatchObject({ durationMs: 40, responseBytes: 7 });
    expect(second).toMatchObject({ durationMs: 0, responseBytes: 7, upstream: first?.upstream });
  });

  it.each([
    ['a default that is given', {}, { n: 7 }],
    ['the order of arguments', { n: 1, unit: 'C' }, { unit: 'C', n: 1 }],
  ])('is the same whatever %s', async (_, first, second) => {
    const gateway = await openCallPipeline(SKY);
    await gateway.call('sky_now', first);
    expect(await gateway.call('sky_now', second)).toMatchObject({ cacheStatus: 'HIT' });
  });

  it('differs for other arguments, and is the same for another tenant', async () => {
    const gateway = await openCallPipeline(SKY);
    await gateway.call('sky_now', { n: 1 });
    expect(await gateway.call('sky_now', { n: 2 })).toMatchObject({ cacheStatus: 'MISS' });
    const caller = { tenantId: 'ten_b' };
    expect(await gateway.call('sky_now', { n: 1 }, { caller })).toMatchObject({
      cacheStatus: 'HIT',
    });
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

describe('a tool that is not cached', () => {
  it('sends a request for every call, even for concurrent ones', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    const both = await Promise.all([gateway.call('sky_fresh'), gateway.call('sky_fresh')]);
    expect(both.map(({ cacheStatus }) => cacheStatus)).toEqual(['BYPASS', 'BYPASS']);
    expect(gateway.sent).toHaveLength(2);
    expect(sourceOf(gateway)).toEqual({ cacheStatus: 'BYPASS', upstreamMs: 40, outcome: 'ok' });
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

  it('are each validated', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(good(1));
    const [bad, fine] = await Promise.all([
      failureOf(gateway.call('sky_now', { n: 'x' })),
      gateway.call('sky_now'),
    ]);
    expect([bad.code, fine.cacheStatus]).toEqual(['invalid_arguments', 'MISS']);
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

  it('is passed on if it reports that the resource does not exist', async () => {
    const gateway = await expired();
    gateway.answer({ status: 404, body: {} });
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS', isError: true });
  });

  it('is reported once the older response is too old', async () => {
    const gateway = await expired();
    gateway.pass(STALE_MS);
    gateway.answer({ status: 500, body: {} });
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'MISS', isError: true });
  });
});

describe('a public-data upstream', () => {
  const says = (resultCode: string): Reply => ({ body: { header: { resultCode } } });

  it.each([
    ['01', 'STALE'],
    ['02', 'STALE'],
    ['04', 'STALE'],
    ['05', 'STALE'],
    ['22', 'STALE'],
    ['23', 'STALE'],
    ['30', 'MISS'],
    ['99', 'MISS'],
  ])('that responds with code %s leads to %s', async (code, cacheStatus) => {
    const gateway = await openCallPipeline(PORTAL_PRESET, { secrets: PORTAL_SECRETS });
    gateway.answer(says('00'));
    expect(await gateway.call('sky_portal')).toMatchObject({ publicData: { code: '00' } });
    gateway.pass(TTL_MS);
    gateway.answer(says(code));
    const told = await gateway.call('sky_portal');
    expect(told.cacheStatus).toBe(cacheStatus);
    expect(told.publicData?.code).toBe(cacheStatus === 'STALE' ? '00' : code);
    expect(gateway.records.at(-1)?.publicData?.code).toBe(told.publicData?.code);
  });
});
