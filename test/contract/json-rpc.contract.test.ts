import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

describe('JSON-RPC on POST /mcp', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  test(
    verifies(
      'POST /mcp',
      'rpc.list',
      'rpc.id-echoed',
      'version.jsonrpc',
      'listedTool.name',
      'listedTool.description',
      'listedTool.inputSchema',
      'listedTool.readOnlyHint',
      'listedTool.destructiveHint',
      'listedTool.openWorldHint',
    ),
    async () => {
      for (const id of [7, 'seven', 1.5, null, '']) {
        const { status, body } = await gateway.rpc({ jsonrpc: '2.0', id, method: 'tools/list' });
        expect(status).toBe(200);
        expect(Object.keys(body).sort()).toEqual(['id', 'jsonrpc', 'result']);
        expect(body.id).toBe(id);
        expect(body.jsonrpc).toBe('2.0');
        expect(body.result.tools.length).toBeGreaterThan(10);
        for (const tool of body.result.tools) {
          expect(Object.keys(tool).sort()).toEqual([
            'annotations',
            'description',
            'inputSchema',
            'name',
          ]);
          expect(tool.inputSchema.type).toBe('object');
          expect(tool.annotations).toEqual({
            readOnlyHint: expect.any(Boolean),
            destructiveHint: expect.any(Boolean),
            openWorldHint: false,
          });
        }
        const byName = (name: string) =>
          body.result.tools.find((tool: { name: string }) => tool.name === name);
        expect(byName('frankfurter_rates').annotations).toMatchObject({
          readOnlyHint: true,
          destructiveHint: false,
        });
        expect(byName('fixture_write').annotations).toMatchObject({
          readOnlyHint: false,
          destructiveHint: false,
        });
      }
    },
  );

  test(
    verifies(
      'rpc.call.name',
      'rpc.call.arguments',
      'result.tool',
      'result.upstream.method',
      'result.upstream.url',
      'result.upstream.status',
      'result.data',
      'result.cacheStatus',
      'result.auditId',
    ),
    async () => {
      const args = { base: 'USD', quotes: 'KRW' };
      const first = await gateway.call('frankfurter_rates', args);
      expect(first.status).toBe(200);
      const { result } = first.body;
      expect(Object.keys(result).sort()).toEqual([
        'auditId',
        'cacheStatus',
        'cause',
        'data',
        'outcome',
        'provenance',
        'rows',
        'tool',
        'upstream',
      ]);
      expect(result).toMatchObject({
        tool: 'frankfurter_rates',
        outcome: 'ok',
        cause: null,
        rows: { returned: result.data.length, omitted: 0, total: null, next: null },
        provenance: {
          publisher: expect.any(String),
          docUrl: expect.stringMatching(/^https:/),
          licence: expect.any(String),
          fetchedAt: expect.stringMatching(/Z$/),
          ageSeconds: expect.any(Number),
          asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          asked: args,
          steppedBack: null,
          nextPublication: null,
        },
        upstream: { method: 'GET', status: 200 },
        cacheStatus: 'MISS',
        auditId: expect.stringMatching(/^aud_[0-9A-Z]{26}$/),
      });
      const url = new URL(result.upstream.url);
      expect(Object.fromEntries(url.searchParams)).toEqual({ base: 'USD', quotes: 'KRW' });
      expect(Array.isArray(result.data)).toBe(true);
      const second = await gateway.call('frankfurter_rates', { quotes: 'KRW', base: 'USD' });
      expect(second.body.result.cacheStatus).toBe('HIT');
      expect(second.body.result.data).toEqual(result.data);
      expect(second.body.result.auditId).not.toBe(result.auditId);
    },
  );

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

    test.each([{}, { _meta: { progressToken: 1 } }, { cursor: 'abc' }, { _clientId: 'sse_x' }])(
      `${verifies('rpc.list')}, also with %j`,
      async (params) => {
        expect(await list(params)).toEqual(await list());
      },
    );

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

    test(`${verifies('contract.argument-errors')}, also for tools/list`, async () => {
      const { error } = await list({ query: 1, limit: -1, sort: 'name' });
      expect(error.data.errors.map(({ path }: { path: string }) => path)).toEqual([
        '/query',
        '/limit',
        '/sort',
      ]);
    });

    test.each([[[]], ['weather'], [3]])(
      `${verifies('error.-32602')}: params is %j`,
      async (params) => {
        expect((await list(params)).error).toMatchObject({
          code: -32602,
          message: 'params must be an object.',
        });
      },
    );
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

    test(verifies('contract.argument-errors'), async () => {
      const { body } = await gateway.call('fixture_cached', {
        n: 'five',
        color: 'blue',
        colour: 'red',
      });
      expect(body.error.code).toBe(-32602);
      expect(body.error.data.auditId).toMatch(/^aud_/);
      const errors: { path: string; message: string }[] = body.error.data.errors;
      expect(errors.map(({ path }) => path).sort()).toEqual(['/color', '/colour', '/n']);
      expect(errors.find(({ path }) => path === '/n')?.message).toContain('integer');
      expect(errors.find(({ path }) => path === '/color')?.message).toMatch(/red.*green/);
      expect(errors.find(({ path }) => path === '/colour')?.message).toContain('color');
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

    test(verifies('contract.413'), async () => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'a'.repeat(2 * 1024 * 1024)}"}}`;
      const { status, body: error } = await gateway.rpc(body);
      expect(status).toBe(413);
      expect(error).toEqual({ error: 'Payload Too Large', message: expect.any(String) });
    });

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
    test(verifies('contract.upstream-error-is-result'), async () => {
      gateway.upstream.answer((_request, response) => {
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"why":"gone"}');
      });
      const { body } = await gateway.call('fixture_cached', { n: 404 });
      expect(body.result).toMatchObject({
        upstream: { status: 404 },
        data: { why: 'gone' },
        cacheStatus: 'MISS',
      });
      const again = await gateway.call('fixture_cached', { n: 404 });
      expect(again.body.result.cacheStatus).toBe('MISS');
    });

    test(verifies('error.-32000', 'contract.-32000-data'), async () => {
      gateway.upstream.answer((_request, response) => {
        response.destroy();
      });
      const { status, body } = await gateway.call('fixture_write', { title: 'x' });
      expect(status).toBe(200);
      expect(body.error).toEqual({
        code: -32000,
        message: expect.any(String),
        data: {
          auditId: expect.stringMatching(/^aud_/),
          tool: 'fixture_write',
          reason: 'unreachable',
          retryable: true,
        },
      });
    });

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

    test('a path argument never changes the path', async () => {
      const before = gateway.upstream.seen.length;
      for (const part of [
        '..',
        '.',
        'a/../b',
        '..;a/b',
        'a\\b',
        '%2e%2e',
        '%252e%252e',
        'a\r\nb',
        'a\u0000b',
        '%2f%2e%2e%2fb',
        '',
      ]) {
        const { body } = await gateway.call('fixture_secret', { part });
        expect(body.error?.code).toBe(-32602);
      }
      expect(gateway.upstream.seen.length).toBe(before);
      await gateway.call('fixture_secret', { part: 'a/b' });
      expect(gateway.upstream.seen.at(-1)?.url).toMatch(/^\/secret\/a%2Fb\?/);
    });

    test(verifies('contract.bypass'), async () => {
      for (let i = 0; i < 2; i++) {
        const { body } = await gateway.call('fixture_uncached');
        expect(body.result.cacheStatus).toBe('BYPASS');
      }
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
