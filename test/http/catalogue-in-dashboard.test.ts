import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { registerApi } from '../own-apis/register-api.ts';
import {
  ADMIN_ENV,
  type AdminClient,
  createAdminClient,
  inviteAndJoin,
  joinAsViewer,
  signIn,
} from '../support/admin-client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const RUN = 'POST /tenants/default/tools/fixture_uncached/run';

describe('the catalogue and the playground of the dashboard', () => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let viewer: AdminClient;
  let visitor: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { ...ADMIN_ENV, ALLOW_PRIVATE_UPSTREAMS: 'true' },
      secrets: (name) => (name === 'FIXTURE_TOKEN' ? new Secret('a key') : undefined),
    });
    operator = await signIn(gateway);
    viewer = await joinAsViewer(gateway, operator);
    visitor = createAdminClient(gateway);
    await registerApi(gateway, gateway.key, {
      name: 'Reading list',
      spec_url: `${gateway.sandbox.url}/practice/openapi.yaml`,
      auth: { type: 'bearer', token: 'practice-token' },
    });
  });
  afterAll(() => gateway.close());

  const namesOf = (body: { tools: { name: string }[] }): string[] =>
    body.tools.map(({ name }) => name);

  test('greets a visitor with the counts of the presets', async () => {
    const { body } = await visitor.ask('GET /home');
    expect(body).toMatchObject({ version: expect.any(String), gatewayUrl: null });
    expect(body.tools).toBeGreaterThan(70);
    const counted = body.categories.map(({ tools }: { tools: number }) => tools);
    expect(counted.reduce((sum: number, tools: number) => sum + tools, 0)).toBe(body.tools);
  });

  test('searches in English and Korean, and counts what matches in each category', async () => {
    for (const q of ['exchange rates', '환율']) {
      const { body } = await visitor.ask(`GET /catalogue?q=${encodeURIComponent(q)}`);
      expect(namesOf(body)).toContain('exim_exchange_rates');
      expect(body.categories).toContainEqual({ name: 'economy', tools: expect.any(Number) });
    }
    const weather = await visitor.ask('GET /catalogue?q=rain&category=weather');
    const found = weather.body.tools.map(({ category }: { category: string }) => category);
    expect(new Set(found)).toEqual(new Set(['weather']));
    expect(weather.body.total).toBe(weather.body.tools.length);
  });

  test('pages through all tools, each once', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await visitor.ask(`GET /catalogue?limit=20${cursor}`);
      expect(body.tools.length).toBeLessThanOrEqual(20);
      seen.push(...namesOf(body));
      cursor = body.nextCursor && `&cursor=${encodeURIComponent(body.nextCursor)}`;
    } while (cursor);
    const { body } = await visitor.ask('GET /catalogue?limit=200');
    expect(seen).toEqual(namesOf(body));
    expect(new Set(seen).size).toBe(body.total);
    expect((await visitor.ask('GET /catalogue?limit=201')).status).toBe(400);
    expect((await visitor.ask('GET /catalogue?cursor=x')).status).toBe(400);
  });

  test('describes a tool: parameters, columns, sample, provider and the state of its secret', async () => {
    const { body } = await viewer.ask('GET /tenants/default/catalogue/kma_village_forecast');
    expect(body).toMatchObject({
      name: 'kma_village_forecast',
      inputSchema: { properties: { lat: { type: 'number' } } },
      computedDefaults: ['base_date', 'base_time'],
      secrets: [{ name: 'PUBLIC_DATA_SERVICE_KEY', isSet: false }],
      server: { documentation: expect.stringMatching(/^https:/) },
      items: '/response/body/items/item',
    });
    expect(body.columns).toContainEqual({
      name: 'fcstDate',
      description: expect.stringContaining('YYYYMMDD'),
      type: 'string',
    });
    expect(body.sample.response.body.items.item.length).toBeGreaterThan(0);
  });

  test('tells which arguments can vary, and how their values are named', async () => {
    const formsOf = async (tool: string) =>
      (await visitor.ask(`GET /catalogue/${tool}`)).body.rangeForms;
    expect(await formsOf('molit_apt_trades')).toEqual({ LAWD_CD: 'within', DEAL_YMD: 'range' });
    expect(await formsOf('worldbank_indicator')).toMatchObject({ indicator: 'list' });
    expect(await formsOf('ecos_statistic_search')).toMatchObject({ cycle: 'list' });
    const visitors = await visitor.ask('GET /catalogue/tour_visitors_by_province');
    expect(visitors.body).toMatchObject({
      rangeForms: { startYmd: 'range' },
      rangeStarts: { endYmd: 'startYmd' },
    });
  });

  test('does not tell a visitor whether a secret is set', async () => {
    const { body } = await visitor.ask('GET /catalogue/kma_village_forecast');
    expect(body.secrets).toEqual([expect.objectContaining({ isSet: null })]);
  });

  test("shows a tenant's own tools to its members only", async () => {
    const own = await viewer.ask('GET /tenants/default/catalogue?source=registered');
    const [name = ''] = namesOf(own.body);
    expect(name).not.toBe('');
    const shown = await viewer.ask(`GET /tenants/default/catalogue/${name}`);
    expect(shown.body).toMatchObject({ source: 'registered', sample: null });
    expect((await visitor.ask(`GET /catalogue/${name}`)).status).toBe(404);
    expect(namesOf((await visitor.ask('GET /catalogue?limit=200')).body)).not.toContain(name);
    await operator.ask('POST /tenants', { slug: 'other', name: 'Other' });
    expect((await operator.ask(`GET /tenants/other/catalogue/${name}`)).status).toBe(404);
    expect(
      (await operator.ask(`POST /tenants/other/tools/${name}/run`, { arguments: {} })).status,
    ).toBe(404);
  });

  test('runs a tool as its caller would, and records the person', async () => {
    const { status, body } = await viewer.ask('POST /tenants/default/tools/frankfurter_rates/run', {
      arguments: { base: 'USD' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      durationMs: expect.any(Number),
      upstreamMs: expect.any(Number),
      bytes: expect.any(Number),
      response: {
        jsonrpc: '2.0',
        id: 1,
        result: { tool: 'frankfurter_rates', cacheStatus: 'MISS', upstream: { status: 200 } },
      },
    });
    const { auditId, ...result } = body.response.result;
    const called = await gateway.call('frankfurter_rates', { base: 'USD' });
    expect({ ...called.body.result, auditId: null }).toEqual({
      ...result,
      cacheStatus: 'HIT',
      auditId: null,
    });
    const me = await viewer.ask('GET /me');
    const record = await gateway.json(`/api/v1/audit/${auditId}`);
    expect(record.body).toMatchObject({
      apiKeyId: me.body.person.id,
      dialect: 'dashboard',
      tool: 'frankfurter_rates',
    });
  });

  test('answers with the error of a call that fails, and refuses what cannot be called', async () => {
    const invalid = await viewer.ask('POST /tenants/default/tools/fixture_cached/run', {
      arguments: { n: 'many' },
    });
    expect(invalid.status).toBe(200);
    expect(invalid.body.response.error).toMatchObject({
      code: -32602,
      data: { auditId: expect.any(String), errors: [{ path: '/n' }] },
    });
    const missing = await viewer.ask('POST /tenants/default/tools/kma_village_forecast/run', {
      arguments: { lat: 37.5, lon: 127 },
    });
    expect(missing.body.response.error.data.reason).toBe('missing_secret');
    const unknown = await viewer.ask('POST /tenants/default/tools/nothing/run', { arguments: {} });
    expect(unknown.status).toBe(404);
    expect((await viewer.ask(RUN, { arguments: 1 })).status).toBe(400);
    expect((await viewer.ask(RUN, { arguments: {}, more: 1 })).status).toBe(400);
    expect((await visitor.ask(RUN, { arguments: {} })).status).toBe(401);
  });

  test('passes on nearly ten megabytes unchanged', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 85_000 }, (_, at) => ({ at, name: '값'.repeat(30) })),
    );
    expect(rows.length).toBeGreaterThan(4_000_000);
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(rows);
    });
    const { status, body } = await viewer.ask(RUN, { arguments: {} });
    expect(status).toBe(200);
    expect(body.bytes).toBe(Buffer.byteLength(rows));
    expect(JSON.stringify(body.response.result.data)).toBe(rows);
  });

  test('limits the runs of one person, not those of others', async () => {
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const busy = await inviteAndJoin(gateway, operator, {
      tenant: 'default',
      email: 'busy@example.com',
      role: 'viewer',
    });
    const statuses = await Promise.all(
      Array.from({ length: 61 }, async () => (await busy.ask(RUN, { arguments: {} })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    const refused = await busy.ask(RUN, { arguments: {} });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await operator.ask(RUN, { arguments: {} })).status).toBe(200);
  });

  test('finds tools by their state, and those that fail are problems', async () => {
    const { key } = await gateway.createKey('elsewhere');
    gateway.upstream.answer((_request, response) => void response.writeHead(401).end('{}'));
    for (let n = 0; n < 3; n++) await gateway.call('fixture_secret', { part: 'a' });
    await gateway.call('fixture_secret', { part: 'a' }, key);
    const failing = async (tenant: string) =>
      (await operator.ask(`GET /tenants/${tenant}/problems`)).body.problems;
    await expect
      .poll(() => failing('default'), { timeout: 20_000, interval: 500 })
      .toMatchObject([
        {
          ...{ kind: 'tool', id: 'fixture.fixture.fixture_secret', calls: 3 },
          ...{ cause: 'operator_key', status: 401, repair: 'replace_key', by: 'operator' },
        },
      ]);
    expect(await failing('elsewhere')).toEqual([]);
    const inState = async (state: string) =>
      namesOf((await viewer.ask(`GET /tenants/default/catalogue?limit=200&state=${state}`)).body);
    expect(await inState('failing')).toEqual(['fixture_secret']);
    expect(await inState('ready')).toContain('fixture_uncached');
    expect(await inState('ready')).not.toContain('fixture_secret');
    expect(await inState('needs_key')).toContain('kma_village_forecast');
    expect((await visitor.ask('GET /catalogue?state=failing')).status).toBe(400);
  });
});
