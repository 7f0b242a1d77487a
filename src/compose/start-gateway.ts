import { ensureBootstrapKey, makeFirstKey } from '../access/keys/bootstrap-key.ts';
import { createSecurityLog } from '../access/trail/security-log.ts';
import { prepareTools } from '../calls/prepare-tools.ts';
import { listen } from '../http/listen.ts';
import { listenForMetrics } from '../http/metrics.ts';
import { describeSettings } from '../platform/config/describe-settings.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { type ClosingStack, createClosingStack } from '../platform/kernel/closing-stack.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { localHost } from '../platform/kernel/url-host.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { type Catalog, createCatalog } from '../tools/catalog/catalog.ts';
import { loadPresets } from '../tools/catalog/load-presets.ts';
import { type Core, createCore } from './core.ts';
import { createDoors } from './doors.ts';
import type { GatewayOptions, Ground } from './options.ts';
import { openStorage } from './storage.ts';

/** A gateway that listens. */
export interface Gateway extends Closeable {
  /** Where clients on this machine reach it. */
  readonly url: string;
  readonly metricsPort: number | null;
  readonly servers: number;
  readonly tools: number;
  /** The first API key, if this start made it. */
  readonly newApiKey: Secret | null;
  /** Resolves when every tool has been made ready for its first call. */
  readonly prepared: Promise<void>;
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
  const catalog = await loadCatalog(options);
  const ground = { ...options, parts, catalog, securityLog: createSecurityLog(logger) };
  const storage = await openStorage(ground);
  const core = createCore(ground, storage);
  // From here on new keys are noticed, also those made below.
  await core.authenticator.refresh();
  if (settings.BOOTSTRAP_API_KEY) {
    await ensureBootstrapKey(storage.tenants, storage.apiKeys, settings.BOOTSTRAP_API_KEY);
  }
  const app = await createDoors(ground, storage, core);
  const metricsPort = settings.METRICS_PORT ? await openMetrics(ground, core) : null;
  const port = await listen(app, settings.HOST, settings.PORT);
  recordStart(ground);
  // Last, when nothing can fail any more: a key is shown by the start that made it or by none.
  const newApiKey = await makeFirstKey(storage.tenants, storage.apiKeys);
  return {
    url: settings.BASE_URL ?? `http://${localHost(settings.HOST)}:${port}`,
    metricsPort,
    servers: catalog.servers.length,
    tools: catalog.presetEntries.length,
    newApiKey,
    prepared: prepareTools(
      catalog.presetEntries.map(({ tool }) => tool),
      logger,
    ),
    close: parts.close,
  };
}

async function loadCatalog(options: GatewayOptions): Promise<Catalog> {
  const { settings, logger, clock, secrets, baseUrlFor } = options;
  const { presets } = await loadPresets({
    dir: settings.PRESETS_DIR,
    lenient: settings.PRESETS_LENIENT,
    logger,
    ...(baseUrlFor ? { baseUrlFor } : {}),
  });
  return createCatalog(presets, clock, (name) => Boolean(secrets(name)?.reveal()));
}

async function openMetrics({ settings, parts }: Ground, { metrics }: Core): Promise<number> {
  const { HOST, METRICS_PORT, WRITE_TIMEOUT_MS } = settings;
  const server = await listenForMetrics(metrics.registry, HOST, METRICS_PORT, WRITE_TIMEOUT_MS);
  return parts.add(server).port;
}

/** Of secrets, the names of those that presets ask for and that are set. */
function recordStart({ settings, secrets, catalog, securityLog }: Ground): void {
  const wanted = new Set(catalog.presetEntries.flatMap(({ tool }) => tool.secrets));
  securityLog.record('started', {
    version: VERSION,
    settings: describeSettings(settings),
    secrets: [...wanted].filter((name) => secrets(name)?.reveal()),
  });
}
