import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ListenAddress } from '../http/listen.ts';
import { openStartingServer } from '../http/small-server.ts';
import type { Settings } from '../platform/config/settings.ts';
import { openDatabase } from '../platform/database/database.ts';
import { isOutage } from '../platform/database/database-error.ts';
import type { Closeable } from '../platform/kernel/closing.ts';

/** How long PostgreSQL may be silent before the port opens without it. */
const SILENT_MS = 5000;
const PING_MS = 500;
const LOG_MS = 10_000;

/** Watches PostgreSQL during a start. While it is silent, the log says so, and a server for health checks has the port. */
export interface DatabaseWatch extends Closeable {
  /** After an attempt to start: rejects with its error unless that is an outage, and resolves once PostgreSQL responds. */
  recovered(error: unknown): Promise<void>;
  /** Ends the watch and frees the port. Resolves with the port if it was needed. */
  release(): Promise<number | undefined>;
  /** Rejects if the port cannot be opened. */
  readonly failed: Promise<never>;
}

export function watchDatabase(
  settings: Settings,
  address: ListenAddress,
  logger: Pick<Logger, 'info' | 'warn'>,
): DatabaseWatch {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let holding: ReturnType<typeof openStartingServer> | undefined;
  let lastAnswerMs = performance.now();
  let nextLogMs = 0;
  let reason = 'no answer';
  let pinging: Promise<boolean> | undefined;

  /** Resolves with whether PostgreSQL responds; that it refuses is a response. */
  async function ask(): Promise<boolean> {
    const error = await pingError(settings);
    const responds = error === undefined || !isOutage(error);
    if (responds) lastAnswerMs = performance.now();
    else reason = reasonOf(error);
    return responds;
  }

  function report(): void {
    if (performance.now() < nextLogMs) return;
    nextLogMs = performance.now() + LOG_MS;
    logger.warn(
      { reason },
      'PostgreSQL does not respond. Check that it runs and that DATABASE_URL is right. The start continues once it responds.',
    );
  }

  function ping(): Promise<boolean> {
    pinging ??= ask().finally(() => {
      pinging = undefined;
    });
    return pinging;
  }

  const timer = setInterval(() => {
    void ping();
    if (performance.now() - lastAnswerMs < SILENT_MS) return;
    report();
    holding ??= openStartingServer(address, settings.WRITE_TIMEOUT_MS);
    holding.catch(failed.reject);
  }, PING_MS);

  async function release(): Promise<number | undefined> {
    clearInterval(timer);
    const held = await holding?.catch(() => undefined);
    await held?.close();
    return held?.port;
  }

  return {
    failed: failed.promise,
    release,
    recovered: async (error) => {
      if (!isOutage(error)) throw error;
      reason = reasonOf(error);
      do {
        report();
        await sleep(PING_MS);
      } while (!(await ping()));
      logger.info('PostgreSQL responds; the start continues');
    },
    close: async () => void (await release()),
  };
}

/** On a connection of its own: one that exists may be silent when the server is not. */
async function pingError(settings: Settings): Promise<unknown> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = settings;
  const database = openDatabase({ databaseUrl, dataDir });
  try {
    await database.ping();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    void database.close().catch(() => undefined);
  }
}

/** The reason without what surrounds it, which is advice to the user of a command. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
