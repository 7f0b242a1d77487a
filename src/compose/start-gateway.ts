import { createFirstKey, ensureBootstrapKey } from '../access/keys/bootstrap-key.ts';
import type { People } from '../access/people/people.ts';
import { newPassword } from '../access/people/person-fields.ts';
import { createSecurityLog } from '../access/trail/security-log.ts';
import { type FirstCall, firstCallOf } from '../calls/first-call.ts';
import { prepareTools } from '../calls/prepare-tools.ts';
import { type ToolReadiness, toolReadiness } from '../calls/provider-keys/tool-readiness.ts';
import { assertCanListen, listen } from '../http/listen.ts';
import { listenForMetrics } from '../http/metrics/metrics-server.ts';
import { describeSettings } from '../platform/config/describe-settings.ts';
import type { SecretSource, Settings } from '../platform/config/settings.ts';
import { lockDataDir } from '../platform/database/data-dir.ts';
import { type DiskReserve, openDiskReserve } from '../platform/database/disk-reserve.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { type ClosingStack, createClosingStack } from '../platform/kernel/closing-stack.ts';
import { newApiKeyText, newPersonId } from '../platform/kernel/ids.ts';
import { lazily } from '../platform/kernel/lazily.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { localHost } from '../platform/kernel/url-host.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { type Core, createCore } from './core.ts';
import { type DatabaseWatch, watchDatabase } from './database-watch.ts';
import { createDoors } from './doors.ts';
import type { GatewayContext, GatewayOptions, NewCredentials } from './options.ts';
import { openPeople } from './people.ts';
import { openPresets } from './presets.ts';
import { openKeysOfProviders } from './provider-keys.ts';
import { openRegistered } from './registered.ts';
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
  /** Resolves once every tool is prepared for its first call. */
  readonly prepared: Promise<void>;
  /** Takes other provider keys of the environment into use. Throws what the source throws, and then changes nothing. */
  useSecrets(secrets: SecretSource): void;
  /**
   * Reads the files of presets and toolsets again, takes them into use together, and notifies clients. Resolves with
   * whether anything has changed. Rejects with StartupError or SettingsError for files that cannot be used, and then
   * changes nothing. Do not call it again before it has ended.
   */
  reloadPresets(): Promise<boolean>;
}

/**
 * Builds and starts the gateway. While PostgreSQL is silent, it waits, and tries again from the beginning: what the first
 * attempt may have created remains known. Throws StartupError.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, logger } = options;
  const parts = createClosingStack();
  const watch = settings.DATABASE_URL ? parts.add(watchDatabase(settings, logger)) : undefined;
  const start = { openPlace: lazily(() => openPlace(settings, parts)), first: newFirst(), watch };
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

/** Checks the port, too: what a start creates that cannot listen would be known to nobody. */
async function openPlace(settings: Settings, parts: ClosingStack): Promise<DiskReserve> {
  const { DATA_DIR: dataDir, DISK_RESERVE_BYTES: floorBytes } = settings;
  const disk = parts.add(openDiskReserve({ dataDir, floorBytes }));
  parts.add(lockDataDir(dataDir));
  await assertCanListen(settings.HOST, settings.PORT);
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
  const { reload, ...presets } = await openPresets(options);
  const { catalog, keySource } = presets;
  const securityLog = createSecurityLog(logger);
  const context = { ...options, ...presets, ...attempt, securityLog };
  const storage = await openStorage(context);
  const core = createCore(context, storage);
  // From here on, new keys are noticed, including those created below.
  await core.authenticator.refresh();
  if (settings.BOOTSTRAP_API_KEY) {
    await ensureBootstrapKey(storage.tenants, storage.apiKeys, settings.BOOTSTRAP_API_KEY);
  }
  const registered = await openRegistered(context, storage, core);
  const keys = await openKeysOfProviders(context, storage, core);
  const people = openPeople(context, storage);
  const app = await createDoors(context, storage, { ...core, ...registered, ...keys, people });
  const metricsPort = settings.METRICS_PORT ? await openMetrics(context, core) : null;
  const credentials = await createFirst(context, { ...storage, people }, first);
  options.handOver?.(credentials);
  // Last, when nothing else can fail any more.
  const heldPort = await watch?.release();
  const port = await listen(app, settings.HOST, heldPort ?? settings.PORT);
  for (const own of [port, metricsPort]) if (own !== null) core.guarded.ownPorts.add(own);
  recordStart(context);
  const prepare = (): Promise<void> =>
    prepareTools(
      catalog.presetEntries.map(({ tool }) => tool),
      logger,
    );
  return {
    url: settings.BASE_URL ?? `http://${localHost(settings.HOST)}:${port}`,
    metricsPort,
    servers: catalog.servers.length,
    readiness: toolReadiness(catalog, (name) => keySource.secretOf(name) !== undefined),
    firstCall: firstCallOf(catalog),
    prepared: prepare(),
    useSecrets: keys.providerKeys.useEnvironment,
    reloadPresets: async () => {
      if (!(await reload())) return false;
      core.hub.listChanged();
      await prepare();
      return true;
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

async function openMetrics(
  { settings, parts }: GatewayContext,
  { metrics }: Core,
): Promise<number> {
  const { HOST, METRICS_HOST, METRICS_PORT, WRITE_TIMEOUT_MS } = settings;
  const host = METRICS_HOST ?? HOST;
  const server = await listenForMetrics(metrics.registry, host, METRICS_PORT, WRITE_TIMEOUT_MS);
  return parts.add(server).port;
}

/** Records the start. Of secrets, it records only the names that presets use and that are set. */
function recordStart({ settings, keySource, securityLog }: GatewayContext): void {
  securityLog.record('started', {
    version: VERSION,
    settings: describeSettings(settings),
    secrets: keySource.names.filter((name) => keySource.secretOf(name)),
  });
}
