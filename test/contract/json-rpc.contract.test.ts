import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

describe('JSON-RPC on POST /mcp', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  describe('narrowing tools/list', () => {
    const list = async (params?: unknown) =>
      (await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })).body;
    const names = async (params?: unknown): Promise<string[]> =>
      (await list(params)).result.tools.map(({ name }: { name: string }) => name);

    test(verifies('contract.tool-search'), async () => {
      const found = await list({ query: 'current weather in Seoul' });
      expect(Object.keys(found.result)).toEqual(['tools']);
      expect(found.result.tools[0]).toMatchObject({
        name: 'kma_ultra_short_nowcast',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      });
      const all = await names();
      expect(found.result.tools.length).toBeLessThan(all.length / 2);
      expect((await names({ query: '환율' })).slice(0, 3)).toContain('frankfurter_rates');

      const economy = await names({ category: 'economy' });
      expect(economy).toContain('frankfurter_rates');
      expect(economy).not.toContain('kma_ultra_short_nowcast');
      expect(economy).toEqual(all.filter((name) => economy.includes(name)));
      expect(await names({ category: 'economy', limit: 1 })).toEqual(economy.slice(0, 1));
      expect(await names({ limit: 3 })).toEqual(all.slice(0, 3));
      expect(await names({ query: 'weather', category: 'economy' })).not.toContain(
        'kma_ultra_short_nowcast',
      );
      const ranked = await names({ query: 'weather' });
      expect(await names({ query: 'weather', limit: 2 })).toEqual(ranked.slice(0, 2));
      expect(await names({ query: 'zymurgy' })).toEqual([]);
    });

    test(`${verifies('contract.allow-list')}, also in a search`, async () => {
      const { key } = await gateway.createKey('default', { allowedTools: ['kma_*'] });
      const search = async (params: object) =>
        (await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }, key)).body;
      const found = await search({ query: '환율 exchange rate weather' });
      const tools: { name: string }[] = found.result.tools;
      expect(tools.length).toBeGreaterThan(0);
      expect(tools.every(({ name }) => name.startsWith('kma_'))).toBe(true);
      expect((await search({ category: 'economy' })).error.message).toContain(
        'Available: weather.',
      );
    });

    test.each([
      [{ category: 'finance' }, '/category', /finance.*culture.*economy.*weather/],
      [{ category: 7 }, '/category', /string/],
      [{ query: ['weather'] }, '/query', /string/],
      [{ query: 'x'.repeat(201) }, '/query', /200/],
      [{ limit: 0 }, '/limit', /1 to 500/],
      [{ limit: 501 }, '/limit', /1 to 500/],
      [{ limit: '5' }, '/limit', /integer/],
      [{ limit: 1.5 }, '/limit', /integer/],
      [{ q: 'weather' }, '/q', /category, query, limit/],
      [{ constructor: 1 }, '/constructor', /category, query, limit/],
      [{ 'a/b': 1 }, '/a~1b', /category, query, limit/],
    ])(`${verifies('error.-32602')}: %j`, async (params, path, message) => {
      const { error } = await list(params);
      expect(error.code).toBe(-32602);
      expect(error.message).toMatch(message);
      expect(error.data.errors).toEqual([{ path, message: expect.any(String) }]);
    });
  });

  describe('invalid requests', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    test.each([
      ['not an object', '42', -32600],
      ['a text', '"tools/list"', -32600],
      ['null', 'null', -32600],
      ['no jsonrpc', '{"id":1,"method":"tools/list"}', -32600],
      ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600],
      ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
      ['a method that is not a string', '{"jsonrpc":"2.0","id":1,"method":3}', -32600],
      ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600],
      ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"tools/list"}', -32600],
      ['an empty batch', '[]', -32600],
      ['10,000 levels', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`, -32600],
      [
        'a member named twice',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"frankfurter_rates","arguments":{"base":"USD","base":"EUR"}}}',
        -32600,
      ],
    ])(`${verifies('error.-32600', 'contract.rpc-200')}: %s`, async (_title, body, code) => {
      const response = await gateway.rpc(body);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        jsonrpc: '2.0',
        id:
          body.includes('"id":1,') || body.includes('"id":1}') ? expect.toBeOneOf([1, null]) : null,
        error: { code, message: expect.any(String) },
      });
    });

    test.each(['initialize', 'ping', 'server/discover', 'tools/LIST', '', '__proto__'])(
      `${verifies('error.-32601')}: %s`,
      async (method) => {
        const { status, body } = await gateway.rpc({ jsonrpc: '2.0', id: 'a', method });
        expect(status).toBe(200);
        expect(body).toEqual({
          jsonrpc: '2.0',
          id: 'a',
          error: { code: -32601, message: expect.any(String) },
        });
      },
    );

    test.each([
      ['params is an array', []],
      ['params is a string', 'frankfurter_rates'],
      ['no params', undefined],
      ['no name', {}],
      ['an empty name', { name: '' }],
      ['a name that is a number', { name: 4 }],
      ['an unknown tool', { name: 'no_such_tool' }],
      ['a prototype name', { name: 'constructor' }],
      ['arguments is an array', { name: 'frankfurter_rates', arguments: [] }],
      ['arguments is a string', { name: 'frankfurter_rates', arguments: 'base=USD' }],
    ])(`${verifies('error.-32602', 'rpc.call.name-missing')}: %s`, async (_title, params) => {
      const { status, body } = await gateway.rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params,
      });
      expect(status).toBe(200);
      expect(body.error).toMatchObject({ code: -32602, message: expect.any(String) });
    });

    test.each([
      '{"__proto__":{"n":1}}',
      '{"n":1,"__proto__":{"x":1}}',
      '{"n":1,"constructor":{"prototype":{"x":1}}}',
    ])('prototype members are unknown arguments: %s', async (args) => {
      const { body } = await gateway.rpc(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_cached","arguments":${args}}}`,
      );
      expect(body.error.code).toBe(-32602);
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    });

    test.each(['', '{', '{"jsonrpc":"2.0",}', 'tools/list', '\u0000', '{"a":"\\ud800'])(
      `${verifies('contract.-32700')}: %j`,
      async (body) => {
        const response = await gateway.rpc(body);
        expect(response.status).toBe(400);
        expect(response.body).toEqual({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32700, message: expect.any(String) },
        });
      },
    );

    test(`${verifies('contract.413')}, even while its client is still sending`, async () => {
      const body = JSON.stringify({ filler: 'a'.repeat(6 * 1024 * 1024) });
      // Few at once: the gateway reads the rest of a body for two seconds only.
      for (let round = 0; round < 4; round++) {
        const responses = await Promise.all(Array.from({ length: 3 }, () => gateway.rpc(body)));
        expect(responses.map(({ status }) => status)).toEqual([413, 413, 413]);
      }
    });

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
    ])(`${verifies('contract.415')}: %s`, async (type) => {
      const response = await gateway.json('/mcp', {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
      expect(response.status).toBe(415);
      expect(response.body).toEqual({
        error: 'Unsupported Media Type',
        message: expect.any(String),
      });
    });
  });

  describe('notifications and batches', () => {
    const list = (id?: number) => ({
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      method: 'tools/list',
    });

    test(verifies('contract.notification'), async () => {
      for (const body of [list(), [list(), list()], { jsonrpc: '2.0', method: 'no/such' }]) {
        const response = await gateway.fetch('/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(response.status).toBe(202);
        expect(await response.text()).toBe('');
      }
    });

    test(verifies('contract.batch'), async () => {
      const { status, body } = await gateway.rpc([list(1), 5, list(), { ...list(2), method: 'x' }]);
      expect(status).toBe(200);
      expect(
        body.map((each: { id: unknown; error?: { code: number } }) => [each.id, each.error?.code]),
      ).toEqual([
        [1, undefined],
        [null, -32600],
        [2, -32601],
      ]);
      const many = await gateway.rpc(Array.from({ length: 51 }, (_, id) => list(id)));
      expect(many.body).toMatchObject({ id: null, error: { code: -32600 } });
      const fifty = await gateway.rpc(Array.from({ length: 50 }, (_, id) => list(id)));
      expect(fifty.body).toHaveLength(50);
    });
  });

  describe('upstreams', () => {
    test(verifies('contract.redacted-url'), async () => {
      gateway.upstream.answer((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{}');
      });
      const { body } = await gateway.call('fixture_secret', { part: '가 나' });
      const seen = gateway.upstream.seen.at(-1);
      expect(seen?.url).toBe(`/secret/${encodeURIComponent('가 나')}?token=sandbox%2Bkey%2F%3D%3D`);
      expect(body.result.upstream.url).toBe(
        `${gateway.upstream.url}/secret/${encodeURIComponent('가 나')}?token=REDACTED`,
      );
      expect(JSON.stringify(body)).not.toContain('sandbox');
    });

    test(verifies('contract.coalesced'), async () => {
      let requests = 0;
      gateway.upstream.answer(async (_request, response) => {
        requests++;
        // All calls must arrive meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 2000));
        response.setHeader('content-type', 'application/json').end('{"n":1}');
      });
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => gateway.call('fixture_cached', { n: 77 })),
      );
      const statuses = responses.map(({ body }) => body.result.cacheStatus).sort();
      expect(requests).toBe(1);
      expect(statuses).toEqual(['COALESCED', 'COALESCED', 'COALESCED', 'COALESCED', 'MISS']);
    });

    test(verifies('contract.stale'), async () => {
      gateway.upstream.answer((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{"good":true}');
      });
      expect((await gateway.call('fixture_brief')).body.result.cacheStatus).toBe('MISS');
      gateway.upstream.answer((_request, response) => {
        response.writeHead(500).end('boom');
      });
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const { body } = await gateway.call('fixture_brief');
      expect(body.result).toMatchObject({
        cacheStatus: 'STALE',
        data: { good: true },
        upstream: { status: 200 },
      });
    });

    test('a JSON body is sent unchanged, without any of the caller’s headers', async () => {
      gateway.upstream.answer((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{}');
      });
      await gateway.json('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: 'a=b',
          'x-tenant-id': 'other',
          'x-custom': 'leak',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'fixture_write', arguments: { title: '제목', tags: ['a'] } },
        }),
      });
      const seen = gateway.upstream.seen.at(-1);
      expect(JSON.parse(seen?.body ?? '')).toEqual({ title: '제목', tags: ['a'] });
      const text = JSON.stringify(seen?.headers);
      for (const secret of [gateway.key, 'a=b', 'leak', 'other'])
        expect(text).not.toContain(secret);
    });
  });
});
