import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type Gateway, startGateway } from '../../compose/start-gateway.ts';
import {
  readSettings,
  type Settings,
  secretsFromEnvironment,
} from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { createLogger } from '../shared/logger.ts';
import { endWithNpm, untilSignal } from '../shared/until-signal.ts';
import { type FirstCredentials, handOverCredentials } from './first-credentials.ts';
import { relieveMemory } from './relieve-memory.ts';
import { createPresetReload } from './reload-presets.ts';
import { reloadSecrets } from './reload-secrets.ts';
import { readSandboxSettings, SANDBOX_DATA_DIR } from './sandbox-settings.ts';
import { type BannerFacts, formatBanner, formatCredentials } from './start-banner.ts';
import { collectGarbage } from './v8-flags.ts';
import { createPresetWatch } from './watch-presets.ts';

export function startCommand(): Command {
  return new Command('start')
    .description('Start the gateway.')
    .option(
      '--sandbox',
      `serve made-up data for every tool, without network or keys; DATA_DIR defaults to ./${SANDBOX_DATA_DIR}`,
    )
    .addHelpText('after', '\nExample: tool-gateway start --sandbox')
    .action((options) => {
      endWithNpm(process.env);
      return start(options);
    });
}

async function start(options: { sandbox?: boolean }): Promise<void> {
  const settings = (options.sandbox ? readSandboxSettings : readSettings)(process.env);
  const logger = createLogger(
    settings.LOG_LEVEL,
    settings.LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json'),
  );
  const sandbox = options.sandbox
    ? await createSandbox({
        presetsDir: settings.PRESETS_DIR,
        extraDirs: settings.PRESETS_EXTRA_DIRS,
        lenient: settings.PRESETS_LENIENT,
        host: '127.0.0.1',
        port: 0,
      })
    : null;
  const secrets = secretsFromEnvironment(process.env);
  const watch = await createPresetWatch(settings);
  const stopped = untilSignal();
  let first: FirstCredentials = { apiKey: null, administrator: null };
  try {
    const starting = startGateway({
      settings,
      logger,
      clock: systemClock,
      secrets,
      handOver: (credentials) => {
        const { DATA_DIR: dataDir } = settings;
        const isTerminal = process.stdout.isTTY;
        first = handOverCredentials(credentials, { isTerminal, dataDir, logger });
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
    process.stdout.write(formatBanner(factsOf({ settings, gateway, first, sandbox })));
    // Loading the presets leaves a seventh of the memory behind, which an idle gateway would hold for a long time.
    void gateway.prepared.then(() => collectGarbage('last-resort'));
    relieveMemory({ limitBytes: settings.MEMORY_LIMIT_BYTES });
    await stopped;
    watch.stop();
    logger.info('shutting down');
    await gateway.close();
  } finally {
    await sandbox?.close();
  }
}

function factsOf(start: {
  readonly settings: Settings;
  readonly gateway: Gateway;
  readonly first: FirstCredentials;
  readonly sandbox: Sandbox | null;
}): BannerFacts {
  const { settings, gateway, first, sandbox } = start;
  return {
    version: VERSION,
    url: gateway.url,
    servers: gateway.servers,
    readiness: gateway.readiness,
    database: settings.DATABASE_URL ? 'PostgreSQL' : `embedded in ${settings.DATA_DIR}`,
    cache: settings.REDIS_URL ? 'Redis' : 'in memory',
    first,
    firstCall: gateway.firstCall,
    sandboxUrl: sandbox?.url ?? null,
    commandPrefix: sandbox && !process.env['DATA_DIR'] ? `DATA_DIR=${SANDBOX_DATA_DIR} ` : '',
    readyInMs: Math.round(process.uptime() * 1000),
  };
}

/** Where a terminal has a gateway, closing it sends SIGHUP, too, and ends the gateway. */
function onHangup(reload: () => void): void {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload);
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
