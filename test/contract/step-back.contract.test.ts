import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const NOON_IN_SEOUL = Date.parse('2026-11-21T12:00:00+09:00');

/** Rates of a day, up to three publications back, and the ways in which the upstream reports that it has no data. */
const PRESET = `openapi: 3.1.0
info: { title: Daily rates, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-items: /rows
x-total: /total
x-success: { code: /code, empty: [none] }
paths:
  /rates:
    get:
      operationId: fixture_rates
      description: Rates of one day.
      x-step-back: 3
      parameters:
        - { name: day, in: query, description: Day., schema: { type: string }, x-default: { value: exchange-day, unless: [month] } }
        - { name: until, in: query, description: Last day., schema: { type: string }, x-default: today-kst }
        - { name: month, in: query, description: Month., schema: { type: string } }
        - { name: unit, in: query, description: Unit., schema: { type: string, default: KRW } }
      responses: { "200": { description: Rates. } }
`;

const EMPTY = '{"code":"0","rows":[],"total":0}';
const NO_DATA = '{"code":"none"}';
const FULL = '{"code":"0","rows":[{"rate":1}]}';

describe('a tool that may step back', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      presets: { rates: PRESET },
      clock: { now: () => NOON_IN_SEOUL },
      // Long enough for four requests, however slow the machine is.
      env: { UPSTREAM_TIMEOUT_MS: '5000' },
    });
  });
  afterAll(() => gateway.close());

  /** The upstream's response for each day; for any other day, no rows. */
  let responses: Record<string, string>;
  beforeEach(() => {
    responses = {};
    gateway.upstream.seen.length = 0;
    gateway.upstream.answer(({ url }, response) => {
      const day = new URL(url, 'http://upstream').searchParams.get('day') ?? '';
      const body = responses[day] ?? EMPTY;
      response.setHeader('content-type', 'application/json');
      if (body !== 'nothing') response.end(body);
    });
  });
  const daysAsked = () =>
    gateway.upstream.seen.map(({ url }) => new URL(url, 'http://upstream').searchParams.get('day'));

  /** Each call has another unit, and therefore another cache entry. */
  let unit = 0;
  const call = async (args: object = {}) => {
    const { body } = await gateway.call('fixture_rates', { unit: `U${++unit}`, ...args });
    return body.result;
  };
  const records = async () =>
    (await gateway.json('/api/v1/audit?tool=fixture_rates&limit=500')).body.records;

  test('requests only the latest publication while that has data', async () => {
    responses = { 20261120: FULL };
    expect((await call()).data.rows).toEqual([{ rate: 1 }]);
    expect(daysAsked()).toEqual(['20261120']);
  });

  test.each([
    ['no rows', EMPTY],
    ['a code for no data', NO_DATA],
  ])('requests earlier ones after %s, and returns the first that has data', async (_, none) => {
    responses = { 20261120: none, 20261119: none, 20261118: FULL };
    const before = (await records()).length;
    const result = await call();
    expect(result.data.rows).toEqual([{ rate: 1 }]);
    expect(daysAsked()).toEqual(['20261120', '20261119', '20261118']);
    expect(result.upstream.url).toContain('day=20261118');
    expect(result.upstream.url).toContain('until=20261119');

    const after = await records();
    expect(after).toHaveLength(before + 1);
    expect(after[0]).toMatchObject({
      auditId: result.auditId,
      arguments: { unit: `U${unit}` },
      upstream: { url: expect.stringMatching(/[?&]day(&|$)/) },
      asked: { day: '20261118', until: '20261119' },
      outcome: 'ok',
    });
    expect(Object.keys(after[0].arguments)).toEqual(['unit']);
  });

  test('returns the latest when no publication has data, after the maximum number of steps', async () => {
    const result = await call();
    expect(result.data.rows).toEqual([]);
    expect(result.upstream.url).toContain('day=20261120');
    expect(daysAsked()).toEqual(['20261120', '20261119', '20261118', '20261117']);
  });

  test('caches each publication separately', async () => {
    responses = { 20261119: FULL };
    expect((await call({ unit: 'cached' })).cacheStatus).toBe('MISS');
    expect(await call({ unit: 'cached' })).toMatchObject({
      cacheStatus: 'HIT',
      data: { rows: [{ rate: 1 }] },
    });
    expect(daysAsked()).toEqual(['20261120', '20261119']);
    const cached = await call({ unit: 'cached', day: '20261119', until: '20261120' });
    expect(cached.cacheStatus).toBe('HIT');
  });

  test.each([
    ['one of its defaults', { until: '20261121' }, ['20261120']],
    ['all of them', { day: '20250101', until: '20250102' }, ['20250101']],
    ['an alternative to one', { month: '202501' }, [null]],
  ])('never replaces arguments given by the caller: %s', async (_, args, days) => {
    expect((await call(args)).data.rows).toEqual([]);
    expect(daysAsked()).toEqual(days);
  });

  test('does not step back from a page beyond the end', async () => {
    const beyond = '{"code":"0","rows":[],"total":7}';
    responses = { 20261120: beyond, 20261119: FULL };
    expect((await call()).data.rows).toEqual([]);
    expect(daysAsked()).toEqual(['20261120']);
  });

  test('does not step back from a refusal', async () => {
    responses = { 20261120: '{"code":"bad key"}', 20261119: FULL };
    expect((await call()).data).toEqual({ code: 'bad key' });
    expect(daysAsked()).toEqual(['20261120']);
  });

  test.each([
    ['is refused', '{"code":"over quota"}'],
    ['cannot be read', '<html>'],
    ['does not arrive in time', 'nothing'],
  ])('returns the latest when an earlier one %s', async (_, body) => {
    responses = { 20261119: body, 20261118: FULL };
    const result = await call();
    expect(result.data.rows).toEqual([]);
    expect(result.upstream.url).toContain('day=20261120');
    expect(daysAsked()).not.toContain('20261118');
  });
});
