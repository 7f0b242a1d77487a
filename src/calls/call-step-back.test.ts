import { describe, expect, it } from 'vitest';
import {
  failureOf,
  NOON_MS,
  openCallPipeline,
  type Reply,
  type Respond,
} from '../../test/support/call-pipeline.ts';
import { type ErrorCode, GatewayError } from '../platform/kernel/error.ts';

const SKY = `
x-items: /rows
x-total: /total
x-success: { code: /code, empty: [none] }
paths:
  /days:
    get:
      operationId: sky_days
      x-step-back: 3
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: { value: today-kst, unless: [month] } }
        - { name: until, in: query, schema: { type: string }, x-default: yesterday-kst }
        - { name: month, in: query, schema: { type: string } }
      responses: {}
  /fresh:
    get:
      operationId: sky_fresh_days
      x-cache-ttl: 0
      x-step-back: 1
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: today-kst }
      responses: {}
  /kept:
    get:
      operationId: sky_kept
      x-cache-ttl: 3600
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: today-kst }
      responses: {}
  /steady:
    get:
      operationId: sky_steady
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: today-kst }
      responses: {}
`;

const EMPTY: Reply = { body: { code: '0', rows: [], total: 0 }, tookMs: 10 };
const full = (...rows: number[]): Reply => ({ body: { code: '0', rows }, tookMs: 30 });

/** Responds with the reply for the requested day; a day without one has no rows. */
const byDay =
  (days: Readonly<Record<string, Reply | ErrorCode>>): Respond =>
  ({ path }) => {
    const reply = days[new URL(path, 'https://sky.example').searchParams.get('day') ?? ''];
    if (typeof reply === 'string') throw new GatewayError(reply);
    return reply ?? EMPTY;
  };

const open = async (days: Readonly<Record<string, Reply | ErrorCode>>) => {
  const gateway = await openCallPipeline(SKY, { timeoutMs: 1000 });
  gateway.answer(byDay(days));
  return gateway;
};

const daysOf = (sent: readonly { url: string }[]) =>
  sent.map(({ url }) => new URL(url).searchParams.get('day'));

describe('a call whose latest publication is empty', () => {
  it('returns the latest after the maximum number of steps', async () => {
    const gateway = await open({});
    const { upstream } = await gateway.call('sky_days');
    expect(upstream.url).toContain('day=20261121');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120', '20261119', '20261118']);
  });

  it('is sent again after a minute, however long responses are kept', async () => {
    const gateway = await open({});
    await gateway.call('sky_kept');
    gateway.pass(59_999);
    expect(await gateway.call('sky_kept')).toMatchObject({ cacheStatus: 'HIT' });
    gateway.pass(1);
    expect(await gateway.call('sky_kept')).toMatchObject({ cacheStatus: 'MISS' });
    await gateway.call('sky_kept', { day: '20261101' });
    gateway.pass(3_599_999);
    expect(await gateway.call('sky_kept', { day: '20261101' })).toMatchObject({
      cacheStatus: 'HIT',
    });
  });

  it('leaves one record: of the returned publication, with the duration of all steps', async () => {
    const gateway = await open({ 20261119: full(1) });
    const { auditId, upstream } = await gateway.call('sky_days');
    expect(gateway.records).toMatchObject([
      {
        auditId,
        timestampMs: NOON_MS,
        arguments: {},
        upstream: { status: upstream.status },
        outcome: 'ok',
        cacheStatus: 'MISS',
        upstreamMs: 30,
        durationMs: 50,
      },
    ]);
    expect(gateway.finished).toMatchObject([{ auditId, url: upstream.url }]);
  });

  it('has one deadline for all steps', async () => {
    const gateway = await open({ 20261119: full(1) });
    await gateway.call('sky_days');
    expect(gateway.sent.map(({ remainingMs }) => remainingMs)).toEqual([1000, 990, 980]);
  });

  it('computes every step from its start time', async () => {
    const gateway = await open({});
    gateway.answer(() => {
      // Midnight passes.
      gateway.pass(12 * 3_600_000);
      return EMPTY;
    });
    await gateway.call('sky_fresh_days');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120']);
  });

  it('projects the rows of the returned publication', async () => {
    const gateway = await open({ 20261120: full(1, 2, 3) });
    const result = await gateway.call('sky_days', { _limit: 2 });
    expect(result).toMatchObject({
      data: { rows: [1, 2] },
      count: { returned: 2, omitted: 1 },
    });
  });

  it('steps back even if nothing is cached', async () => {
    const gateway = await open({ 20261120: full(1) });
    expect(await gateway.call('sky_fresh_days')).toMatchObject({ cacheStatus: 'BYPASS', rows: 1 });
    expect(gateway.records).toMatchObject([{ cacheStatus: 'BYPASS', upstreamMs: 30 }]);
  });

  it.each<[string, Reply | ErrorCode]>([
    ['has an error status', { status: 404, body: { code: '0' } }],
    ['reports a failure', { body: { code: 'over quota' } }],
    ['cannot be read', { body: '<html></html>', contentType: 'text/html' }],
    ['times out', 'upstream_timeout'],
    ['cannot be reached', 'upstream_unreachable'],
    ['is stopped by the open circuit', 'upstream_circuit_open'],
    ['exceeds the memory budget', 'overloaded'],
  ])('returns the latest when an earlier one %s', async (_, reply) => {
    const gateway = await open({ 20261120: reply, 20261119: full(1) });
    const result = await gateway.call('sky_days');
    expect(result).toMatchObject({ rows: 0, isError: false });
    expect(result.upstream.url).toContain('day=20261121');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120']);
    expect(gateway.records).toMatchObject([{ outcome: 'ok', upstream: { status: 200 } }]);
  });

  it.each<ErrorCode>(['internal', 'cancelled', 'missing_secret'])(
    'fails if an earlier one fails for a reason other than the upstream: %s',
    async (code) => {
      const gateway = await open({ 20261120: code });
      expect(await failureOf(gateway.call('sky_days'))).toMatchObject({ code });
      expect(gateway.records).toMatchObject([{ outcome: 'error', error: { code } }]);
    },
  );
});

describe('a call does not step back', () => {
  it('when its tool may not', async () => {
    const gateway = await open({ 20261120: full(1) });
    expect(await gateway.call('sky_steady')).toMatchObject({ rows: 0 });
    expect(daysOf(gateway.sent)).toEqual(['20261121']);
  });

  it.each<[string, Record<string, unknown>, (string | null)[]]>([
    ['one of its defaults', { until: '20261121' }, ['20261121']],
    ['all of them', { day: '20250101', until: '20250102' }, ['20250101']],
    ['an alternative to one', { month: '202501' }, [null]],
  ])('when its caller gives %s', async (_, args, days) => {
    const gateway = await open({});
    await gateway.call('sky_days', args);
    expect(daysOf(gateway.sent)).toEqual(days);
  });

  it.each<[string, Reply]>([
    ['has an error status', { status: 404, body: { code: '0' } }],
    ['is a refusal', { body: { code: 'bad key' } }],
    ['is a page beyond the end', { body: { code: '0', rows: [], total: 7 } }],
  ])('when the latest %s', async (_, latest) => {
    const gateway = await open({ 20261121: latest, 20261120: full(1) });
    await gateway.call('sky_days');
    expect(daysOf(gateway.sent)).toEqual(['20261121']);
  });
});
