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
  /steady:
    get:
      operationId: sky_steady
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: today-kst }
      responses: {}
`;

const EMPTY: Reply = { body: { code: '0', rows: [], total: 0 }, tookMs: 10 };
const full = (...rows: number[]): Reply => ({ body: { code: '0', rows }, tookMs: 30 });

/** Answers each day with what is known of it, and says of every other that it has no rows. */
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

describe('a call whose latest publication holds nothing', () => {
  it('is answered with the first before it that holds something, all defaults one publication back', async () => {
    const gateway = await open({ 20261119: full(1) });
    const told = await gateway.call('sky_days');
    expect(told).toMatchObject({ data: { rows: [1] }, rows: 1, cacheStatus: 'MISS' });
    expect(told.upstream.url).toBe('https://sky.example/days?day=20261119&until=20261118');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120', '20261119']);
  });

  it('leaves one record: of the publication it was answered with, in the time of all', async () => {
    const gateway = await open({ 20261119: full(1) });
    const { auditId, upstream } = await gateway.call('sky_days');
    expect(gateway.records).toMatchObject([
      {
        auditId,
        timestampMs: NOON_MS,
        arguments: {},
        upstream,
        outcome: 'ok',
        cacheStatus: 'MISS',
        upstreamMs: 30,
        durationMs: 50,
      },
    ]);
    expect(gateway.finished).toMatchObject([{ auditId, url: upstream.url }]);
  });

  it('is answered with the latest when no step finds anything', async () => {
    const gateway = await open({});
    const told = await gateway.call('sky_days');
    expect(told).toMatchObject({ rows: 0, isError: false });
    expect(told.upstream.url).toContain('day=20261121');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120', '20261119', '20261118']);
    expect(gateway.records).toMatchObject([{ upstreamMs: 10, durationMs: 40 }]);
  });

  it('goes on where the upstream has a code for no data', async () => {
    const gateway = await open({ 20261121: { body: { code: 'none' } }, 20261120: full(1) });
    expect(await gateway.call('sky_days')).toMatchObject({ rows: 1 });
  });

  it('has one deadline for all steps', async () => {
    const gateway = await open({ 20261119: full(1) });
    await gateway.call('sky_days');
    expect(gateway.sent.map(({ remainingMs }) => remainingMs)).toEqual([1000, 990, 980]);
  });

  it('counts every step from the moment it began', async () => {
    const gateway = await open({});
    gateway.answer(() => {
      // Midnight passes.
      gateway.pass(12 * 3_600_000);
      return EMPTY;
    });
    await gateway.call('sky_fresh_days');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120']);
  });

  it('finds every publication in the cache the next time', async () => {
    const gateway = await open({ 20261119: full(1) });
    await gateway.call('sky_days');
    expect(await gateway.call('sky_days')).toMatchObject({ cacheStatus: 'HIT', rows: 1 });
    expect(gateway.sent).toHaveLength(3);
    expect(gateway.records[1]).toMatchObject({ cacheStatus: 'HIT', upstreamMs: null });
  });

  it('gives the rows that were asked for, of the publication it was answered with', async () => {
    const gateway = await open({ 20261120: full(1, 2, 3) });
    const told = await gateway.call('sky_days', { _limit: 2 });
    expect(told).toMatchObject({ data: { rows: [1, 2] }, shownRows: { returned: 2, omitted: 1 } });
  });

  it('steps back where nothing is cached, too', async () => {
    const gateway = await open({ 20261120: full(1) });
    expect(await gateway.call('sky_fresh_days')).toMatchObject({ cacheStatus: 'BYPASS', rows: 1 });
    expect(gateway.records).toMatchObject([{ cacheStatus: 'BYPASS', upstreamMs: 30 }]);
  });

  it.each<[string, Reply | ErrorCode]>([
    ['is refused', { status: 404, body: { code: '0' } }],
    ['says it failed', { body: { code: 'over quota' } }],
    ['cannot be read', { body: '<html></html>', contentType: 'text/html' }],
    ['does not come in time', 'upstream_timeout'],
    ['cannot be reached', 'upstream_unreachable'],
    ['finds the upstream left alone', 'upstream_circuit_open'],
    ['finds no room', 'overloaded'],
  ])('is answered with the latest when an earlier one %s', async (_, reply) => {
    const gateway = await open({ 20261120: reply, 20261119: full(1) });
    const told = await gateway.call('sky_days');
    expect(told).toMatchObject({ rows: 0, isError: false });
    expect(told.upstream.url).toContain('day=20261121');
    expect(daysOf(gateway.sent)).toEqual(['20261121', '20261120']);
    expect(gateway.records).toMatchObject([{ outcome: 'ok', upstream: told.upstream }]);
  });

  it.each<ErrorCode>(['internal', 'cancelled', 'missing_secret'])(
    'fails where an earlier one fails for no fault of the upstream: %s',
    async (code) => {
      const gateway = await open({ 20261120: code });
      expect(await failureOf(gateway.call('sky_days'))).toMatchObject({ code });
      expect(gateway.records).toMatchObject([{ outcome: 'error', error: { code } }]);
    },
  );
});

describe('a call is answered with what it got, without a step back,', () => {
  it.each<[string, string, Record<string, unknown>, string | null]>([
    ['gave one of the defaults', 'sky_days', { until: '20261121' }, '20261121'],
    ['gave all of them', 'sky_days', { day: '20250101', until: '20250102' }, '20250101'],
    ['gave what stands in for one', 'sky_days', { month: '202501' }, null],
    ['called a tool that may not', 'sky_steady', {}, '20261121'],
  ])('when its caller %s', async (_, tool, args, day) => {
    const gateway = await open({ 20261120: full(1) });
    expect(await gateway.call(tool, args)).toMatchObject({ rows: 0 });
    expect(daysOf(gateway.sent)).toEqual([day]);
  });

  it.each<[string, Reply]>([
    ['is a page beyond the end', { body: { code: '0', rows: [], total: 7 } }],
    ['is a refusal', { status: 404, body: { code: '0' } }],
    ['says it failed', { body: { code: 'bad key' } }],
    ['holds something', full(2)],
  ])('when the latest %s', async (_, latest) => {
    const gateway = await open({ 20261121: latest, 20261120: full(1) });
    await gateway.call('sky_days');
    expect(daysOf(gateway.sent)).toEqual(['20261121']);
  });
});
