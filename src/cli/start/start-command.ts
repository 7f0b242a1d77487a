import { Command } from 'commander';
import { startGateway } from '../../compose/start-gateway.ts';
import { readSettings, secretsFromEnvironment } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { createLogger } from '../shared/logger.ts';
import { untilSignal } from '../shared/until-signal.ts';
import { formatBanner } from './start-banner.ts';

export function startCommand(): Command {
  return new Command('start')
    .description('Start the gateway.')
    .option('--sandbox', 'answer every tool with sample data: no network and no keys needed')
    .action(start);
}

async function start(options: { sandbox?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger(settings.LOG_LEVEL);
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
      secrets: sandbox ? (name) => secrets(name) ?? new Secret('sandbox-secret') : secrets,
      ...(sandbox ? { baseUrlFor: sandbox.baseUrlFor } : {}),
    });
    // Before anybody is told that the gateway is there: a signal right after that must end it in good order.
    const stopped = untilSignal();
    process.stdout.write(
      formatBanner({
        version: VERSION,
        url: gateway.url,
        servers: gateway.servers,
        tools: gateway.tools,
        database: settings.DATABASE_URL ? 'PostgreSQL' : `embedded in ${settings.DATA_DIR}`,
        cache: settings.REDIS_URL ? 'Redis' : 'in memory',
        newApiKey: gateway.newApiKey?.reveal() ?? null,
        sandboxUrl: sandbox?.url ?? null,
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
 * Gives back what reading the presets left behind, a seventh of the memory: a gateway without traffic would keep it
 * for long. Needs `--expose-gc`, as `npm start` has it.
 *
 * The tick must be waiting meanwhile. Such a collection also drops the shapes of objects of which there is none at the
 * moment; V8 never again optimises code that makes objects by names worked out at run time, as Node.js does for ticks,
 * once it finds their shape gone, and every tick would then cost four times as much.
 */
function releaseMemory(): void {
  process.nextTick(() => {});
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
