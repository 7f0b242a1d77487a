import { randomUUID } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { createApiKeyStore } from '../../src/access/keys/api-key-store.ts';
import { createTenantStore } from '../../src/access/tenants/tenant-store.ts';
import { type Gateway, startGateway } from '../../src/compose/start-gateway.ts';
import { readSettings } from '../../src/platform/config/settings.ts';
import { type Clock, systemClock } from '../../src/platform/kernel/clock.ts';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { openTestDatabase, TEST_BACKENDS, type TestBackend, type TestPlace } from './databases.ts';
import { type FixtureUpstream, fixturePreset, startFixtureUpstream } from './fixture-upstream.ts';
import { testRedisUrl } from './redis.ts';

export const SHIPPED_PRESETS = resolve(import.meta.dirname, '../../presets');

export interface TestGatewayOptions {
  readonly backend?: TestBackend;
  /** Environment beyond what every test gateway has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Secrets that presets ask for; all are there unless said otherwise. */
  readonly secrets?: (name: string) => Secret | undefined;
  /** Definition files beside the shipped ones, by preset name; the upstream of all is the test's own. */
  readonly presets?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** A JSON answer with its status and headers. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test.
  readonly body: any;
}

/** A whole gateway on real sockets, before the sandbox and an upstream that a test commands. */
export interface TestGateway {
  readonly url: string;
  readonly key: string;
  readonly place: TestPlace;
  readonly sandbox: Sandbox;
  readonly upstream: FixtureUpstream;
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  json(path: string, init?: RequestInit & { key?: string | null }): Promise<JsonAnswer>;
  rpc(body: unknown, key?: string): Promise<JsonAnswer>;
  call(name: string, args?: unknown, key?: string): Promise<JsonAnswer>;
  createKey(
    tenant: string,
    options?: { allowedTools?: string[]; expiresAtMs?: number },
  ): Promise<{ id: string; key: string }>;
  revokeKey(id: string): Promise<void>;
  /** Changes the tools of a key as another process would. */
  allowTools(id: string, tools: readonly string[]): Promise<void>;
  /** Makes the next answers of a sandbox tool go wrong. */
  fault(tool: string, fault: string, times?: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs the same tests on the embedded defaults, and on PostgreSQL with Redis where both are configured. */
export const GATEWAY_BACKENDS = TEST_BACKENDS.filter(
  ({ name }) => name === 'embedded' || testRedisUrl !== undefined,
);

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const backend = options.backend ?? TEST_BACKENDS[0];
  if (!backend) throw new Error('There is no backend.');
  const place = await backend.makePlace();
  const presetsDir = join(place.dataDir, 'presets');
  await cp(SHIPPED_PRESETS, presetsDir, { recursive: true });
  await mkdir(join(presetsDir, 'fixture'));
  for (const [name, text] of Object.entries({ fixture: fixturePreset, ...options.presets })) {
    await writeFile(join(presetsDir, `fixture/${name}.yaml`), text);
  }
  const sandbox = await createSandbox({ presetsDir: SHIPPED_PRESETS, host: '127.0.0.1', port: 0 });
  const upstream = await startFixtureUpstream();
  const key = newApiKeyText();
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: join(place.dataDir, 'data'),
    PRESETS_DIR: presetsDir,
    BOOTSTRAP_API_KEY: key,
    LOG_LEVEL: 'silent',
    AUTH_FAILURES_PER_MINUTE: '0',
    ...(place.databaseUrl && testRedisUrl
      ? { DATABASE_URL: place.databaseUrl.reveal(), REDIS_URL: testRedisUrl }
      : {}),
    REDIS_KEY_PREFIX: `test:${randomUUID()}:`,
    ...options.env,
  });
  const gateway: Gateway = await startGateway({
    settings,
    secrets: options.secrets ?? (() => new Secret('sandbox+key/==')),
    logger: options.logger ?? pino({ level: 'silent' }),
    clock: options.clock ?? systemClock,
    baseUrlFor: (id) => (id.startsWith('fixture/') ? upstream.url : sandbox.baseUrlFor(id)),
  });

  const request: TestGateway['fetch'] = (path, { key: as = key, ...init } = {}) =>
    fetch(`${gateway.url}${path}`, {
      ...init,
      headers: { ...(as === null ? {} : { 'x-api-key': as }), ...init.headers },
    });
  const json: TestGateway['json'] = async (path, init) => {
    const answer = await request(path, init);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : null };
  };
  const rpc: TestGateway['rpc'] = (body, as = key) =>
    json('/mcp', {
      method: 'POST',
      key: as,
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const withStores = async <T>(
    use: (stores: {
      tenants: ReturnType<typeof createTenantStore>;
      keys: ReturnType<typeof createApiKeyStore>;
    }) => Promise<T>,
  ): Promise<T> => {
    const { DATA_DIR: dataDir } = settings;
    const database = await openTestDatabase({ ...place, dataDir });
    const deps = { db: database.db, clock: systemClock };
    try {
      return await use({ tenants: createTenantStore(deps), keys: createApiKeyStore(deps) });
    } finally {
      await database.close();
    }
  };

  return {
    url: gateway.url,
    key,
    place,
    sandbox,
    upstream,
    fetch: request,
    json,
    rpc,
    call: (name, args = {}, as = key) =>
      rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }, as),
    createKey: (slug, keyOptions = {}) =>
      withStores(async ({ tenants, keys }) => {
        const { id: tenantId } = await tenants.ensure(slug);
        const { record, text } = await keys.create({ tenantId, name: 'test', ...keyOptions });
        return { id: record.id, key: text.reveal() };
      }),
    revokeKey: (id) =>
      withStores(async ({ keys }) => {
        await keys.revoke(id);
      }),
    allowTools: (id, tools) =>
      withStores(async ({ keys }) => {
        await keys.allow(id, tools);
      }),
    fault: async (tool, fault, times = 1) => {
      const answer = await fetch(`${sandbox.url}/_sandbox/faults`, {
        method: 'POST',
        body: JSON.stringify({ tool, fault, times }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    close: async () => {
      await gateway.close();
      await sandbox.close();
      await upstream.close();
      await place.remove();
    },
  };
}
