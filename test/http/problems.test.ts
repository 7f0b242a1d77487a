import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { registerApi } from '../own-apis/register-api.ts';
import { ADMIN_ENV, type AdminClient, joinAsViewer, signIn } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';

const KEY = 'PUBLIC_DATA_SERVICE_KEY';
const DAY_MS = 86_400_000;

/** Two datasets of a portal, each of which allows 20 requests a day. */
const preset = (name: string): string => `openapi: 3.1.0
info: { title: Portal ${name}, version: "1" }
servers: [{ url: "http://portal.invalid" }]
externalDocs: { url: "https://portal.example/${name}" }
x-public-data: true
x-quota: { calls: 20 }
paths:
  /${name}:
    get:
      operationId: ${name}_list
      parameters:
        - { name: n, in: query, description: A number., schema: { type: integer } }
        - { name: serviceKey, in: query, x-secret: ${KEY}, schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /${name}/one:
    get:
      operationId: ${name}_get
      parameters:
        - { name: n, in: query, description: A number., schema: { type: integer } }
        - { name: serviceKey, in: query, x-secret: ${KEY}, schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

const describeApi = (url: string): string => `openapi: 3.1.0
info: { title: Parcels, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /parcels:
    get:
      operationId: list
      description: Parcels.
      parameters: [{ name: n, in: query, description: A number., schema: { type: integer } }]
      responses: { '200': { description: Text. } }
  /parcels/one:
    get:
      operationId: show
      description: A parcel.
      parameters: [{ name: n, in: query, description: A number., schema: { type: integer } }]
      responses: { '200': { description: Text. } }
`;

describe.each(GATEWAY_BACKENDS)('problems ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let viewer: AdminClient;
  let n = 0;

  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      presets: { parks: preset('parks'), rivers: preset('rivers') },
      secrets: (name) => (name === KEY ? new Secret('key-of-the-operator') : undefined),
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        RATE_LIMIT_PER_MINUTE: '1000',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
    });
    operator = await signIn(gateway);
    await gateway.createKey('elsewhere');
    viewer = await joinAsViewer(gateway, operator);
  });
  afterAll(() => gateway.close());

  const problemsOf = async (tenant: string | null, lang = '') => {
    const address = tenant === null ? '/problems' : `/tenants/${tenant}/problems`;
    return (await operator.ask(`GET ${address}${lang}`)).body.problems;
  };
  const untilProblem = (tenant: string | null, problem: object) =>
    expect
      .poll(() => problemsOf(tenant), { timeout: 30_000, interval: 500 })
      .toContainEqual(expect.objectContaining(problem));
  const answer = (status: number, body: unknown = {}): void =>
    gateway.upstream.answer(
      (_request, response) =>
        void response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body)),
    );
  const call = async (tool: string, times: number, key?: string): Promise<void> => {
    for (let at = 0; at < times; at++) await gateway.call(tool, { n: ++n }, key);
  };

  test('of a tenant and of a gateway in which everything works are none', async () => {
    expect(await problemsOf('default')).toEqual([]);
    expect(await problemsOf(null)).toEqual([]);
  });

  test('are an API key that ends within seven days, unless another replaces it', async () => {
    const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString();
    const later = new Date(Date.now() + 8 * DAY_MS).toISOString();
    const create = async (name: string, input: object) =>
      (await operator.ask('POST /tenants/elsewhere/keys', { name, ...input })).body.key;
    const { id } = await create('night report', { expiresAt });
    await create('for a while', { expiresAt: later });
    await create('for ever', {});
    const { id: old, revision } = await create('replaced', {});
    await operator.ask(`POST /tenants/elsewhere/keys/${old}/rotate`, { revision });
    await untilProblem('elsewhere', { kind: 'api_key' });
    expect(await problemsOf('elsewhere')).toEqual([
      {
        ...{ kind: 'api_key', id, name: 'night report', endsAt: expiresAt },
        ...{ repair: 'renew', by: 'admin', since: null, cause: null, status: null },
        ...{ calls: 0, tools: [], toolCount: 0, providerKey: null, dataset: null, datasets: 0 },
        ...{ percent: null, applyUrl: null },
      },
    ]);
  });

  test('are the tools of an own API that fail, together, for its tenant alone', async () => {
    const { registration, job } = await registerApi(gateway, gateway.key, {
      name: 'Parcels',
      spec_raw: describeApi(gateway.upstream.url),
    });
    answer(503);
    const [list = '', show = ''] = job.toolIds.map((id: string) => id.split('.').pop());
    await call(list, 4);
    await call(show, 3);
    const problem = {
      ...{ kind: 'api', id: registration.id, name: 'Parcels', cause: 'upstream', status: 503 },
      ...{ calls: 7, toolCount: 2, repair: 'check_api', by: 'admin' },
    };
    await untilProblem('default', problem);
    const [{ since, tools }] = await problemsOf('default');
    expect(tools).toEqual([
      { id: job.toolIds[0], name: list, calls: 4, since },
      { id: job.toolIds[1], name: show, calls: 3, since: expect.stringMatching(/Z$/) },
    ]);
    expect((await viewer.ask('GET /tenants/default/problems')).body.problems).toMatchObject([
      problem,
    ]);
    expect((await viewer.ask('GET /tenants/elsewhere/problems')).status).toBe(404);
    expect((await viewer.ask('GET /problems')).status).toBe(403);
    expect(JSON.stringify(await problemsOf('elsewhere'))).not.toContain('Parcels');
    await untilProblem(null, { kind: 'tenant', id: 'default', calls: 7, toolCount: 2 });
    expect(JSON.stringify(await problemsOf(null))).not.toContain('Parcels');
  });

  test("are the operator's key that the provider refuses, and the calls that it costs", async () => {
    answer(200, {
      OpenAPI_ServiceResponse: {
        cmmMsgHeader: { errMsg: 'SERVICE ERROR', returnReasonCode: '21' },
      },
    });
    await call('parks_list', 3);
    const refused = { cause: 'operator_key', calls: 3, repair: 'replace_key', by: 'operator' };
    await untilProblem('default', { kind: 'tool', name: 'parks_list', ...refused });
    await untilProblem(null, { kind: 'provider_key', id: KEY, datasets: 1, ...refused });
    const kinds = (await problemsOf(null)).map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['provider_key', 'tenant']);
  });

  test('are a quota of which 85 % are used, for those who use it', async () => {
    answer(200, { response: { header: { resultCode: '00' }, body: { items: [] } } });
    const { key } = await gateway.createKey('elsewhere');
    await call('rivers_list', 17, key);
    const quota = {
      ...{ kind: 'quota', id: KEY, percent: 85, repair: 'raise_quota', by: 'operator' },
      ...{ cause: null, calls: 0, endsAt: expect.stringMatching(/T15:00:00.000Z$/) },
    };
    await untilProblem('elsewhere', quota);
    await untilProblem(null, quota);
    const others: { kind: string }[] = await problemsOf('default');
    expect(others.map(({ kind }) => kind)).not.toContain('quota');
  });

  test("are a tenant's own key that is refused, which its admins replace", async () => {
    const value = 'key-of-the-tenant';
    await operator.ask(`PUT /tenants/elsewhere/provider-keys/${KEY}`, { value });
    answer(200, {
      OpenAPI_ServiceResponse: {
        cmmMsgHeader: { errMsg: 'SERVICE ERROR', returnReasonCode: '31' },
      },
    });
    const { key } = await gateway.createKey('elsewhere');
    await call('parks_get', 3, key);
    await untilProblem('elsewhere', {
      ...{ kind: 'provider_key', id: KEY, cause: 'operator_key', calls: 3, toolCount: 1 },
      ...{ repair: 'extend', by: 'admin', applyUrl: 'https://portal.example/parks' },
    });
    expect(JSON.stringify(await problemsOf('elsewhere'))).not.toContain(value);
  });
});
