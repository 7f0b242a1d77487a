import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Gateway, startGateway } from '../../compose/start-gateway.ts';
import {
  misspeltSettings,
  SETTINGS,
  type Settings,
  SettingsError,
  secretsFromEnvironment,
} from '../../platform/config/settings.ts';
import { workerDir } from '../../platform/database/data-dir.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { coalesce } from '../../platform/kernel/memo.ts';
import { memoryLimits } from '../../platform/kernel/memory-limit.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { assertShipped } from '../../platform/kernel/shipped-files.ts';
import { repeat, systemClock } from '../../platform/kernel/time.ts';
import { release } from '../../platform/kernel/version.ts';
import { fingerprintOf } from '../../tools/catalog/preset-files.ts';
import { toolsetsDir } from '../../tools/catalog/toolsets.ts';
import { createLogger, openLog } from '../shared/logger.ts';
import { onHangup, untilSignal } from '../shared/until-signal.ts';
import { type FirstCredentials, handOverCredentials } from './first-credentials.ts';
import { relieveMemory } from './relieve-memory.ts';
import { SANDBOX_DATA_DIR, startSandbox } from './sandbox-command.ts';
import { type BannerFacts, formatCredentials, formatStart } from './start-banner.ts';
import { collectGarbage } from './v8-flags.ts';

interface RunOptions {
  readonly sandbox: boolean;
  /** The number of this worker, if it is one. */
  readonly worker?: number | undefined;
}

/** A start is not slowed down by what no call may ever need. */
const PREPARE_AFTER_MS = 20_000;

/** Runs a gateway in this process, until a signal. */
export async function runGateway(own: Settings, { sandbox: isSandbox, worker }: RunOptions) {
  const settings = worker ? settingsOfWorker(own, worker) : own;
  const logger = worker ? createLogger(settings).child({ worker }) : openLog(settings);
  assertShipped(['dashboard/dist/index.html']);
  const sandbox = isSandbox
    ? await startSandbox({
        presetsDir: settings.PRESETS_DIR,
        extraDirs: settings.PRESETS_EXTRA_DIRS,
        lenient: settings.PRESETS_LENIENT,
        host: '127.0.0.1',
        port: 0,
      })
    : null;
  const secrets = secretsFromEnvironment(process.env);
  if (!worker || worker === 1) warnOfMisspelt(logger);
  const watch = await createPresetWatch(settings);
  const stopped = untilSignal();
  let first: FirstCredentials = { apiKey: null, administrator: null };
  try {
    const starting = startGateway({
      settings,
      logger,
      clock: systemClock,
      secrets,
      ...(worker && { worker: { number: worker, total: own.WORKERS, sharedDir: own.DATA_DIR } }),
      handOver: (credentials) => {
        const isTerminal = process.stdout.isTTY;
        first = handOverCredentials(credentials, { isTerminal, dataDir: own.DATA_DIR, logger });
      },
      ...(sandbox
        ? {
            isSandbox: true,
            baseUrlFor: sandbox.baseUrlFor,
            sandboxSecret: new Secret('sandbox-secret'),
          }
        : {}),
    });
    void stopped.then(() => endUnlessStarted(starting));
    const gateway = await starting.catch((error: unknown) => {
      // Another program may have taken the port after they were created.
      process.stdout.write(formatCredentials(first));
      throw error;
    });
    const reloadPresets = createPresetReload({ gateway, sandbox, logger });
    onHangup(() => {
      reloadSecrets(gateway, process.env, logger);
      void reloadPresets();
    });
    watch.start(reloadPresets);
    const facts = factsOf({ settings, gateway, first, sandbox });
    if (worker) process.send?.({ ready: facts });
    else process.stdout.write(formatStart(facts, process.stdout.isTTY));
    // The start leaves a seventh of the memory behind, which an idle gateway would hold for a long time.
    setTimeout(() => collectGarbage('last-resort'), 1000).unref();
    const preparing = setTimeout(() => {
      gateway
        .prepareSearches()
        .catch((err: unknown) => logger.error({ err }, 'a search is not prepared'));
    }, PREPARE_AFTER_MS).unref();
    relieveMemory({ limitBytes: settings.MEMORY_LIMIT_BYTES });
    await stopped;
    watch.stop();
    clearTimeout(preparing);
    logger.info('shutting down');
    await gateway.close();
  } finally {
    cluster.worker?.disconnect();
    await sandbox?.close();
  }
}

function warnOfMisspelt(logger: Logger): void {
  for (const [name, setting] of misspeltSettings(process.env)) {
    logger.warn(`${name} is not a setting, and is ignored. Did you mean ${setting}?`);
  }
}

/** The least that MEMORY_LIMIT_BYTES allows. */
const MIN_MEMORY_BYTES = 128 * 1024 * 1024;

/** Each worker has a directory of its own, and its share of the memory. */
function settingsOfWorker(settings: Settings, worker: number): Settings {
  const { memoryBytes } = memoryLimits(settings.MEMORY_LIMIT_BYTES);
  return {
    ...settings,
    DATA_DIR: workerDir(settings.DATA_DIR, worker),
    MEMORY_LIMIT_BYTES: Math.max(MIN_MEMORY_BYTES, Math.floor(memoryBytes / settings.WORKERS)),
  };
}

function factsOf(start: {
  readonly settings: Settings;
  readonly gateway: Gateway;
  readonly first: FirstCredentials;
  readonly sandbox: Awaited<ReturnType<typeof startSandbox>> | null;
}): BannerFacts {
  const { settings, gateway, first, sandbox } = start;
  return {
    version: release(),
    url: gateway.url,
    servers: gateway.servers,
    readiness: gateway.readiness,
    database: settings.DATABASE_URL ? 'PostgreSQL' : `embedded in ${settings.DATA_DIR}`,
    cache: settings.REDIS_URL ? 'Redis' : 'in memory',
    workers: null,
    first,
    firstCall: gateway.firstCall,
    sandboxUrl: sandbox?.url ?? null,
    commandPrefix: sandbox && !process.env['DATA_DIR'] ? `DATA_DIR=${SANDBOX_DATA_DIR} ` : '',
    readyInMs: Math.round(process.uptime() * 1000),
  };
}

/** How long a start that is under way may take to end, so that the gateway can then shut down in order. */
const END_MS = 1000;

/** A start that waits for its database ends with the process: it has served nobody. */
async function endUnlessStarted(starting: Promise<unknown>): Promise<void> {
  const hasEnded = starting.then(
    () => true,
    () => true,
  );
  if (!(await Promise.race([hasEnded, sleep(END_MS, false)]))) process.exit(0);
}

/**
 * Reads the provider keys again, of which those in files (`NAME_FILE`) may have changed, and takes them into use. If one
 * cannot be read, every key stays as it is, and the log says why.
 */
function reloadSecrets(
  gateway: Pick<Gateway, 'useSecrets'>,
  environment: NodeJS.ProcessEnv,
  logger: Pick<Logger, 'info' | 'error'>,
): void {
  try {
    gateway.useSecrets(secretsFromEnvironment(environment));
    logger.info('the provider keys were read again');
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    logger.error(`The provider keys stay as they are. ${error.message}`);
  }
}

interface PresetReloadDeps {
  readonly gateway: Pick<Gateway, 'reloadPresets'>;
  readonly sandbox: { reload(): Promise<void> } | null;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/**
 * Creates what reads the presets again and takes them into use, one run at a time. If a file cannot be used, all tools
 * stay as they are, and the log says why. It never rejects.
 */
function createPresetReload({ gateway, sandbox, logger }: PresetReloadDeps): () => Promise<void> {
  const reload = async (): Promise<void> => {
    try {
      // First, so that the upstream of a new tool exists.
      await sandbox?.reload();
      const hasChanged = await gateway.reloadPresets();
      logger.info(
        `the presets were read again; ${hasChanged ? 'tools or toolsets' : 'no tools or toolsets'} have changed`,
      );
    } catch (error) {
      const isExpected = error instanceof StartupError || error instanceof SettingsError;
      const reason = isExpected ? error.message : 'This is a fault of the gateway.';
      const fields = isExpected ? {} : { err: error };
      logger.error(fields, `The tools of presets stay as they are. ${reason}`);
    }
  };
  return coalesce(reload).run;
}

/** Watches the files of presets and toolsets, except the files of the release. */
interface PresetWatch {
  /** Calls `onChanged` once the files have changed since the watch was created, and then were quiet for a while. */
  start(onChanged: () => Promise<void>): void;
  stop(): void;
}

const PAUSE_MS = 2000;

/** Polls, which also notices changes in mounted volumes, of which the operating system sends no events. */
async function createPresetWatch(
  settings: Pick<Settings, 'PRESETS_DIR' | 'PRESETS_EXTRA_DIRS'>,
): Promise<PresetWatch> {
  const { PRESETS_DIR: dir, PRESETS_EXTRA_DIRS: extraDirs } = settings;
  const isShipped = dir === SETTINGS.PRESETS_DIR.default;
  const dirs = [...(isShipped ? [] : [dir, toolsetsDir(dir)]), ...extraDirs];
  let loaded = await fingerprintOf(dirs);
  let latest = loaded;
  let stop: (() => void) | undefined;
  return {
    start(onChanged) {
      if (dirs.length === 0) return;
      stop = repeat(
        async () => {
          const current = await fingerprintOf(dirs);
          const isQuiet = current === latest;
          latest = current;
          if (!isQuiet || current === loaded) return;
          loaded = current;
          await onChanged();
        },
        () => PAUSE_MS,
      );
    },
    stop: () => stop?.(),
  };
}
