import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type RawResponse, sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, rpc, toolCall } from '../support/rpc-requests.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { stateless, statelessCall } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

/** An upper bound for every response to an invalid request. */
const SMALL_RESPONSE = 32_768;

describe('bounds of a request', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
  });
  afterAll(() => gateway.close());

  const post = (body: unknown, headers: object = {}, path = '/mcp'): Promise<RawResponse> =>
    sendRaw(gateway.url, {
      path,
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.key, ...headers },
      body,
    });
  const call = (args: string, name = 'fixture_cached', id = '1'): Promise<RawResponse> =>
    post(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
    );
  const columns = (count: number) => Array.from({ length: count }, (_, i) => `column ${i}`);

  describe.each([
    [
      'plain',
      (args: object) => post(toolCall('kma_ultra_short_nowcast', args)),
      ({ json }: RawResponse) => json.error.message as string,
    ],
    [
      'Streamable HTTP',
      (args: object) => post(toolCall('kma_ultra_short_nowcast', args), ACCEPTS_EVENTS),
      ({ json }: RawResponse) => json.result.content[0].text as string,
    ],
    [
      'stateless',
      (args: object) => {
        const { headers, body } = statelessCall('kma_ultra_short_nowcast', args);
        return post(body, headers);
      },
      ({ json }: RawResponse) => json.result.content[0].text as string,
    ],
  ])('of arguments (%s)', (_dialect, send, textOf) => {
    test.each([
      ['201 columns', { _fields: columns(201) }, /at most 200 items/],
      ['2,000 columns', { _fields: columns(2000) }, /at most 1000 items, but has 2000/],
      ['200 unknown columns', { _fields: columns(200) }, /is not a column\. Columns: .*category/],
      [
        '150 unknown arguments',
        Object.fromEntries(columns(150).map((name) => [name, 1])),
        /and at least \d+ more\./,
      ],
      [
        'a name of 500,000 characters',
        { ['x'.repeat(500_000)]: 1 },
        /Unknown argument "x{40}\.\.\."/,
      ],
      ['a string of 500,000 characters', { nx: 'x'.repeat(500_000) }, /x{40}\.\.\."/],
    ])(`${verifies('contract.argument-bounds')}: %s`, async (_title, args, message) => {
      const response = await send({ nx: 60, ny: 127, ...args });
      expect(textOf(response)).toMatch(message);
      expect(response.text.length).toBeLessThan(SMALL_RESPONSE);
    });
  });

  test(`${verifies('contract.argument-bounds')}: the columns are named once`, async () => {
    const { json } = await call(
      JSON.stringify({ nx: 60, ny: 127, _fields: columns(50) }),
      'kma_ultra_short_nowcast',
    );
    expect(json.error.data.errors).toHaveLength(20);
    expect(json.error.message.match(/obsrValue/g)).toHaveLength(1);
  });

  test.each([
    ['350,000 columns', () => ({ _fields: Array.from({ length: 170_000 }, () => '') })],
    ['100,000 arguments', () => Object.fromEntries(columns(50_000).map((name) => [name, 1]))],
  ])(verifies('contract.body-values'), async (_title, args) => {
    const { json } = await post(toolCall('fixture_cached', args()));
    expect(json.error).toMatchObject({ code: -32600, message: expect.stringContaining('20000') });
  });

  describe(verifies('contract.numbers'), () => {
    test('responds on a stream with the id as written, which also cancels', async () => {
      const stream = await openSse(gateway.url, gateway.key);
      await until(() => stream.events.length >= 2);
      const path = (stream.events[1]?.data ?? '').replace('..', '');
      const body = JSON.stringify(toolCall('fixture_cached', { n: 1 }));
      await post(body.replace('"id":1', '"id":9007199254740993'), {}, path);
      const responses = () => stream.events.filter(({ data }) => data.includes('"result"'));
      // The stream also has an event about the call.
      await until(() => responses().length > 0);
      expect(responses()[0]?.data).toContain('"id":9007199254740993,');
      stream.close();
    });
  });

  test(`${verifies('contract.numbers')}: half a character is also refused`, async () => {
    const { json } = await call('{"n":"\\ud800"}');
    expect(json.error.data.errors).toEqual([
      { path: '/n', message: expect.stringContaining('well-formed') },
    ]);
  });

  test.each([ACCEPTS_EVENTS, {}, stateless('tools/list').headers])(
    verifies('mcp.narrow.too-many'),
    async (headers) => {
      const { body } = stateless('tools/list');
      const tools = (count: number) => `/mcp?tools=${columns(count).map((_, i) => `t${i}*`)}`;
      const refused = await post(body, headers, tools(201));
      expect(refused.status).toBe(400);
      expect(refused.json.error.message).toContain('more than 200');
      const listed = await post(body, stateless('tools/list').headers, tools(200));
      expect(listed.json.result.tools).toEqual([]);
    },
  );
});

describe('the rate limit', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '10' } });
  });
  afterAll(() => gateway.close());

  test.each([
    ['plain', {}, rpc('tools/list')],
    ['Streamable HTTP', ACCEPTS_EVENTS, rpc('tools/list')],
    ['stateless', stateless('tools/list').headers, stateless('tools/list').body],
  ])(
    `${verifies('contract.body-charge', 'contract.429')} (%s)`,
    async (_dialect, headers, body) => {
      const { key } = await gateway.createKey('default');
      const send = (bytes: number) =>
        sendRaw(gateway.url, {
          headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
          body: JSON.stringify(body).padEnd(bytes),
        });
      expect((await send(65_536)).status).toBe(200);
      // 1 for the request, 3 for the rest of the body.
      expect((await send(200_000)).headers['ratelimit']).toContain('r=8;');
      expect((await send(100)).headers['ratelimit']).toContain('r=4;');
      const refused = await send(1_000_000);
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      expect(refused.json).toMatchObject({ error: 'Too Many Requests' });
    },
  );
});
