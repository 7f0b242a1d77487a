import { Command } from 'commander';
import { startGateway } from '../../compose/start-gateway.ts';
import { readSettings, secretsFromEnvironment } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { createLogger } from '../shared/logger.ts';
import { untilSignal } from '../shared/until-signal.ts';
import { handOverCredentials } from './first-credentials.ts';
import { reloadSecrets } from './reload-secrets.ts';
import { readSandboxSettings, SANDBOX_DATA_DIR } from './sandbox-settings.ts';
import { formatBanner } from './start-banner.ts';
import { collectGarbage } from './v8-flags.ts';

export function startCommand(): Command {
  return new Command('start')
    .description('Start the gateway.')
    .option(
      '--sandbox',
      `serve made-up data for every tool, without network or keys; DATA_DIR defaults to ./${SANDBOX_DATA_DIR}`,
    )
    .action(start);
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
        lenient: settings.PRESETS_LENIENT,
        host: '127.0.0.1',
        port: 0,
      })
    : null;
  const secrets = secretsFromEnvironment(process.env);
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
    if (!process.stdin.isTTY) {
      process.on('SIGHUP', () => reloadSecrets(gateway, process.env, logger));
    }
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
    void gateway.prepared.then(releaseMemory);
    await stopped;
    logger.info('shutting down');
    await gateway.close();
  } finally {
    await sandbox?.close();
  }
}

/**
 * Releases what loading the presets left behind, a seventh of the memory, which an idle gateway would hold for a long
 * time.
 *
 * A tick must be pending during the collection, which also drops the hidden classes of objects that do not currently
 * exist. Node.js creates ticks with computed property names; once V8 finds the hidden class of such objects missing, it
 * never optimises that code again, and every tick costs four times as much.
 */
function releaseMemory(): void {
  process.nextTick(() => {});
  collectGarbage();
}
