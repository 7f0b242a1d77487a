import { createFirstKey, ensureBootstrapKey } from '../access/keys/bootstrap-key.ts';
import type { Credentials } from '../access/people/first-administrator.ts';
import type { People } from '../access/people/people.ts';
import { createSecurityLog } from '../access/trail/security-log.ts';
import { type FirstCall, firstCallOf } from '../calls/first-call.ts';
import { prepareTools } from '../calls/prepare-tools.ts';
import { type ToolReadiness, toolReadiness } from '../calls/provider-keys/tool-readiness.ts';
import { listen } from '../http/listen.ts';
import { listenForMetrics } from '../http/metrics/metrics-server.ts';
import { describeSettings } from '../platform/config/describe-settings.ts';
import type { SecretSource } from '../platform/config/settings.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { type ClosingStack, createClosingStack } from '../platform/kernel/closing-stack.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { localHost } from '../platform/kernel/url-host.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { type Core, createCore } from './core.ts';
import { createDoors } from './doors.ts';
import type { GatewayContext, GatewayOptions } from './options.ts';
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
  /** The first API key, if this start created it. */
  readonly newApiKey: Secret | null;
  /** How the first administrator signs in, if this start created it. */
  readonly newAdministrator: Credentials | null;
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

/** Builds and starts the gateway. Throws StartupError. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = createClosingStack();
  try {
    return await open(options, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function open(options: GatewayOptions, parts: ClosingStack): Promise<Gateway> {
  const { settings, logger } = options;
  const { reload, ...presets } = await openPresets(options);
  const { catalog, keySource } = presets;
  const securityLog = createSecurityLog(logger);
  const context = { ...options, ...presets, parts, securityLog };
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
  const port = await listen(app, settings.HOST, settings.PORT);
  for (const own of [port, metricsPort]) if (own !== null) core.guarded.ownPorts.add(own);
  recordStart(context);
  // Last, when nothing can fail any more: only the start that creates the key can show it.
  const newAdministrator = await createAdministrator(context, storage, people);
  const newApiKey = await createFirstKey(storage.tenants, storage.apiKeys);
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
    newApiKey,
    newAdministrator,
    prepared: prepare(),
    useSecrets: keys.providerKeys.useEnvironment,
    reloadPresets: async () => {
      if (!(await reload())) return false;
      core.hub.listChanged();
      await prepare();
      return true;
    },
    close: parts.close,
  };
}

/** Creates the first administrator, of tenant `default`. */
async function createAdministrator(
  { settings }: GatewayContext,
  { tenants }: Storage,
  people: People,
): Promise<Credentials | null> {
  const { id: tenantId } = await tenants.ensure('default');
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = settings;
  return people.createFirstAdministrator({ tenantId, email, password });
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
