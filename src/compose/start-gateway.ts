import { createFirstKey, ensureBootstrapKey } from '../access/keys/api-key-store.ts';
import type { OidcSettings } from '../access/people/auth.ts';
import { createPeople, type People } from '../access/people/people.ts';
import { newPassword } from '../access/people/person.ts';
import { createProviderKeySource } from '../access/provider-keys/provider-key-source.ts';
import { createSecurityLog } from '../access/trail/security-log.ts';
import {
  type FirstCall,
  firstCallOf,
  type ToolReadiness,
  toolReadiness,
} from '../calls/provider-keys/tool-readiness.ts';
import { GATEWAY_TOOL_NAMES } from '../dialects/gateway-tools/gateway-tools.ts';
import { assertCanListen, type ListenAddress, listen } from '../http/listen.ts';
import { describeSettings } from '../platform/config/describe-settings.ts';
import type { SecretSource, Settings } from '../platform/config/settings.ts';
import { lockDataDir, publishAddress } from '../platform/database/data-dir.ts';
import { type DiskReserve, openDiskReserve } from '../platform/database/disk-reserve.ts';
import { localHost } from '../platform/kernel/addresses.ts';
import type { Closeable } from '../platform/kernel/closing.ts';
import { type ClosingStack, createClosingStack } from '../platform/kernel/closing.ts';
import { StartupError } from '../platform/kernel/error.ts';
import { newApiKeyText, newPersonId } from '../platform/kernel/ids.ts';
import { lazily } from '../platform/kernel/memo.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { decodeProviderKey } from '../public-data/service-key.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import { createPresetLoader } from '../tools/catalog/load-presets.ts';
import { loadToolsets, type Toolsets, toolsetsDir } from '../tools/catalog/toolsets.ts';
import type { PresetServer } from '../tools/model.ts';
import { type Core, createCore } from './core.ts';
import { type DatabaseWatch, watchDatabase } from './database-watch.ts';
import { userAgentOf, warnWithoutContact } from './guarded.ts';
import { createLeftOverShipping } from './left-over.ts';
import { listenForMetrics } from './metrics/metrics.ts';
import { tellMetrics } from './metrics/worker-metrics.ts';
import type { GatewayContext, GatewayOptions, NewCredentials } from './options.ts';
import { openReadiness } from './readiness.ts';
import { openRegistered } from './registered.ts';
import { createServer } from './server.ts';
import { openStorage, type Storage } from './storage.ts';

/** A running gateway. */
export interface Gateway extends Closeable {
  /** `BASE_URL` if set, otherwise the address for clients on this machine. */
  readonly url: string;
  readonly metricsPort: number | null;
  readonly servers: number;
  /** Which tools are ready, and the keys that the others wait for. */
  readonly readiness: ToolReadiness;
  /** A call that needs no key of a provider; null if every tool needs more. */
  readonly firstCall: FirstCall | null;
  /** Takes other provider keys of the environment into use. Throws what the source throws, and then changes nothing. */
  useSecrets(secrets: SecretSource): void;
  /**
   * Reads the files of presets and toolsets again, takes them into use together, and notifies clients. Resolves with
   * whether anything has changed. Rejects with StartupError or SettingsError for files that cannot be used, and then
   * changes nothing. Do not call it again before it has ended.
   */
  reloadPresets(): Promise<boolean>;
  /** Builds what the first search of tools or codes would otherwise build, while other work continues. */
  prepareSearches(): Promise<void>;
}

/**
 * Builds and starts the gateway. While PostgreSQL is silent, it waits, and tries again from the beginning: what the first
 * attempt may have created remains known. Throws StartupError.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, logger } = options;
  const parts = createClosingStack();
  const address = addressOf(options);
  const watch = settings.DATABASE_URL
    ? parts.add(watchDatabase(settings, address, logger))
    : undefined;
  const start = { openPlace: lazily(() => openPlace(options, parts)), first: newFirst(), watch };
  try {
    for (;;) {
      const attempt = createClosingStack();
      try {
        const opening = open(options, { ...start, parts: attempt });
        const gateway = await Promise.race([opening, ...(watch ? [watch.failed] : [])]);
        parts.add(attempt);
        return { ...gateway, close: parts.close };
      } catch (error) {
        await attempt.close().catch(() => undefined);
        if (!watch) throw error;
        await watch.recovered(error);
      }
    }
  } catch (error) {
    await parts.close();
    throw error;
  }
}

const addressOf = ({ settings, worker }: GatewayOptions): ListenAddress => ({
  host: settings.HOST,
  port: settings.PORT,
  setting: 'PORT',
  // Elsewhere, the supervisor accepts each connection and passes it on, which costs more than half of a short one.
  reusePort: worker !== undefined && process.platform === 'linux',
});

/**
 * Also checks the port: otherwise a start that cannot listen would create a key that nobody ever sees. The port of workers was checked
 * before they started.
 */
async function openPlace(
  { settings, worker }: GatewayOptions,
  parts: ClosingStack,
): Promise<DiskReserve> {
  const { DATA_DIR: dataDir, DISK_RESERVE_BYTES: floorBytes } = settings;
  const disk = parts.add(openDiskReserve({ dataDir, floorBytes }));
  parts.add(lockDataDir(dataDir));
  if (!worker) await assertCanListen(settings.HOST, settings.PORT);
  return disk;
}

/** What the first start creates if nothing is there. */
const newFirst = () => ({
  apiKey: new Secret(newApiKeyText()),
  personId: newPersonId(),
  password: newPassword(),
});

/** One attempt to start. */
interface Attempt extends Pick<GatewayContext, 'parts' | 'openPlace'> {
  readonly first: ReturnType<typeof newFirst>;
  readonly watch: DatabaseWatch | undefined;
}

async function open(
  options: GatewayOptions,
  { first, watch, ...attempt }: Attempt,
): Promise<Omit<Gateway, 'close'>> {
  const { settings, logger } = options;
  const { reload, hasSecret, ...presets } = await openPresets(options);
  const { catalog } = presets;
  const securityLog = createSecurityLog(logger);
  const context = { ...options, ...presets, ...attempt, securityLog };
  const storage = await openStorage(context);
  const leftOver = attempt.parts.add(createLeftOverShipping(context, storage.database));
  const readiness = await openReadiness(context, storage);
  const core = createCore(context, storage, readiness);
  readiness.follow(() => core.hub.listChanged());
  // From here on, new keys are noticed, including those created below.
  await core.authenticator.refresh();
  if (settings.BOOTSTRAP_API_KEY) {
    await ensureBootstrapKey(storage.tenants, storage.apiKeys, settings.BOOTSTRAP_API_KEY);
  }
  const registered = await openRegistered(context, storage, { ...core, ...readiness });
  const people = openPeople(context, storage);
  const parts = { ...core, ...registered, ...readiness, people };
  const app = await createServer(context, storage, parts);
  const metricsPort = await openMetrics(context, core);
  const credentials = await createFirst(context, { ...storage, people }, first);
  options.handOver?.(credentials);
  // Last, when nothing else can fail any more.
  const heldPort = await watch?.release();
  const address = addressOf(options);
  const port = await listen(app, { ...address, port: heldPort ?? address.port });
  for (const own of [port, metricsPort]) if (own !== null) core.guarded.ownPorts.add(own);
  const url = `http://${localHost(settings.HOST)}:${port}`;
  // The commands look in the directory of the supervisor.
  const { worker } = context;
  // Of workers, the supervisor is the process to stop.
  const pid = worker ? process.ppid : process.pid;
  attempt.parts.add(publishAddress(worker?.sharedDir ?? settings.DATA_DIR, url, pid));
  recordStart(context);
  warnWithoutContact(context);
  leftOver.start();
  return {
    url: settings.BASE_URL ?? url,
    metricsPort,
    servers: catalog.servers.length,
    readiness: toolReadiness(catalog, hasSecret),
    firstCall: firstCallOf(catalog),
    useSecrets: readiness.providerKeys.useEnvironment,
    reloadPresets: async () => {
      if (!(await reload())) return false;
      readiness.describe();
      core.hub.listChanged();
      return true;
    },
    prepareSearches: async () => {
      await catalog.prepareSearch(catalog.presetEntries, { q: 'any' });
      await core.codes.prepare();
    },
  };
}

/** Creates the first administrator and the first API key, both of tenant `default`, unless there are people and keys. */
async function createFirst(
  { settings }: GatewayContext,
  { tenants, apiKeys, people }: Storage & { people: People },
  first: Attempt['first'],
): Promise<NewCredentials> {
  const { id: tenantId } = await tenants.ensure('default');
  const { ADMIN_EMAIL, ADMIN_PASSWORD } = settings;
  const email = await people.createFirstAdministrator({
    tenantId,
    personId: first.personId,
    email: ADMIN_EMAIL,
    password: ADMIN_PASSWORD ?? first.password,
  });
  return {
    administrator: email ? { email, password: ADMIN_PASSWORD ? null : first.password } : null,
    apiKey: (await createFirstKey(tenants, apiKeys, first.apiKey)) ? first.apiKey : null,
  };
}

/** Resolves with the port of the metrics, which the supervisor of workers has opened; null if they have none. */
async function openMetrics({ settings, parts, worker }: GatewayContext, { metrics }: Core) {
  if (!settings.METRICS_PORT) return null;
  if (worker) {
    parts.add(tellMetrics(metrics.registry));
    return settings.METRICS_PORT;
  }
  return parts.add(await listenForMetrics(settings, () => metrics.registry.metrics())).port;
}

/** Records the start. Of secrets, it records only the names that presets use and that are set. */
function recordStart({ settings, keySource, securityLog }: GatewayContext): void {
  securityLog.record('started', {
    version: VERSION,
    settings: describeSettings(settings),
    secrets: keySource.names.filter((name) => keySource.secretOf(name)),
  });
}

/** The people who may sign in to the dashboard. Throws StartupError for incomplete settings. */
function openPeople(context: GatewayContext, storage: Storage): People {
  const { settings } = context;
  return createPeople({
    ...context,
    ...storage,
    db: storage.database.db,
    backend: storage.database.backend,
    baseUrl: settings.ADMIN_URL ?? settings.BASE_URL ?? `http://localhost:${settings.PORT}`,
    oidc: oidcOf(settings),
    failuresPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
  });
}

function oidcOf(settings: Settings): OidcSettings | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, BASE_URL } = settings;
  if (!OIDC_ISSUER) return undefined;
  if (!OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET || !BASE_URL) {
    throw new StartupError(
      'OIDC_ISSUER is set. Set OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and BASE_URL, too.',
    );
  }
  return { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET };
}

/** Loads the presets, and the toolsets that name their tools. Throws StartupError. */
async function openPresets(options: GatewayOptions) {
  const { settings, logger, clock, secrets, sandboxSecret, baseUrlFor } = options;
  const load = createPresetLoader({
    dir: settings.PRESETS_DIR,
    extraDirs: settings.PRESETS_EXTRA_DIRS,
    domain: PUBLIC_DATA_TOOLS,
    lenient: settings.PRESETS_LENIENT,
    logger,
    userAgent: userAgentOf(settings),
    ...(baseUrlFor ? { baseUrlFor } : {}),
  });
  /** The toolsets are in the directory beside PRESETS_DIR, and name tools of all presets. */
  const toolsetsFor = (servers: readonly PresetServer[]): Promise<Toolsets> =>
    loadToolsets({
      dir: toolsetsDir(settings.PRESETS_DIR),
      toolNames: servers.flatMap(({ tools }) => tools.map(({ name }) => name)),
      ownToolNames: GATEWAY_TOOL_NAMES,
      lenient: settings.PRESETS_LENIENT,
      logger,
    });

  const { presets } = await load();
  const keySource = createProviderKeySource({
    names: secretNamesOf(presets),
    environment: secrets,
    sandboxSecret,
    decode: decodeProviderKey,
  });
  const hasSecret = (name: string): boolean => keySource.secretOf(name) !== undefined;
  const catalog = createCatalog({ presets, clock, hasSecret });
  const toolsets = new Map(await toolsetsFor(presets));

  /** Reads all files again, and takes them into use together (see `Gateway.reloadPresets`). */
  async function reload(): Promise<boolean> {
    const { presets: next } = await load();
    const nextToolsets = await toolsetsFor(next);
    keySource.useNames(secretNamesOf(next));
    const hasOtherToolsets = textOf(toolsets) !== textOf(nextToolsets);
    toolsets.clear();
    for (const [name, toolset] of nextToolsets) toolsets.set(name, toolset);
    if (isSame(catalog.servers, next)) return hasOtherToolsets;
    catalog.setPresets(next);
    return true;
  }

  return { catalog, keySource, toolsets, hasSecret, reload };
}

const secretNamesOf = (presets: readonly PresetServer[]): string[] =>
  [...new Set(presets.flatMap(({ tools }) => tools.flatMap(({ secrets }) => secrets)))].sort();

const textOf = (toolsets: Toolsets): string => JSON.stringify([...toolsets]);

/** A file that did not change is the same object. */
const isSame = (before: readonly PresetServer[], after: readonly PresetServer[]): boolean =>
  before.length === after.length && after.every((preset, at) => preset === before[at]);
