import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN, ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';

const NAME = 'DART_API_KEY';
const TOOL = 'dart_search_disclosures';
const PORTAL = 'PUBLIC_DATA_SERVICE_KEY';
const VALUE = 'recognisable-provider-key';

describe.each(GATEWAY_BACKENDS)('provider keys on the dashboard ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  beforeEach(async () => {
    gateway = await startTestGateway({
      backend,
      secrets: () => undefined,
      env: { ...ADMIN_ENV, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    });
    operator = await signIn(gateway);
  });
  afterEach(() => gateway.close());

  const keyOf = async (name: string) => {
    const { body } = await operator.ask('GET /provider-keys');
    return body.keys.find((key: { name: string }) => key.name === name);
  };
  const runTest = async (name: string, more: object = {}) =>
    operator.ask(`POST /provider-keys/${name}/test`, { tenant: 'default', ...more });
  const verdictOf = async (name: string, more?: object) => (await runTest(name, more)).body.verdict;
  const isNoted = async (): Promise<boolean> => {
    const { body } = await gateway.json(`/api/v1/tools/${TOOL}`);
    return body.description.includes(`Needs the secret ${NAME}`);
  };

  test('are listed with their tools and where to get them', async () => {
    const { body } = await operator.ask('GET /provider-keys');
    expect(body.canStore).toBe(true);
    expect(body.keys.length).toBeGreaterThan(8);
    expect(await keyOf(NAME)).toMatchObject({
      origin: 'missing',
      isStored: false,
      changedAt: null,
      changedBy: null,
      servers: [
        {
          id: 'economy/dart',
          url: expect.stringContaining('https://opendart.fss.or.kr'),
          tools: expect.arrayContaining([expect.objectContaining({ name: TOOL })]),
        },
      ],
      testTools: expect.arrayContaining([TOOL]),
    });
  });

  test('are in use as soon as they are set, and no longer once they are removed', async () => {
    expect(await isNoted()).toBe(true);
    const set = await operator.ask(`POST /provider-keys/${NAME}`, { value: VALUE });
    expect(set.body).toMatchObject({
      name: NAME,
      origin: 'stored',
      changedBy: (await operator.ask('GET /me')).body.person.id,
      changedByEmail: ADMIN.email,
      changedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(JSON.stringify(set.body)).not.toContain(VALUE);
    expect(await isNoted()).toBe(false);
    const page = await operator.ask(`GET /tenants/default/catalogue/${TOOL}`);
    expect(page.body.secrets).toMatchObject([{ name: NAME, isSet: true }]);
    expect((await gateway.call(TOOL)).body.result.isError).toBeFalsy();
    const removed = await operator.ask(`DELETE /provider-keys/${NAME}`);
    expect(removed.body).toMatchObject({ origin: 'missing', isStored: false });
    expect(await isNoted()).toBe(true);
    expect((await operator.ask(`DELETE /provider-keys/${NAME}`)).status).toBe(404);
  });

  test('can be tested before they are stored: the provider decides', async () => {
    expect(await runTest(NAME, { value: VALUE })).toMatchObject({
      status: 200,
      body: {
        verdict: 'works',
        status: 200,
        serverId: 'economy/dart',
        auditId: expect.any(String),
      },
    });
    // Keys that the sandbox refuses.
    expect(await verdictOf(PORTAL, { value: 'wrong' })).toBe('key_invalid');
    expect(await verdictOf(PORTAL, { value: 'expired' })).toBe('key_expired');
    expect(await verdictOf(PORTAL, { value: 'blocked-ip' })).toBe('address_refused');
    expect(await verdictOf(PORTAL, { value: 'quota' })).toBe('quota_used_up');
    expect(await keyOf(PORTAL)).toMatchObject({ origin: 'missing', isStored: false });
    expect(await isNoted()).toBe(true);
  });

  test('are told from a dataset that was not applied for, and from an upstream that is away', async () => {
    await operator.ask(`POST /provider-keys/${PORTAL}`, { value: VALUE });
    const [first = '', second = ''] = (await keyOf(PORTAL)).testTools;
    await gateway.fault(first, 'status:403', 20);
    await gateway.fault(second, 'status:503', 20);
    expect(await runTest(PORTAL)).toMatchObject({
      body: { verdict: 'not_applied', tool: first, status: 403 },
    });
    expect(await verdictOf(PORTAL, { tool: second })).toBe('upstream_unavailable');
  });

  test('are tested by real calls, which are recorded and never answered from the cache', async () => {
    await operator.ask(`POST /provider-keys/${NAME}`, { value: VALUE });
    const [tool = ''] = (await keyOf(NAME)).testTools;
    await gateway.call(tool);
    const tests = [await runTest(NAME), await runTest(NAME)];
    const { body } = await gateway.json(`/api/v1/audit?tool=${tool}`);
    const recorded = body.records.filter(
      ({ clientName }: { clientName: string | null }) => clientName === 'Dashboard',
    );
    expect(recorded.map(({ auditId }: { auditId: string }) => auditId)).toEqual(
      tests.map((each) => each.body.auditId).reverse(),
    );
    for (const record of recorded) {
      expect(record).toMatchObject({
        apiKeyId: expect.stringMatching(/^person_/),
        cacheStatus: 'BYPASS',
      });
    }
    expect(JSON.stringify([body, tests.map((each) => each.body)])).not.toContain(VALUE);
  });

  test('can be tested six times a minute', async () => {
    for (let n = 0; n < 6; n++) expect(await verdictOf(NAME, { value: VALUE })).toBe('works');
    const refused = await runTest(NAME, { value: VALUE });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each([
    ['a name that no preset has', 404, 'PATH', { value: VALUE }],
    ['a control character', 400, NAME, { value: 'a\nb' }],
    ['no value', 400, NAME, {}],
    ['too long a value', 400, NAME, { value: 'x'.repeat(4097) }],
  ])('are refused: %s', async (_, status, name, body) => {
    const refused = await operator.ask(`POST /provider-keys/${name}`, body);
    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.body)).not.toContain(VALUE);
    const tested = await runTest(name, body);
    expect(tested.status).toBeGreaterThanOrEqual(400);
  });

  test('are not tested with a tool that does not need them, nor for a tenant that does not exist', async () => {
    const other = await runTest(NAME, { value: VALUE, tool: 'frankfurter_rates' });
    expect([other.status, other.body.message]).toEqual([404, expect.stringContaining(TOOL)]);
    expect((await runTest(NAME, { value: VALUE, tenant: 'nowhere' })).status).toBe(404);
  });
});
