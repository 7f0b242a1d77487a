import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { assertCanListen } from '../../compose/shared-port.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { lockDataDir } from '../../platform/database/data-dir.ts';
import { type ClosingStack, createClosingStack } from '../../platform/kernel/closing.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { openLog } from '../shared/logger.ts';
import { onHangup, untilSignal } from '../shared/until-signal.ts';
import { type BannerFacts, formatCredentials, formatStart } from './start-banner.ts';

/** Pauses before a worker that ended again and again is started again. */
const PAUSES_MS = [0, 1000, 2000, 4000, 8000, 16_000, 30_000] as const;
/** A worker that ran longer than this has a fresh start. */
const STEADY_MS = 60_000;
/** How much longer than the notice and the grace a worker may take to end: it ships its records. */
const SHIP_MS = 10_000;

/** Runs WORKERS gateways as child processes that share a port, until a signal. Throws StartupError. */
export async function supervise(settings: Settings): Promise<void> {
  assertHasServers(settings);
  const logger = openLog(settings);
  const stopped = untilSignal();
  const parts = createClosingStack();
  try {
    parts.add(lockDataDir(settings.DATA_DIR));
    const port = await assertCanListen(settings.HOST, settings.PORT);
    const serving = new Set<Worker>();
    const onRestart = await openMetrics(settings, serving, parts);
    onHangup(() => {
      // A worker that starts reads everything anyway, and the signal would end it.
      for (const worker of serving) worker.process.kill('SIGHUP');
    });
    await runAll({ settings, logger, port, serving, onRestart }, stopped);
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

/** Resolves with what counts restarts. Only with METRICS_PORT, the library for metrics is loaded. */
async function openMetrics(
  settings: Settings,
  serving: ReadonlySet<Worker>,
  parts: ClosingStack,
): Promise<(worker: number) => void> {
  if (!settings.METRICS_PORT) return () => undefined;
  const { listenForMetrics } = await import('../../compose/metrics/metrics.ts');
  const { createWorkerMetrics } = await import('../../compose/metrics/worker-metrics.ts');
  const { text, restarted } = createWorkerMetrics(serving);
  parts.add(await listenForMetrics(settings, text));
  return restarted;
}

interface Crew {
  readonly settings: Settings;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly port: number;
  /** The workers that serve now. */
  readonly serving: Set<Worker>;
  readonly onRestart: (worker: number) => void;
}

/** Runs all workers until `stopped`, and then ends them. Rejects with StartupError if one cannot start. */
async function runAll(crew: Crew, stopped: Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const failed = Promise.withResolvers<never>();
  const running: Promise<boolean>[] = [];
  const run = (number: number): Promise<BannerFacts> =>
    new Promise((resolve) => {
      const runs = keepRunning(crew, number, { onServed: resolve, stopping: stopping.signal });
      runs.catch(failed.reject);
      running.push(runs);
    });
  // A second signal ends everything at once.
  process.once('exit', () => signalAll('SIGKILL'));
  void startAll(crew.settings.WORKERS, run);
  let isInOrder = false;
  try {
    await Promise.race([stopped, failed.promise]);
    crew.logger.info('shutting down');
  } finally {
    stopping.abort();
    isInOrder = await endAll(crew.settings, running);
  }
  if (!isInOrder) {
    throw new StartupError(
      'A worker did not end in order. The next start ships the records that it has left.',
    );
  }
}

/** The first one alone, so that only one migrates the database and creates the first credentials. */
async function startAll(total: number, run: (number: number) => Promise<BannerFacts>) {
  const facts = await run(1);
  await Promise.all(Array.from({ length: total - 1 }, (_, at) => run(at + 2)));
  const all = { ...facts, workers: total, readyInMs: Math.round(process.uptime() * 1000) };
  process.stdout.write(formatStart(all, process.stdout.isTTY));
}

function signalAll(signal: NodeJS.Signals): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
}

/** Ends the workers; kills those that take too long. Resolves with whether all have ended in order. */
async function endAll(
  { DRAIN_NOTICE_MS, SHUTDOWN_GRACE_MS }: Settings,
  running: readonly Promise<boolean>[],
): Promise<boolean> {
  signalAll('SIGTERM');
  const timer = setTimeout(signalAll, DRAIN_NOTICE_MS + SHUTDOWN_GRACE_MS + SHIP_MS, 'SIGKILL');
  const endings = await Promise.allSettled(running);
  clearTimeout(timer);
  return endings.every((ending) => ending.status === 'fulfilled' && ending.value);
}

interface Run {
  /** Called when the worker serves for the first time. */
  readonly onServed: (facts: BannerFacts) => void;
  readonly stopping: AbortSignal;
}

/**
 * Runs one worker, which is started again whenever it ends. Resolves once it has ended because it was stopped: with false if
 * it served and did not end in order. Rejects with StartupError if its first start fails.
 */
async function keepRunning(crew: Crew, number: number, { onServed, stopping }: Run) {
  const { logger, serving, onRestart } = crew;
  let hasServed = false;
  let endings = 0;
  for (;;) {
    const startedMs = performance.now();
    const worker = fork(crew, number);
    worker.on('message', ({ ready }: { readonly ready?: BannerFacts }) => {
      if (!ready) return;
      serving.add(worker);
      // The first worker has created what a first start creates. Later, one may create it again if all was deleted.
      if (hasServed) process.stdout.write(formatCredentials(ready.first));
      hasServed = true;
      onServed(ready);
    });
    const [code, signal] = await once(worker, 'exit').catch(() => [null, null]);
    const hasEndedServing = serving.delete(worker);
    if (stopping.aborted) return code === 0 || !hasEndedServing;
    if (!hasServed && code === 1) {
      throw new StartupError(`Worker ${number} cannot start: its message is above.`);
    }
    endings = performance.now() - startedMs > STEADY_MS ? 1 : endings + 1;
    const pauseMs = PAUSES_MS[Math.min(endings, PAUSES_MS.length) - 1] ?? 0;
    logger.warn(
      { worker: number, code, signal, pauseMs },
      'a worker has ended; it is started again',
    );
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return true;
    onRestart(number);
  }
}

/** The same program with the same settings. It writes to the supervisor's output. */
function fork({ port }: Crew, number: number): Worker {
  cluster.setupPrimary({
    args: ['start', '--worker', `${number}`],
    // Not JSON, which has no NaN: some metrics of Node.js have no value yet.
    serialization: 'advanced',
  });
  return cluster.fork({ PORT: port });
}
