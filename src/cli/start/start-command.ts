import { Command } from 'commander';
import { startGateway } from '../../compose/start-gateway.ts';
import { readSettings, secretsFromEnvironment } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { createLogger } from '../shared/logger.ts';
import { endWithNpm, untilSignal } from '../shared/until-signal.ts';
import { handOverCredentials } from './first-credentials.ts';
import { relieveMemory } from './relieve-memory.ts';
import { createPresetReload } from './reload-presets.ts';
import { reloadSecrets } from './reload-secrets.ts';
import { readSandboxSettings, SANDBOX_DATA_DIR } from './sandbox-settings.ts';
import { formatBanner } from './start-banner.ts';
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
  try {
    const gateway = await startGateway({
      settings,
      logger,
      clock: systemClock,
      secrets,
      ...(sandbox
        ? {
            isSandbox: true,
            baseUrlFor: sandbox.baseUrlFor,
            sandboxSecret: new Secret('sandbox-secret'),
          }
        : {}),
    });
    // Before the banner appears: a signal right after it must shut the gateway down in order.
    const stopped = untilSignal();
    // Where a terminal has a gateway, closing it sends SIGHUP, too, and ends the gateway.
    const reloadPresets = createPresetReload({ gateway, sandbox, logger });
    if (!process.stdin.isTTY) {
      process.on('SIGHUP', () => {
        reloadSecrets(gateway, process.env, logger);
        void reloadPresets();
      });
    }
    watch.start(reloadPresets);
    const { apiKey, administrator } = handOverCredentials(gateway, {
      isTerminal: process.stdout.isTTY,
      dataDir: settings.DATA_DIR,
      logger,
    });
    process.stdout.write(
      formatBanner({
        version: VERSION,
        url: gateway.url,
        servers: gateway.servers,
        readiness: gateway.readiness,
        database: settings.DATABASE_URL ? 'PostgreSQL' : `embedded in ${settings.DATA_DIR}`,
        cache: settings.REDIS_URL ? 'Redis' : 'in memory',
        newApiKey: apiKey,
        newAdministrator: administrator,
        firstCall: gateway.firstCall,
        sandboxUrl: sandbox?.url ?? null,
        commandPrefix: sandbox && !process.env['DATA_DIR'] ? `DATA_DIR=${SANDBOX_DATA_DIR} ` : '',
        readyInMs: Math.round(process.uptime() * 1000),
      }),
    );
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
