import { globSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dereference } from '../support/api-description.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';
import { openSse } from '../support/sse-client.ts';
import { verifies } from './requirements.ts';

/** The shipped presets and those of the test. */
const SERVERS = globSync('*/*.yaml', { cwd: SHIPPED_PRESETS }).length + 1;

const PROTECTED = [
  ['GET', '/health/detailed'],
  ['GET', '/api/v1/tools'],
  ['GET', '/api/v1/tools/frankfurter_rates'],
  ['DELETE', '/api/v1/tools/frankfurter_rates'],
  ['GET', '/api/v1/audit'],
  ['GET', '/api/v1/audit/aud_x'],
  ['POST', '/api/v1/register'],
  ['GET', '/api/v1/register/x/status'],
  ['POST', '/api/v1/register/proposals'],
  ['GET', '/api/v1/register/proposals/x'],
  ['POST', '/api/v1/register/proposals/x/test'],
  ['GET', '/api/v1/registrations'],
  ['GET', '/api/v1/registrations/x'],
  ['PATCH', '/api/v1/registrations/x'],
  ['DELETE', '/api/v1/registrations/x'],
  ['GET', '/api/v1/provider-keys'],
  ['GET', '/api/v1/provider-keys/X'],
  ['PUT', '/api/v1/provider-keys/X'],
  ['DELETE', '/api/v1/provider-keys/X'],
  ['GET', '/mcp/sse'],
  ['POST', '/mcp'],
] as const;

/** Methods that these addresses do not have. */
const PROTECTED_FROM_OTHERS = [
  ['GET', '/mcp'],
  ['HEAD', '/mcp'],
  ['DELETE', '/mcp'],
  ['PUT', '/mcp'],
  ['POST', '/mcp/sse'],
  ['HEAD', '/mcp/sse'],
  ['PUT', '/api/v1/tools/x'],
  ['GET', '/api/v1/register'],
  ['POST', '/health/detailed'],
] as const;

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Hosts may sign in at the addresses of MCP only. */
const challengeAt = (path: string): RegExp =>
  path.startsWith('/mcp') ? /^Bearer resource_metadata="http/ : /^Bearer$/;

describe.each(GATEWAY_BACKENDS)('readiness ($name)', (backend) => {
  test(
    verifies(
      'GET /health/ready',
      'state.healthy',
      'health.checks.database',
      'health.checks.redis',
      'contract.ready-backends',
    ),
    async () => {
      const gateway = await startTestGateway({ backend });
      onTestFinished(() => gateway.close());
      const { status, body } = await gateway.json('/health/ready', { key: null });
      expect(status).toBe(200);
      const servers = backend.name === 'postgres';
      expect(body).toEqual({
        status: 'healthy',
        service: 'mcp-gateway',
        timestamp: expect.stringMatching(ISO),
        checks: {
          database: {
            status: 'healthy',
            latencyMs: expect.any(Number),
            backend: servers ? 'postgres' : 'embedded',
          },
          redis: {
            status: 'healthy',
            latencyMs: expect.any(Number),
            backend: servers ? 'redis' : 'memory',
          },
        },
      });
    },
  );
});

describe('REST endpoints', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  describe('health', () => {
    test(
      verifies(
        'GET /health',
        'health.status',
        'health.service',
        'health.timestamp',
        'content-type.json',
      ),
      async () => {
        const { status, headers, body } = await gateway.json('/health', { key: null });
        expect(status).toBe(200);
        expect(headers.get('content-type')).toMatch(/^application\/json/);
        expect(body).toEqual({
          status: 'healthy',
          service: 'mcp-gateway',
          timestamp: expect.stringMatching(ISO),
        });
      },
    );

    test.each(['/health', '/health/ready', '/health/serving', '/health/detailed'])(
      '%s ignores a query, which a probe may add',
      async (path) => {
        expect((await gateway.json(`${path}?probe=1&probe=2`)).status).toBe(200);
        expect((await gateway.json(`/api/v1/tools?probe=1`)).status).toBe(400);
      },
    );

    test('/mcp/sse ignores a parameter that it does not know, and checks those that it knows', async () => {
      const stream = await openSse(gateway.url, gateway.key, '?_=1700000000');
      expect(stream.status).toBe(200);
      stream.close();
      expect((await gateway.json('/mcp/sse?category=finance')).status).toBe(400);
    });

    test(verifies('GET /health/detailed', 'contract.detailed'), async () => {
      await gateway.call('frankfurter_rates', {});
      const { status, body } = await gateway.json('/health/detailed');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'healthy',
        service: 'mcp-gateway',
        checks: { database: { status: 'healthy' }, redis: { status: 'healthy' } },
        version: expect.any(String),
        uptimeSeconds: expect.any(Number),
        memory: { rssBytes: expect.any(Number) },
        catalog: { servers: SERVERS, tools: expect.any(Number) },
        streams: 0,
        audit: { queued: 0, missing: 0, degraded: null, lastWriteAt: expect.stringMatching(ISO) },
        cache: { entries: expect.any(Number), hitRatio: expect.any(Number) },
      });
      expect(body.upstreams[0]).toMatchObject({
        circuit: 'closed',
        p50Ms: expect.any(Number),
        p99Ms: expect.any(Number),
      });
    });
  });

  describe('registry', () => {
    test(
      verifies(
        'GET /registry/servers',
        'server.id',
        'server.name',
        'server.filePath',
        'server.baseUrl',
        'server.isPublicData',
        'server.tools',
      ),
      async () => {
        const { status, body } = await gateway.json('/registry/servers', { key: null });
        expect(status).toBe(200);
        expect(Object.keys(body)).toEqual(['servers']);
        expect(body.servers.length).toBe(SERVERS);
        for (const server of body.servers) {
          expect(Object.keys(server).sort()).toEqual([
            'baseUrl',
            'filePath',
            'id',
            'isPublicData',
            'name',
            'tools',
          ]);
          expect(server.id).toMatch(/^[a-z]+\/[a-z0-9-]+$/);
          expect(server.name).not.toBe('');
          expect(isAbsolute(server.filePath)).toBe(true);
          expect(server.filePath).toContain(server.id);
          expect(URL.canParse(server.baseUrl)).toBe(true);
          expect(server.tools.length).toBeGreaterThan(0);
        }
        const publicIds = body.servers
          .filter((server: { isPublicData: boolean }) => server.isPublicData)
          .map(({ id }: { id: string }) => id);
        expect(publicIds).toContain('weather/kma-short-forecast');
        expect(publicIds).not.toContain('economy/frankfurter');
      },
    );

    test(
      verifies(
        'GET /registry/tools',
        'registryTool.name',
        'registryTool.description',
        'registryTool.inputSchema',
        'registryTool.method',
        'registryTool.path',
        'registry.same-as-list',
      ),
      async () => {
        const { status, body } = await gateway.json('/registry/tools', { key: null });
        expect(status).toBe(200);
        for (const tool of body.tools) {
          expect(Object.keys(tool).sort()).toEqual([
            'description',
            'inputSchema',
            'method',
            'name',
            'path',
          ]);
          expect(tool.name).toMatch(/^[a-z0-9_]+$/);
          expect(tool.description).not.toBe('');
          expect(tool.inputSchema).toMatchObject({
            type: 'object',
            properties: expect.any(Object),
            additionalProperties: false,
          });
          expect(tool.path).toMatch(/^\//);
        }
        const list = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
        const names = (tools: { name: string }[]): string[] => tools.map(({ name }) => name).sort();
        expect(names(body.tools)).toEqual(names(list.body.result.tools));
      },
    );

    test(verifies('registry.categories'), async () => {
      const { body } = await gateway.json('/registry/servers?prefix=economy/', { key: null });
      const ids: string[] = body.servers.map(({ id }: { id: string }) => id);
      expect(ids).toContain('economy/frankfurter');
      expect(ids.filter((id) => !id.startsWith('economy/'))).toEqual([]);
      expect((await gateway.json('/registry/servers?prefix=none/', { key: null })).body).toEqual({
        servers: [],
      });
    });

    test(`${verifies('contract.tool-search')}, in the registry`, async () => {
      const names = async (query: string): Promise<string[]> =>
        (await gateway.json(`/registry/tools?${query}`, { key: null })).body.tools.map(
          ({ name }: { name: string }) => name,
        );
      const all = await names('');
      const found = await names('q=current+weather+in+Seoul');
      expect(found[0]).toBe('kma_ultra_short_nowcast');
      expect(found.length).toBeLessThan(all.length / 2);
      expect(await names('q=current+weather+in+Seoul&limit=2')).toEqual(found.slice(0, 2));
      expect((await names('q=%ED%99%98%EC%9C%A8')).slice(0, 3)).toContain('frankfurter_rates');
      const economy = await names('category=economy');
      expect(economy).toContain('frankfurter_rates');
      expect(economy).toEqual(all.filter((name) => economy.includes(name)));
      expect(await names('limit=3')).toEqual(all.slice(0, 3));
      const etagOf = async (query: string) =>
        (await gateway.fetch(`/registry/tools?${query}`, { key: null })).headers.get('etag');
      expect(await etagOf('limit=3')).not.toBe(await etagOf('limit=4'));
      expect(await etagOf('q=weather')).toBe(await etagOf('q=WEATHER'));
    });

    test.each([
      ['limit=0', 'limit'],
      ['category=finance', 'culture, economy, fixture, weather'],
      ['query=weather', 'query'],
    ])('a wrong query of the registry is 400 and says why: %s', async (query, why) => {
      const { status, body } = await gateway.json(`/registry/tools?${query}`, { key: null });
      expect(status).toBe(400);
      expect(body).toEqual({ error: 'Bad Request', message: expect.stringContaining(why) });
    });

    test.each([
      '/registry/servers',
      '/registry/tools',
      '/registry/servers?prefix=weather/',
      '/registry/tools?q=weather&limit=5',
    ])(`${verifies('contract.etag')} at %s`, async (path) => {
      const first = await gateway.fetch(path, { key: null });
      await first.arrayBuffer();
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      const again = await gateway.fetch(path, {
        key: null,
        headers: { 'if-none-match': `W/${etag}` },
      });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
      const other = await gateway.fetch(path, {
        key: null,
        headers: { 'if-none-match': '"other"' },
      });
      expect(other.status).toBe(200);
      await other.arrayBuffer();
    });
  });

  describe('tools', () => {
    test(verifies('GET /api/v1/tools', 'contract.tool-record', 'version.prefix'), async () => {
      const { status, body } = await gateway.json('/api/v1/tools');
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['tools', 'nextCursor']);
      const tool = body.tools.find(
        ({ name }: { name: string }) => name === 'kma_ultra_short_nowcast',
      );
      expect(tool).toEqual({
        id: 'weather.kma-short-forecast.kma_ultra_short_nowcast',
        name: 'kma_ultra_short_nowcast',
        description: expect.any(String),
        inputSchema: expect.any(Object),
        annotations: expect.objectContaining({ readOnlyHint: true, destructiveHint: false }),
        method: 'GET',
        path: '/getUltraSrtNcst',
        baseUrl: gateway.sandbox.baseUrlFor('weather/kma-short-forecast'),
        server: { id: 'weather/kma-short-forecast', name: expect.any(String) },
        category: 'weather',
        source: 'preset',
        visibility: 'public',
        isPublicData: true,
        cacheTtlSeconds: 300,
        createdAt: expect.stringMatching(ISO),
      });
    });

    test(verifies('contract.tool-filters'), async () => {
      const names = async (query: string): Promise<string[]> =>
        (await gateway.json(`/api/v1/tools?${query}`)).body.tools.map(
          ({ name }: { name: string }) => name,
        );
      const economy = await names('category=economy');
      expect(economy).toEqual(expect.arrayContaining(['frankfurter_rates', 'worldbank_indicator']));
      expect(economy).not.toContain('kma_ultra_short_nowcast');
      expect(await names('source=registered')).toEqual([]);
      expect(await names('q=FRANKFURTER')).toContain('frankfurter_rates');
      expect(await names('q=zymurgy')).toEqual([]);
      expect((await names('q=current+weather+in+Seoul'))[0]).toBe('kma_ultra_short_nowcast');
      expect(await names('q=won+exchange+rate&category=weather')).not.toContain(
        'frankfurter_rates',
      );
    });

    test.each(['', 'q=weather', 'q=weather&category=weather'])(
      `${verifies('contract.tool-filters', 'contract.tool-search')}: pages of "%s"`,
      async (query) => {
        const page = async (more: string) =>
          (await gateway.json(`/api/v1/tools?${query}&${more}`)).body;
        const paged: unknown[] = [];
        let cursor = '';
        do {
          const body = await page(`limit=4${cursor && `&cursor=${cursor}`}`);
          expect(body.tools.length).toBeLessThanOrEqual(4);
          paged.push(...body.tools);
          cursor = body.nextCursor ?? '';
        } while (cursor);
        expect(paged.length).toBeGreaterThan(4);
        expect(paged).toEqual((await page('limit=500')).tools);
      },
    );

    test.each([
      ['limit=0', 'limit'],
      ['limit=501', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['colour=red', 'colour'],
      ['source=elsewhere', 'source'],
      ['cursor=%21%21', 'cursor'],
      ['category=finance', 'category "finance"'],
    ])('a wrong query is 400 and names the parameter: %s', async (query, name) => {
      const { status, body } = await gateway.json(`/api/v1/tools?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ error: 'Bad Request', message: expect.stringContaining(name) });
    });

    test(verifies('GET /api/v1/tools/:toolId', 'contract.404', 'error.http-body'), async () => {
      const byName = await gateway.json('/api/v1/tools/frankfurter_rates');
      const byId = await gateway.json('/api/v1/tools/economy.frankfurter.frankfurter_rates');
      expect(byName.status).toBe(200);
      expect(byName.body).toEqual(byId.body);
      const missing = await gateway.json('/api/v1/tools/nothing');
      expect(missing.status).toBe(404);
      expect(missing.body).toEqual({ error: 'Not Found', message: expect.any(String) });
    });

    test(verifies('contract.403'), async () => {
      const { status, body } = await gateway.json('/api/v1/tools/frankfurter_rates', {
        method: 'DELETE',
      });
      expect(status).toBe(403);
      expect(body).toEqual({
        error: 'Forbidden',
        message: expect.stringContaining('frankfurter_rates'),
      });
    });

    test(verifies('rpc.only-way'), async () => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const response = await gateway.json('/api/v1/tools/frankfurter_rates', { method });
        expect(response.status).toBe(405);
      }
    });
  });
  describe('authentication', () => {
    test.each(PROTECTED)(
      `${verifies('auth.protected', 'error.unauthorized', 'contract.401')}: %s %s`,
      async (method, path) => {
        const bad = [
          '',
          'x',
          'tg_live_short',
          `tg_live_${'A'.repeat(43)}`,
          `tg_live_${'é'.repeat(43)}`,
        ];
        const headers = [
          {},
          ...bad.flatMap((key) => [
            { authorization: `Bearer ${encodeURI(key)}` },
            { 'x-api-key': encodeURI(key) },
          ]),
        ];
        for (const header of headers) {
          const response = await gateway.json(path, {
            method,
            key: null,
            headers: header as Record<string, string>,
          });
          expect(response.status).toBe(401);
          expect(response.headers.get('www-authenticate')).toMatch(challengeAt(path));
          expect(response.body).toEqual({
            error: 'Unauthorized',
            message:
              'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
          });
        }
      },
    );

    test.each(PROTECTED_FROM_OTHERS)(
      `${verifies('contract.401-first', 'contract.401')}: %s %s`,
      async (method, path) => {
        for (const headers of [{}, { 'x-api-key': 'x' }, { authorization: 'Bearer x' }]) {
          const refused = await gateway.fetch(path, {
            method,
            key: null,
            headers: headers as Record<string, string>,
          });
          expect(refused.status).toBe(401);
          expect(refused.headers.get('www-authenticate')).toMatch(challengeAt(path));
          expect(refused.headers.get('allow')).toBeNull();
        }
        const known = await gateway.fetch(path, { method });
        expect(known.status).toBe(405);
        expect(known.headers.get('allow')).not.toBeNull();
      },
    );

    test(verifies('auth.x-api-key', 'auth.bearer'), async () => {
      for (const headers of [
        { 'x-api-key': gateway.key },
        { authorization: `Bearer ${gateway.key}` },
        { authorization: `bearer ${gateway.key}`, 'x-api-key': gateway.key },
      ]) {
        const response = await gateway.json('/api/v1/tools', {
          key: null,
          headers: headers as Record<string, string>,
        });
        expect(response.status).toBe(200);
      }
    });

    test(verifies('contract.401-two-keys'), async () => {
      const other = await gateway.createKey('default');
      const response = await gateway.json('/api/v1/tools', {
        key: gateway.key,
        headers: { authorization: `Bearer ${other.key}` },
      });
      expect(response.status).toBe(401);
    });

    test(verifies('contract.query-key'), async () => {
      for (const name of ['api_key', 'apikey', 'key', 'x-api-key', 'access_token']) {
        const response = await gateway.json(`/api/v1/tools?${name}=${gateway.key}`, { key: null });
        expect(response.status).toBe(401);
      }
    });

    test(verifies('auth.public'), async () => {
      for (const path of ['/health', '/health/ready', '/registry/servers', '/registry/tools']) {
        expect((await gateway.json(path, { key: null })).status).toBe(200);
      }
    });

    test('an expired and a revoked key are refused like an unknown one', async () => {
      const expired = await gateway.createKey('default', { expiresAtMs: Date.now() - 1000 });
      const revoked = await gateway.createKey('default');
      expect((await gateway.json('/api/v1/tools', { key: revoked.key })).status).toBe(200);
      await gateway.revokeKey(revoked.id);
      await expect
        .poll(async () => (await gateway.json('/api/v1/tools', { key: revoked.key })).status)
        .toBe(401);
      const response = await gateway.json('/api/v1/tools', { key: expired.key });
      expect(response.body).toEqual({
        error: 'Unauthorized',
        message:
          'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
      });
    });
  });

  describe('every endpoint', () => {
    test.each([
      ['DELETE', '/health', 'GET, HEAD'],
      ['POST', '/registry/servers', 'GET, HEAD'],
      ['GET', '/mcp', 'POST'],
      ['DELETE', '/mcp', 'POST'],
      ['POST', '/mcp/sse', 'GET'],
      ['PUT', '/api/v1/tools/x', 'GET, HEAD, DELETE'],
    ])(`${verifies('contract.405')}: %s %s`, async (method, path, allow) => {
      const { status, headers, body } = await gateway.json(path, { method });
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe(allow);
      expect(body).toEqual({
        error: 'Method Not Allowed',
        message: expect.stringContaining(allow),
      });
    });

    test('HEAD answers like GET, without a body', async () => {
      const response = await gateway.fetch('/health', { method: 'HEAD', key: null });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
    });

    test(verifies('contract.request-id'), async () => {
      const paths = [
        '/health',
        '/nowhere',
        '/mcp',
        '/api/v1/tools',
        '/registry/tools',
        '/docs/',
        '/openapi.json',
      ];
      const ids = new Set<string>();
      for (const path of paths) {
        const response = await gateway.fetch(path, { key: null });
        await response.arrayBuffer();
        ids.add(response.headers.get('x-request-id') ?? '');
      }
      expect(ids.size).toBe(paths.length);
      expect([...ids].every((id) => /^req_[0-9a-z]{17,}$/.test(id))).toBe(true);
    });

    test('any unknown path is 404 with a body of two fields', async () => {
      for (const path of [
        '/nowhere',
        '/%00',
        '/api/v2/tools',
        `/${'a'.repeat(2000)}`,
        '/health/../etc/passwd',
      ]) {
        const { status, body } = await gateway.json(path, { key: null });
        expect(status).toBe(404);
        expect(Object.keys(body)).toEqual(['error', 'message']);
      }
      const malformed = await gateway.json('/%zz', { key: null });
      expect(malformed.status).toBe(400);
      expect(malformed.body).toEqual({ error: 'Bad Request', message: expect.any(String) });
    });

    test(verifies('contract.openapi'), async () => {
      const response = await gateway.json('/openapi.json', { key: null });
      expect(response.status).toBe(200);
      const body = dereference(response.body);
      expect(body.openapi).toMatch(/^3\.1/);
      // Those of management are compared with docs/contract.md#management by test/contract-citations.test.ts.
      const described = Object.entries(body.paths)
        .filter(([path]) => !path.startsWith('/api/v1/admin/'))
        .flatMap(([path, item]) =>
          Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
        );
      const expected = [
        'GET /health',
        'GET /health/ready',
        'GET /health/serving',
        'GET /health/detailed',
        'GET /registry/servers',
        'GET /registry/tools',
        'GET /api/v1/tools',
        'GET /api/v1/tools/{toolId}',
        'DELETE /api/v1/tools/{toolId}',
        'GET /api/v1/audit',
        'GET /api/v1/audit/{auditId}',
        'POST /api/v1/register',
        'GET /api/v1/register/{id}/status',
        'POST /api/v1/register/proposals',
        'GET /api/v1/register/proposals/{id}',
        'POST /api/v1/register/proposals/{id}/test',
        'GET /api/v1/registrations',
        'GET /api/v1/registrations/{id}',
        'PATCH /api/v1/registrations/{id}',
        'GET /api/v1/provider-keys',
        'GET /api/v1/provider-keys/{name}',
        'PUT /api/v1/provider-keys/{name}',
        'DELETE /api/v1/provider-keys/{name}',
        'DELETE /api/v1/registrations/{id}',
        'GET /mcp/sse',
        'POST /api/v1/registrations/{id}/refresh',
        'POST /mcp',
      ];
      expect(described.filter((each) => !each.startsWith('HEAD')).sort()).toEqual(expected.sort());
      expect(
        body.paths['/mcp'].post.requestBody.content['application/json'].schema.properties.method
          .enum,
      ).toContain('tools/call');
      const parametersOf = (path: string): string[] =>
        body.paths[path].get.parameters.map(({ name }: { name: string }) => name).sort();
      expect(parametersOf('/registry/tools')).toEqual(['category', 'lang', 'limit', 'q']);
      expect(parametersOf('/api/v1/tools')).toEqual([
        'category',
        'cursor',
        'lang',
        'limit',
        'q',
        'source',
      ]);
    });

    test(verifies('contract.docs'), async () => {
      const response = await gateway.fetch('/docs/', { key: null });
      expect(response.status).toBe(200);
      const page = await response.text();
      expect(page).toContain('/openapi.json');
      expect(page).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|localhost)[^"']*\.(js|css|woff2)/);
    });
  });
});
