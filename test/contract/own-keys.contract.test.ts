import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProviderKeyStore } from '../../src/access/provider-keys/provider-key-store.ts';
import { createTenantStore } from '../../src/access/tenants/tenant-store.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import { openVault } from '../../src/platform/vault/vault.ts';
import { registerApi } from '../own-apis/register-api.ts';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { openTestDatabase } from '../support/databases.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const NAME = 'PROVIDER_KEY';
const HEADER_NAME = 'HEADER_KEY';
const OPERATORS = 'key-of-the-operator';
const ADDRESS = `/api/v1/provider-keys/${NAME}`;
const PAGE = 'https://portal.example/data/15000001/openapi.do';

const PRESET = `openapi: 3.1.0
info: { title: Owned, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
externalDocs: { url: "${PAGE}" }
x-cache-ttl: 600
x-success: { code: /code, values: ['00'], causes: { '20': not_approved } }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: ${NAME}, description: "Key; get it at https://portal.example." }
    header: { type: apiKey, in: header, name: x-provider, x-secret: ${HEADER_NAME}, description: "Key; get it at https://portal.example." }
paths:
  /one:
    get:
      operationId: owned_one
      description: One key.
      security: [{ key: [] }]
      parameters: [{ name: q, in: query, schema: { type: string } }]
      responses: { "200": { description: Anything. } }
  /two:
    get:
      operationId: owned_two
      description: Two keys.
      security: [{ key: [], header: [] }]
      parameters: [{ name: q, in: query, schema: { type: string } }]
      responses: { "200": { description: Anything. } }
`;

const Q = { name: 'q', in: 'query', schema: { type: 'string' } };

describe.each(GATEWAY_BACKENDS)('own provider keys ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let log = '';
  /** Keys as they arrived upstream, in query and header. */
  let sent: string[] = [];
  let code = '00';
  let asked = 0;

  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      presets: { owned: PRESET },
      secrets: () => new Secret(OPERATORS),
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        LOG_LEVEL: 'trace',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
      logger: pino(
        { level: 'trace' },
        {
          write: (line: string) => {
            log += line;
          },
        },
      ),
    });
    operator = await signIn(gateway);
    gateway.upstream.answer(({ url, headers }, response) => {
      const key = new URL(url, 'http://upstream').searchParams.get('key');
      sent.push([key, headers['x-provider'] ?? []].flat().join(' '));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ code, of: key }));
    });
  });
  afterAll(() => gateway.close());

  const newTenant = async (slug: string) => (await gateway.createKey(slug)).key;
  const put = (key: string, value: unknown, address = ADDRESS) =>
    gateway.json(address, {
      method: 'PUT',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });
  const remove = (key: string, address = ADDRESS) =>
    gateway.json(address, { method: 'DELETE', key });
  const call = async (key: string, q: string, tool = 'owned_one') => {
    sent = [];
    return (await gateway.call(tool, { q }, key)).body;
  };
  const fresh = (key: string, tool?: string) => call(key, `fresh ${asked++}`, tool);
  const shown = async (key: string, name = NAME) => {
    const { body } = await gateway.json('/api/v1/provider-keys', { key });
    return body.providerKeys.find((each: { name: string }) => each.name === name);
  };

  test(
    verifies(
      'own-keys.sent',
      'GET /api/v1/provider-keys',
      'GET /api/v1/provider-keys/:name',
      'PUT /api/v1/provider-keys/:name',
      'DELETE /api/v1/provider-keys/:name',
    ),
    async () => {
      const mine = await newTenant('sent');
      const other = await newTenant('sent-other');
      await fresh(mine);
      expect(sent).toEqual([OPERATORS]);
      expect(await shown(mine)).toMatchObject({ owner: 'operator', isSet: true, changedAt: null });

      expect((await put(mine, 'first-own-key')).status).toBe(201);
      const replaced = await put(mine, 'second-own-key');
      expect(replaced).toMatchObject({
        status: 200,
        body: { name: NAME, owner: 'tenant', isSet: true, policy: 'shared' },
      });
      expect(replaced.headers.get('cache-control')).toBe('no-store');
      await fresh(mine);
      expect(sent).toEqual(['second-own-key']);
      await fresh(mine, 'owned_two');
      expect(sent).toEqual([`second-own-key ${OPERATORS}`]);
      await put(mine, 'own-header-key', `/api/v1/provider-keys/${HEADER_NAME}`);
      await fresh(mine, 'owned_two');
      expect(sent).toEqual(['second-own-key own-header-key']);
      await fresh(other, 'owned_two');
      expect(sent).toEqual([`${OPERATORS} ${OPERATORS}`]);
      expect(await shown(other)).toMatchObject({ owner: 'operator' });
      // The figures of quotas follow the calls a moment later.
      const isSame = async () =>
        isDeepStrictEqual((await gateway.json(ADDRESS, { key: mine })).body, await shown(mine));
      await until(isSame);

      expect((await remove(mine)).status).toBe(204);
      expect(await remove(mine)).toMatchObject({ status: 404 });
      expect((await remove(other)).status).toBe(404);
      await fresh(mine);
      expect(sent).toEqual([OPERATORS]);
    },
  );

  test(`${verifies('own-keys.sent')}: set and removed by another process`, async () => {
    const mine = await newTenant('elsewhere');
    const database = await openTestDatabase({
      ...gateway.place,
      dataDir: gateway.settings.DATA_DIR,
    });
    try {
      const vault = await openVault(gateway.settings, database.db);
      const store = createProviderKeyStore({ db: database.db, vault, clock: systemClock });
      const tenant = await createTenantStore({ db: database.db, clock: systemClock }).ensure(
        'elsewhere',
      );
      const id = { tenantId: tenant.id, name: NAME };
      const isSent = async (key: string): Promise<boolean> => {
        await fresh(mine);
        return sent[0] === key;
      };
      const startedMs = performance.now();
      await store.set(id, new Secret('key-from-elsewhere'), 'cli');
      await until(() => isSent('key-from-elsewhere'));
      await store.remove(id, 'cli');
      await until(() => isSent(OPERATORS));
      await store.setPolicy(NAME, 'own', 'cli');
      await until(async () => (await fresh(mine)).error?.data.reason === 'missing_secret');
      await store.setPolicy(NAME, 'shared', 'cli');
      await until(() => isSent(OPERATORS));
      expect(performance.now() - startedMs).toBeLessThan(4 * 3000);
    } finally {
      await database.close();
    }
  });

  test(verifies('own-keys.apart'), async () => {
    const mine = await newTenant('apart');
    const [other, third] = [await newTenant('apart-other'), await newTenant('apart-third')];
    await put(mine, 'key-of-apart');
    const status = async (key: string, q: string) => {
      const { result } = await call(key, q);
      return [result.cacheStatus, JSON.stringify(result).includes('key-of-apart')];
    };
    expect((await status(mine, 'apart'))[0]).toBe('MISS');
    expect((await status(mine, 'apart'))[0]).toBe('HIT');
    expect((await status(other, 'apart'))[0]).toBe('MISS');
    expect(sent).toEqual([OPERATORS]);
    expect((await status(third, 'apart'))[0]).toBe('HIT');
    // A new value begins with nothing; another tenant with the same value, too.
    await put(mine, 'key-of-apart-2');
    expect((await status(mine, 'apart'))[0]).toBe('MISS');
    await put(third, 'key-of-apart-2');
    expect((await status(third, 'apart'))[0]).toBe('MISS');
    expect(sent).toEqual(['key-of-apart-2']);
    await remove(mine);
    expect((await status(mine, 'apart'))[0]).toBe('HIT');
    expect(sent).toEqual([]);
  });

  test(`${verifies('own-keys.apart')}: calls at the same time`, async () => {
    const mine = await newTenant('flight');
    const other = await newTenant('flight-other');
    await put(mine, 'key-of-flight');
    sent = [];
    const calls = [mine, other, mine, other].map((key) =>
      gateway.call('owned_one', { q: 'flight' }, key),
    );
    await Promise.all(calls);
    expect(sent.sort()).toEqual(['key-of-flight', OPERATORS]);
  });

  test(verifies('own-keys.policy'), async () => {
    const mine = await newTenant('policy');
    const other = await newTenant('policy-other');
    await put(mine, 'key-of-policy');
    await call(other, 'policy');
    const policy = (value: string) =>
      operator.ask(`POST /provider-keys/${NAME}/policy`, { policy: value });
    expect((await policy('own')).body).toEqual({ name: NAME, policy: 'own' });

    // Neither sent nor answered with what the operator's key has fetched.
    const { error } = await call(other, 'policy');
    expect(error.data.reason).toBe('missing_secret');
    expect(error.message).toContain(ADDRESS);
    expect(sent).toEqual([]);
    expect(await shown(other)).toMatchObject({ owner: 'operator', isSet: false, policy: 'own' });
    await fresh(mine);
    expect(sent).toEqual(['key-of-policy']);
    const described = async (key: string) =>
      (await gateway.json('/api/v1/tools/owned_one', { key })).body.description;
    expect(await described(other)).toContain(ADDRESS);
    expect(await described(mine)).not.toContain(ADDRESS);

    await policy('shared');
    expect((await call(other, 'policy')).result.cacheStatus).toBe('HIT');
    expect(await described(other)).toBe('One key.');
    expect((await operator.ask(`POST /provider-keys/${NAME}/policy`, { policy: 'x' })).status).toBe(
      400,
    );
    expect(
      (await operator.ask('POST /provider-keys/PROVIDER_KEX/policy', { policy: 'own' })).body
        .message,
    ).toContain(`Did you mean ${NAME}?`);
  });

  test(verifies('own-keys.refused'), async () => {
    const mine = await newTenant('refused');
    for (const [value, issue] of [
      ['', 'is empty'],
      ['  ', 'is empty'],
      ['x'.repeat(4097), 'is too long: 4097'],
      ['a\nb', 'control character'],
      ['a%252Bb', 'encoded twice'],
    ] as const) {
      const { status, body } = await put(mine, value);
      expect([value.slice(0, 10), status]).toEqual([value.slice(0, 10), 400]);
      expect(body.message).toContain(issue);
      if (value.trim()) expect(JSON.stringify(body)).not.toContain(value);
    }
    expect((await put(mine, 7)).status).toBe(400);
    expect((await put(mine, 'x', '/api/v1/provider-keys/PROVIDER_KEX')).body.message).toContain(
      `Did you mean ${NAME}?`,
    );
    expect((await remove(mine, '/api/v1/provider-keys/nothing')).status).toBe(404);
    expect((await gateway.json('/api/v1/provider-keys/nothing', { key: mine })).status).toBe(404);
    const narrow = await gateway.createKey('refused', { allowedTools: ['owned_one'] });
    expect((await put(narrow.key, 'x')).status).toBe(404);
    expect((await remove(narrow.key)).status).toBe(404);
    expect((await gateway.json('/api/v1/provider-keys', { key: narrow.key })).status).toBe(404);
    expect(await shown(mine)).toMatchObject({ owner: 'operator' });
  });

  test(verifies('own-keys.readiness'), async () => {
    const mine = await newTenant('ready');
    const other = await newTenant('ready-other');
    await put(mine, 'key-of-ready');
    const described = async (key: string) =>
      (await gateway.json('/api/v1/tools/owned_one', { key })).body.description;
    code = '20';
    await fresh(mine);
    code = '00';
    await fresh(other);
    const [dataset] = (await shown(mine)).datasets;
    expect(dataset).toMatchObject({
      ...{ id: '15000001', state: 'not_applied', applyUrl: PAGE },
      tools: ['owned_one', 'owned_two'],
      evidence: { code: '20' },
    });
    expect(JSON.stringify(dataset)).not.toContain('tenants');
    expect((await shown(other)).datasets[0]).toMatchObject({ state: 'works' });
    await until(async () =>
      /tenant's key is not approved.*your tenant/.test(await described(mine)),
    );
    expect(await described(other)).toBe('One key.');
    await fresh(mine);
    await until(async () => (await described(mine)) === 'One key.');
    expect((await shown(mine)).datasets[0]).toMatchObject({ state: 'works' });
    // A new value is unknown.
    await put(mine, 'another-key-of-ready');
    expect((await shown(mine)).datasets[0]).toMatchObject({ state: 'unknown', quota: null });
    await fresh(mine);
    await until(async () => (await shown(mine)).datasets[0].quota !== null);
    expect((await shown(mine)).datasets[0].quota).toMatchObject({ ownUsed: 1 });
  });

  describe('and the APIs that a tenant registers', () => {
    let elsewhere: string;
    let key: string;
    let admin: string;

    /** A new tenant with an API that sends its key, at the origin of no preset. */
    const startTenant = async (slug: string) => {
      elsewhere = gateway.upstream.url.replace('127.0.0.1', 'localhost');
      key = await newTenant(slug);
      admin = (await gateway.createKey(slug, { scope: 'admin' })).key;
      await put(key, `key-of-${slug}`);
    };
    const register = (name: string, origin: string, more: object = {}) =>
      registerApi(gateway, key, {
        name,
        spec_raw: JSON.stringify({
          openapi: '3.1.0',
          info: { title: name, version: '1' },
          servers: [{ url: origin }],
          paths: {
            '/any': {
              get: {
                operationId: name,
                description: 'Anything.',
                parameters: [Q, { ...Q, name: 'key' }],
                responses: { 200: { description: 'Anything.' } },
              },
            },
          },
        }),
        auth: { type: 'provider_key', name: NAME },
        extensions: [{ operation: 'GET /any', extension: 'x-credential', value: 'key' }],
        ...more,
      });
    const allow = (origins: unknown, by = admin, name = NAME) =>
      gateway.json(`/api/v1/admin/tenants/_/provider-keys/${name}/origins`, {
        method: 'POST',
        key: by,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ origins }),
      });

    test(verifies('own-keys.origins'), async () => {
      await startTenant('origins');
      await register('usual', gateway.upstream.url);
      expect((await fresh(key, 'usual')).result).toBeDefined();
      expect(sent).toEqual(['key-of-origins']);

      await register('reader', elsewhere);
      const refused = await fresh(key, 'reader');
      expect(refused.error.data.reason).toBe('missing_secret');
      expect(refused.error.message).toContain(elsewhere);
      expect(refused.error.message).toContain('an admin of the tenant must allow');
      expect(sent).toEqual([]);
      expect(await shown(key)).toMatchObject({ origins: [], waiting: [elsewhere] });

      expect((await allow([elsewhere], key)).status).toBe(403);
      expect(await allow([elsewhere])).toMatchObject({
        status: 200,
        body: { origins: [elsewhere], waiting: [] },
      });
      expect((await fresh(key, 'reader')).result).toBeDefined();
      expect(sent).toEqual(['key-of-origins']);
      await put(key, 'next-key-of-origins');
      await fresh(key, 'reader');
      expect(sent).toEqual(['next-key-of-origins']);

      await allow([]);
      expect((await fresh(key, 'reader')).error.data.reason).toBe('missing_secret');
      expect(sent).toEqual([]);
    });

    test(`${verifies('own-keys.origins')}: whatever else the tenant confirms`, async () => {
      await startTenant('confirmed');
      const more = { base_url: elsewhere, confirm_origins: [elsewhere] };
      await register('based', gateway.upstream.url, more);
      expect((await fresh(key, 'based')).error.message).toContain(elsewhere);
      const { registration } = await register('moved', gateway.upstream.url);
      const { body } = await gateway.json(`/api/v1/registrations/${registration.id}/refresh`, {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          spec_raw: JSON.stringify({
            openapi: '3.1.0',
            info: { title: 'moved', version: '2' },
            servers: [{ url: elsewhere }],
            paths: { '/any': { get: { operationId: 'moved', parameters: [Q], responses: {} } } },
          }),
          confirm_origins: [elsewhere],
        }),
      });
      expect(body.outcome).toBe('updated');
      expect((await fresh(key, 'moved')).error.message).toContain(elsewhere);
      expect(sent).toEqual([]);
    });

    test(`${verifies('own-keys.origins')}: values that are refused`, async () => {
      await startTenant('invalid-origins');
      for (const origins of [`${elsewhere}/`, [`${elsewhere}/`], Array(101).fill(elsewhere)])
        expect((await allow(origins)).status).toBe(400);
      expect((await allow([elsewhere], admin, HEADER_NAME)).status).toBe(404);
      expect((await allow([elsewhere], admin, 'PROVIDER_KEX')).body.message).toContain(NAME);
      await allow([elsewhere, elsewhere]);
      expect((await shown(key)).origins).toEqual([elsewhere]);
      await remove(key);
      await put(key, 'another');
      expect((await shown(key)).origins).toEqual([]);
    });
  });

  test(verifies('own-keys.hidden'), async () => {
    const mine = await newTenant('hidden');
    const value = 'recognisable+own/key==';
    await put(mine, value);
    const seen = [
      await fresh(mine),
      await gateway.json('/api/v1/provider-keys', { key: mine }),
      await gateway.json('/api/v1/audit?limit=100', { key: mine }),
      (await operator.ask('GET /trail?limit=100')).body,
      await operator.ask('GET /provider-keys'),
    ];
    expect(sent).toEqual([value]);
    const text = JSON.stringify(seen);
    expect(text).toContain('own_key.set');
    expect(text).toContain('REDACTED');
    expect(log).toContain('own_key_changed');
    const forms = [value, encodeURIComponent(value), Buffer.from(value).toString('base64')];
    for (const form of forms) {
      expect(text).not.toContain(form);
      expect(log).not.toContain(form);
    }
    const { DATA_DIR: dir } = gateway.settings;
    for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const form of forms)
        expect([file.name, bytes.includes(form)]).toEqual([file.name, false]);
    }
  });
});
