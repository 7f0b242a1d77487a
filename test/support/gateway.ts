import { randomUUID } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { createApiKeyStore } from '../../src/access/keys/api-key-store.ts';
import type { KeyChange } from '../../src/access/keys/key-change.ts';
import {
  createProviderKeyStore,
  OPERATOR,
} from '../../src/access/provider-keys/provider-key-store.ts';
import { createTenantStore } from '../../src/access/tenants/tenant-store.ts';
import { type Gateway, startGateway } from '../../src/compose/start-gateway.ts';
import { readSettings, type Settings } from '../../src/platform/config/settings.ts';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { type Clock, systemClock } from '../../src/platform/kernel/time.ts';
import { openVault } from '../../src/platform/vault/vault.ts';
import { openTestDatabase, TEST_BACKENDS, type TestBackend, type TestPlace } from './databases.ts';
import { type FixtureUpstream, fixturePreset, startFixtureUpstream } from './fixture-upstream.ts';
import { testRedisUrl } from './redis.ts';
import { SHIPPED_PRESETS } from './sandboxed-presets.ts';

const SHIPPED_TOOLSETS = resolve(import.meta.dirname, '../../toolsets');

export interface TestGatewayOptions {
  readonly backend?: Pick<TestBackend, 'name' | 'makePlace'>;
  /** Environment variables beyond those of every test gateway. */
  readonly env?: Readonly<Record<string, string>>;
  /** Secrets that presets require; by default, all are set. */
  readonly secrets?: (name: string) => Secret | undefined;
  /** Presets beside the shipped ones, by name; the upstream of all is the test's own. */
  readonly presets?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** An upstream that stays when the gateway is closed. */
  readonly upstream?: FixtureUpstream;
}

/** A JSON response with its status and headers. */
export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  readonly body: any;
}

/** A whole gateway on real sockets, with the sandbox and an upstream that the test controls. */
export interface TestGateway {
  readonly url: string;
  readonly key: string;
  readonly place: TestPlace;
  readonly settings: Settings;
  readonly sandbox: Sandbox;
  readonly upstream: FixtureUpstream;
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  json(path: string, init?: RequestInit & { key?: string | null }): Promise<JsonResponse>;
  rpc(body: unknown, key?: string): Promise<JsonResponse>;
  call(name: string, args?: unknown, key?: string): Promise<JsonResponse>;
  createKey(
    tenant: string,
    options?: {
      allowedTools?: string[];
      mode?: 'search';
      scope?: 'admin' | 'operator';
      expiresAtMs?: number;
      rateLimitPerMinute?: number;
      dailyLimit?: number;
    },
  ): Promise<{ id: string; key: string }>;
  revokeKey(id: string): Promise<void>;
  /** Changes a key, like another process. */
  changeKey(id: string, change: KeyChange): Promise<void>;
  /** Changes the tools of a key, like another process. */
  allowTools(id: string, tools: readonly string[]): Promise<void>;
  /** Stores a provider key like another process; null removes it. */
  setProviderKey(name: string, value: string | null): Promise<void>;
  /** Injects a fault into the next responses of a sandbox tool. */
  fault(tool: string, fault: string, times?: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs the same tests on the embedded defaults, and on PostgreSQL with Redis if both are configured. */
export const GATEWAY_BACKENDS = TEST_BACKENDS.filter(
  ({ name }) => name === 'embedded' || testRedisUrl !== undefined,
);

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const backend = options.backend ?? TEST_BACKENDS[0];
  if (!backend) throw new Error('No backend is given.');
  const place = await backend.makePlace();
  const presetsDir = join(place.dataDir, 'presets');
  await cp(SHIPPED_PRESETS, presetsDir, { recursive: true });
  await cp(SHIPPED_TOOLSETS, join(place.dataDir, 'toolsets'), { recursive: true });
  await mkdir(join(presetsDir, 'fixture'), { recursive: true });
  for (const [name, text] of Object.entries({ fixture: fixturePreset, ...options.presets })) {
    await writeFile(join(presetsDir, `fixture/${name}.yaml`), text);
  }
  const sandbox = await createSandbox({
    presetsDir: SHIPPED_PRESETS,
    host: '127.0.0.1',
    port: 0,
    clock: options.clock ?? systemClock,
  });
  const upstream = options.upstream ?? (await startFixtureUpstream());
  const key = newApiKeyText();
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: join(place.dataDir, 'data'),
    PRESETS_DIR: presetsDir,
    BOOTSTRAP_API_KEY: key,
    LOG_LEVEL: 'silent',
    AUTH_FAILURES_PER_MINUTE: '0',
    DRAIN_NOTICE_MS: '0',
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
    const response = await request(path, init);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : null,
    };
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
    const deps = { db: database.db, clock: systemClock, actor: 'cli', isOperator: true };
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
    settings,
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
        await keys.revoke({ id });
      }),
    changeKey: (id, change) =>
      withStores(async ({ keys }) => {
        await keys.change({ id }, change);
      }),
    allowTools: (id, tools) =>
      withStores(async ({ keys }) => {
        await keys.change({ id }, { allowedTools: tools });
      }),
    setProviderKey: async (name, value) => {
      const database = await openTestDatabase({ ...place, dataDir: settings.DATA_DIR });
      const vault = await openVault(settings, database.db);
      const store = createProviderKeyStore({ db: database.db, vault, clock: systemClock });
      try {
        const id = { tenantId: OPERATOR, name };
        if (value === null) await store.remove(id, 'cli');
        else await store.set(id, new Secret(value), 'cli');
      } finally {
        await database.close();
      }
    },
    fault: async (tool, fault, times = 1) => {
      const response = await fetch(`${sandbox.url}/_sandbox/faults`, {
        method: 'POST',
        body: JSON.stringify({ tool, fault, times }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    close: async () => {
      await gateway.close();
      await sandbox.close();
      if (!options.upstream) await upstream.close();
      await place.remove();
    },
  };
}
