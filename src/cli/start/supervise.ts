import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MetricsOfProcess } from '../../compose/metrics/worker-metrics.ts';
import { openSharedPort } from '../../compose/shared-port.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { lockDataDir, workerDirs } from '../../platform/database/data-dir.ts';
import { type ClosingStack, createClosingStack } from '../../platform/kernel/closing.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { openLog } from '../shared/logger.ts';
import { onHangup, untilSignal } from '../shared/until-signal.ts';
import { type BannerFacts, formatCredentials, formatStart } from './start-banner.ts';
import { createSpareWorker, createWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** How long a worker may take to tell its figures. */
const FIGURES_MS = 500;
/** How long it may take to tell its metrics: it checks its database for up to two seconds. */
const METRICS_MS = 3000;
/** How much longer than the notice and the grace a worker may take to end: it ships its records. */
const SHIP_MS = 10_000;

/** Runs WORKERS gateways as child processes that share a port, until a signal. Throws StartupError. */
export async function supervise(settings: Settings): Promise<void> {
  assertHasServers(settings);
  const logger = openLog(settings);
  const stopped = untilSignal();
  const parts = createClosingStack();
  try {
    const port = await openPlace(settings, logger, parts);
    const crew = createCrew({ settings, port, logger });
    if (settings.METRICS_PORT) await openMetrics(settings, crew, parts);
    onHangup(() => {
      for (const worker of crew.workers) worker.hangUp();
    });
    await crew.run(stopped);
  } finally {
    await parts.close();
  }
}

function assertHasServers({ DATABASE_URL, REDIS_URL }: Settings): void {
  if (DATABASE_URL && REDIS_URL) return;
  throw new StartupError(
    'WORKERS needs a PostgreSQL and a Redis server, through which its processes act as one. Set DATABASE_URL and REDIS_URL, or unset WORKERS.',
  );
}

/** Takes DATA_DIR, and resolves with the port, on which no other program listens. */
async function openPlace(
  settings: Settings,
  logger: Pick<Logger, 'info'>,
  parts: ClosingStack,
): Promise<number> {
  const { HOST, PORT, DATA_DIR } = settings;
  parts.add(lockDataDir(DATA_DIR));
  await untilFormerEnded(settings, logger);
  return openSharedPort(HOST, PORT);
}

const endMs = ({ DRAIN_NOTICE_MS, SHUTDOWN_GRACE_MS }: Settings): number =>
  DRAIN_NOTICE_MS + SHUTDOWN_GRACE_MS + SHIP_MS;

const FORMER_POLL_MS = 100;

/** Workers whose supervisor was killed end by themselves, and keep the port until then. */
async function untilFormerEnded(settings: Settings, logger: Pick<Logger, 'info'>): Promise<void> {
  const untilMs = performance.now() + endMs(settings);
  let isWaiting = false;
  for (const dir of workerDirs(settings.DATA_DIR).values()) {
    for (;;) {
      try {
        await lockDataDir(dir).close();
        break;
      } catch (error) {
        if (performance.now() > untilMs) throw error;
        if (!isWaiting) logger.info({ dir }, 'waiting for the workers of an earlier start to end');
        isWaiting = true;
        await sleep(FORMER_POLL_MS);
      }
    }
  }
}

interface CrewDeps {
  readonly settings: Settings;
  readonly port: number;
  readonly logger: Logger;
}

type Crew = ReturnType<typeof createCrew>;

/** All workers. */
function createCrew({ settings, port, logger }: CrewDeps) {
  const total = settings.WORKERS;
  const endedListeners: ((number: number) => void)[] = [];
  let isComplete = false;
  let facts: BannerFacts | undefined;

  function onReady(own: BannerFacts): void {
    // The first worker has created what a first start creates. Later, a worker may create it again if all was deleted.
    facts ??= own;
    if (!isComplete) return;
    process.stdout.write(formatCredentials(own.first));
    spare.prepare();
  }

  const spare = createSpareWorker(port);

  const workers: readonly WorkerProcess[] = Array.from({ length: total }, (_, at) => {
    const number = at + 1;
    return createWorkerProcess({
      number,
      total,
      port,
      logger,
      spare,
      onReady,
      onEnded: () => {
        for (const onEnded of endedListeners) onEnded(number);
      },
      othersFigures: (query) =>
        figuresOf(
          workers.filter((each) => each.number !== number),
          query,
        ),
    });
  });

  /** The first one alone, so that only one migrates the database and creates the first credentials. */
  async function startAll(run: (worker: WorkerProcess) => void): Promise<void> {
    const [first, ...others] = workers;
    if (!first) return;
    run(first);
    await first.served;
    others.forEach(run);
    await Promise.all(others.map(({ served }) => served));
    isComplete = true;
    spare.prepare();
    const readyInMs = Math.round(process.uptime() * 1000);
    if (!facts) return;
    const all = { ...facts, workers: total, readyInMs };
    process.stdout.write(formatStart(all, process.stdout.isTTY));
  }

  return {
    workers,
    onEnded: (listener: (number: number) => void): void => void endedListeners.push(listener),
    /** Runs all workers until `stopped`, and then ends them. Rejects with StartupError if one cannot start. */
    run: async (stopped: Promise<void>): Promise<void> => {
      const running: Promise<boolean>[] = [];
      let isInOrder = false;
      const failed = Promise.withResolvers<never>();
      const run = (worker: WorkerProcess): void => {
        const runs = worker.run();
        runs.catch(failed.reject);
        running.push(runs);
      };
      // A second signal ends everything at once.
      process.once('exit', () => {
        for (const worker of workers) worker.stop('SIGKILL');
        spare.end();
      });
      void startAll(run);
      try {
        await Promise.race([stopped, failed.promise]);
        logger.info('shutting down');
      } finally {
        spare.end();
        isInOrder = await endAll(workers, running, endMs(settings));
      }
      if (!isInOrder) throw new StartupError(NOT_IN_ORDER);
    },
  };
}

const NOT_IN_ORDER =
  'A worker did not end in order. The next start ships the records that it has left.';

/** Ends the workers; kills those that take too long. Resolves with whether all have ended in order. */
async function endAll(
  workers: readonly WorkerProcess[],
  running: readonly Promise<boolean>[],
  waitMs: number,
): Promise<boolean> {
  for (const worker of workers) worker.stop('SIGTERM');
  const timer = setTimeout(() => {
    for (const worker of workers) worker.stop('SIGKILL');
  }, waitMs);
  const endings = await Promise.allSettled(running);
  clearTimeout(timer);
  return endings.every((ending) => ending.status === 'fulfilled' && ending.value);
}

/** The figures of these workers by their number, without those that do not answer. */
async function figuresOf(workers: readonly WorkerProcess[], query: unknown) {
  const answers = await Promise.all(
    workers.map(async (worker) => [worker.number, await worker.ask('figures', query, FIGURES_MS)]),
  );
  return new Map(answers.flatMap(([number, figures]) => (figures ? [[number, figures]] : [])));
}

/** Only with METRICS_PORT, the library for metrics is loaded. */
async function openMetrics(settings: Settings, crew: Crew, parts: ClosingStack): Promise<void> {
  const { listenForMetrics } = await import('../../compose/metrics/metrics.ts');
  const { createWorkerMetrics } = await import('../../compose/metrics/worker-metrics.ts');
  const metrics = createWorkerMetrics(
    crew.workers.map(({ number, restarts, ask }) => ({
      number,
      restarts,
      metrics: () => ask('metrics', null, METRICS_MS) as Promise<MetricsOfProcess | undefined>,
    })),
  );
  crew.onEnded(metrics.ended);
  parts.add(await listenForMetrics(settings, metrics.text));
}
