import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const SERVICE_KEY = 'abc+/def==';

describe('the public-data middleware', () => {
  let gateway: TestGateway;
  let serviceKey = SERVICE_KEY;
  beforeAll(async () => {
    gateway = await startTestGateway({ secrets: () => new Secret(serviceKey) });
  });
  afterAll(() => gateway.close());

  const PLACE = { lat: 37.5665, lon: 126.978 };
  const NOWCAST = 'kma_ultra_short_nowcast';
  /** Every call requests pages of another size, so that no response comes from the cache. */
  let pageSize = 10;
  const nowcast = (args: object = PLACE) =>
    gateway.call(NOWCAST, { numOfRows: ++pageSize, ...args });
  const sandboxRequests = async () => {
    const response = await fetch(`${gateway.sandbox.url}/_sandbox/requests`);
    return ((await response.json()) as { requests: { path: string }[] }).requests;
  };

  test(verifies('publicData.key', 'publicData.00'), async () => {
    const { body } = await nowcast();
    expect(body.result.publicData).toEqual({ code: '00', message: 'OK' });
    const url = new URL(body.result.upstream.url);
    expect(url.searchParams.get('serviceKey')).toBe('REDACTED');
    expect(url.searchParams.get('dataType')).toBe('JSON');
    expect(url.searchParams.get('base_date')).toMatch(/^\d{8}$/);
    expect(body.result.data.response.body.items.item.length).toBeGreaterThan(1);
  });

  test.each([
    ['Seoul City Hall', 37.5665, 126.978, '60', '127'],
    ['Busan City Hall', 35.1796, 129.0756, '98', '76'],
    ['Jeju City Hall', 33.4996, 126.5312, '53', '38'],
    ['the guide’s example', 37.488201, 126.92981, '59', '125'],
    ['the origin', 38, 126, '43', '136'],
  ])(`${verifies('publicData.grid')}: %s`, async (_place, lat, lon, nx, ny) => {
    const { body } = await nowcast({ lat, lon });
    const { searchParams } = new URL(body.result.upstream.url);
    expect([searchParams.get('nx'), searchParams.get('ny')]).toEqual([nx, ny]);
    expect([...searchParams.keys()]).not.toContain('lat');
  });

  test('a grid point and a position of the same point are one', async () => {
    const { body } = await nowcast({ lat: 38, lon: 126, nx: 43, ny: 136 });
    const { searchParams } = new URL(body.result.upstream.url);
    expect([searchParams.get('nx'), searchParams.get('ny')]).toEqual(['43', '136']);
  });

  test('a grid point that contradicts a position is refused, and both are named', async () => {
    const { body } = await nowcast({ ...PLACE, nx: 1, ny: 2 });
    expect(body.error.code).toBe(-32602);
    expect(body.error.data.errors).toMatchObject([
      { path: '/nx', message: expect.stringContaining('contradicts lat and lon') },
      { path: '/ny' },
    ]);
  });

  test.each([
    ['only lat', { lat: 37 }],
    ['only lon', { lon: 127 }],
    ['neither position nor grid point', {}],
    ['only nx', { nx: 60 }],
    ['a point off the grid', { lat: 10, lon: 10 }],
    ['a position that is not a number', { lat: 'north', lon: 127 }],
  ])(`${verifies('contract.grid-faults')}: %s`, async (_title, args) => {
    const { body } = await nowcast(args);
    expect(body.error.code).toBe(-32602);
    expect(body.error.data.errors.length).toBeGreaterThan(0);
  });

  test.each([
    ['far away', { lat: 51.5, lon: -0.12 }],
    ['swapped coordinates', { lat: 126.978, lon: 37.5665 }],
    ['in a corner beyond the grid', { lat: 43.4, lon: 132.8 }],
  ])(
    'a point outside Korea is refused with the allowed range, without an upstream request: %s',
    async (_, args) => {
      const before = await sandboxRequests();
      const { body } = await nowcast(args);
      const { message, path } = body.error.data.errors[0];
      expect([body.error.code, path]).toEqual([-32602, '/lat']);
      expect(message).toMatch(/at least 31\.6 and at most 43\.5|31\.6 to 43\.5 degrees north/);
      expect(await sandboxRequests()).toEqual(before);
    },
  );

  test(verifies('publicData.xml'), async () => {
    const heritage = await gateway.call('khs_heritage_search', { ccbaMnm1: '숭례문' });
    expect(heritage.body.result.upstream.status).toBe(200);
    expect(heritage.body.result.publicData).toBeUndefined();
    const items = heritage.body.result.data.result.item;
    expect(Array.isArray(items)).toBe(true);
    expect(items[0]).toMatchObject({ ccbaMnm1: '서울 숭례문', ccbaAsno: '0000010000000' });
  });

  test.each([
    ['key', '30', 'Unregistered service key', 'publicData.30'],
    ['expired', '31', 'Expired service key', 'publicData.31'],
    ['blocked-ip', '32', 'Unregistered IP', 'publicData.32'],
  ])(
    `${verifies('publicData.30', 'publicData.31', 'publicData.32')}: XML with status 200 for a JSON request, %s`,
    async (fault, code, message) => {
      await gateway.fault(NOWCAST, fault);
      const { body } = await nowcast();
      expect(body.result.upstream.status).toBe(200);
      expect(body.result.publicData).toMatchObject({ code, message, hint: expect.any(String) });
      expect(body.result.data.OpenAPI_ServiceResponse.cmmMsgHeader.returnReasonCode).toBe(code);
      expect(body.result.cacheStatus).toBe('MISS');
    },
  );

  test(`${verifies('publicData.other')}: XML with status 200 for a JSON request, quota`, async () => {
    // No other test calls this operation, to which no request is sent afterwards.
    const FORECAST = 'kma_ultra_short_forecast';
    await gateway.fault(FORECAST, 'quota');
    const { body } = await gateway.call(FORECAST, PLACE);
    expect(body.result.publicData).toMatchObject({
      code: '22',
      message: 'Unknown public-data error (22)',
      hint: expect.any(String),
    });
  });

  test('a refusal is never cached', async () => {
    const args = { ...PLACE, numOfRows: 999 };
    await gateway.fault(NOWCAST, 'key');
    expect((await gateway.call(NOWCAST, args)).body.result.publicData.code).toBe('30');
    const next = await gateway.call(NOWCAST, args);
    expect(next.body.result).toMatchObject({ cacheStatus: 'MISS', publicData: { code: '00' } });
    expect((await gateway.call(NOWCAST, args)).body.result.cacheStatus).toBe('HIT');
  });

  test('an HTML page instead of data is a failure', async () => {
    await gateway.fault(NOWCAST, 'html', 3);
    const { body } = await nowcast();
    expect(body.error).toMatchObject({ code: -32000, data: { reason: 'bad_payload' } });
    await fetch(`${gateway.sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
  });

  test.each(['zero', 'one'])('rows are an array in the same place: %s', async (count) => {
    // Also for each step back.
    await gateway.fault(NOWCAST, count, 20);
    const weather = await nowcast();
    await gateway.fault('tour_search_keyword', count);
    const tour = await gateway.call('tour_search_keyword', { keyword: `경복궁${count}` });
    const expected = count === 'zero' ? 0 : 1;
    for (const { body } of [weather, tour]) {
      expect(body.result.data.response.body.items.item).toHaveLength(expected);
    }
    await fetch(`${gateway.sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
  });

  test('weather that is not published yet is replaced by that of an hour before', async () => {
    const issueOf = (path: string) => {
      const { searchParams } = new URL(path, 'http://upstream');
      const [date, time] = [searchParams.get('base_date'), searchParams.get('base_time')];
      const [, ...parts] = /(....)(..)(..) (..)(..)/.exec(`${date} ${time}`) ?? [];
      const [year, month, day, hour, minute] = parts.map(Number);
      return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute);
    };
    await gateway.fault(NOWCAST, 'zero');
    const { body } = await nowcast();
    expect(body.result.data.response.body.items.item.length).toBeGreaterThan(1);
    const [latest, earlier] = (await sandboxRequests()).slice(-2).map(({ path }) => issueOf(path));
    expect(latest).toBe((earlier ?? 0) + 3_600_000);
    expect(issueOf(body.result.upstream.url)).toBe(earlier);
  });

  test('the flat error JSON of the tourism API is recognised', async () => {
    const missing = await gateway.call('tour_search_keyword', {});
    expect(missing.body.error.code).toBe(-32602);
  });

  test.each([SERVICE_KEY, encodeURIComponent(SERVICE_KEY)])(
    `${verifies('contract.service-key-forms')}: %s`,
    async (form) => {
      serviceKey = form;
      await nowcast({ ...PLACE, numOfRows: 7 });
      serviceKey = SERVICE_KEY;
      const requests = await sandboxRequests();
      expect(requests.at(-1)?.path).toContain('numOfRows=7');
      expect(JSON.stringify(requests)).not.toContain(encodeURIComponent(encodeURIComponent('/')));
    },
  );
});

describe('a gateway without the service key', () => {
  test('responds with missing_secret and the name of the secret', async () => {
    const gateway = await startTestGateway({ secrets: () => undefined });
    try {
      const { body } = await gateway.call('kma_ultra_short_nowcast', {
        lat: 37.5665,
        lon: 126.978,
      });
      expect(body.error).toMatchObject({
        code: -32000,
        message: expect.stringContaining('PUBLIC_DATA_SERVICE_KEY'),
        data: { reason: 'missing_secret', retryable: false },
      });
    } finally {
      await gateway.close();
    }
  });
});
