import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dereference } from '../support/api-description.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

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

  describe('registry', () => {
    test(verifies('registry.same-as-list'), async () => {
      const { body } = await gateway.json('/registry/tools', { key: null });
      const list = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const names = (tools: { name: string }[]): string[] => tools.map(({ name }) => name).sort();
      expect(names(body.tools)).toEqual(names(list.body.result.tools));
    });

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
  });

  describe('tools', () => {
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
  });

  describe('every endpoint', () => {
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
        'GET /api/v1/results/{file}',
        'GET /results/{file}',
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
  });
});
