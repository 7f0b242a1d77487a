import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartupError } from '../../platform/kernel/error.ts';
import { type Channel, createChannel } from './channel.ts';
import { SPARE, type WorkerNumber } from './spare-worker.ts';
import type { BannerFacts } from './start-banner.ts';

/** Pauses before a worker that ended again and again is started again. */
const PAUSES_MS = [0, 1000, 2000, 4000, 8000, 16_000, 30_000] as const;
/** A worker that ran longer than this has a fresh start. */
const STEADY_MS = 60_000;

/** The pause before a worker is started again that has ended so many times in a row. */
export const pauseAfter = (endings: number): number =>
  PAUSES_MS[Math.min(endings, PAUSES_MS.length) - 1] ?? 0;

interface WorkerProcessDeps extends WorkerNumber {
  readonly port: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly spare: SpareWorker;
  /** Called each time that the worker serves. */
  readonly onReady: (facts: BannerFacts) => void;
  /** Called each time that the worker has ended. */
  readonly onEnded: () => void;
  /** The answer to the worker that asks for the figures of the others. */
  readonly othersFigures: (query: unknown) => Promise<unknown>;
}

export type WorkerProcess = ReturnType<typeof createWorkerProcess>;

/** One worker, which is started again whenever it ends. */
export function createWorkerProcess(deps: WorkerProcessDeps) {
  const { number, logger } = deps;
  const stopping = new AbortController();
  const served = Promise.withResolvers<void>();
  let current: { readonly child: ChildProcess; readonly channel: Channel } | undefined;
  let isServing = false;
  let hasServed = false;
  let restarts = 0;

  async function runOnce() {
    const child = deps.spare.take(deps) ?? spawnWorker(deps.port, `${number}/${deps.total}`);
    const channel = createChannel(child, {
      othersFigures: deps.othersFigures,
      ready: (facts) => {
        isServing = true;
        hasServed = true;
        deps.onReady(facts as BannerFacts);
        served.resolve();
      },
    });
    current = { child, channel };
    const [code, signal] = await once(child, 'exit').catch(() => [null, null]);
    const isInOrder = code === 0 || !isServing;
    current = undefined;
    isServing = false;
    channel.ended();
    deps.onEnded();
    return { code, signal, isInOrder };
  }

  async function keepRunning(): Promise<boolean> {
    let endings = 0;
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      const { isInOrder, ...ending } = await runOnce();
      if (stopping.signal.aborted) return isInOrder;
      if (!hasServed && ending.code === 1) {
        throw new StartupError(`Worker ${number} cannot start: its message is above.`);
      }
      endings = performance.now() - startedMs > STEADY_MS ? 1 : endings + 1;
      const pauseMs = pauseAfter(endings);
      logger.warn(
        { worker: number, ...ending, pauseMs },
        'a worker has ended; it is started again',
      );
      await sleep(pauseMs, undefined, stopping).catch(() => undefined);
      if (!stopping.signal.aborted) restarts++;
    }
    return true;
  }

  return {
    number,
    restarts: (): number => restarts,
    /**
     * Starts the worker. Resolves once it has ended because it was stopped: with false if it served and did not end in order.
     * Rejects with StartupError if its first start fails.
     */
    run: keepRunning,
    /** Resolves once the worker serves for the first time. */
    served: served.promise,
    /** Undefined if the worker does not answer in time. */
    ask: (what: string, value: unknown, waitMs: number): Promise<unknown> =>
      isServing && current ? current.channel.ask(what, value, waitMs) : Promise.resolve(undefined),
    /** A worker that starts reads everything anyway, and the signal would end it. */
    hangUp: (): void => {
      if (isServing) current?.child.kill('SIGHUP');
    },
    stop: (signal: 'SIGTERM' | 'SIGKILL'): void => {
      stopping.abort();
      current?.child.kill(signal);
    },
  };
}

export type SpareWorker = ReturnType<typeof createSpareWorker>;

/**
 * A process that has loaded the gateway, which is half of a start, and waits to replace a worker that has ended. It holds
 * no connection and no directory.
 */
export function createSpareWorker(port: number) {
  let waiting: ChildProcess | undefined;
  let hasEnded = false;
  return {
    /** Starts it, unless it waits already. */
    prepare: (): void => {
      if (waiting || hasEnded) return;
      const child = spawnWorker(port, SPARE);
      const forget = (): void => {
        if (waiting === child) waiting = undefined;
      };
      child.once('exit', forget).once('error', forget);
      waiting = child;
    },
    /** Makes it this worker. Undefined if none waits. */
    take: ({ number, total }: WorkerNumber): ChildProcess | undefined => {
      const child = waiting;
      waiting = undefined;
      if (!child?.connected) return undefined;
      child.send({ number, total } satisfies WorkerNumber, () => undefined);
      return child;
    },
    end: (): void => {
      hasEnded = true;
      waiting?.kill('SIGKILL');
    },
  };
}

/** The same program with the same settings. Its output is that of the supervisor. */
function spawnWorker(port: number, worker: string): ChildProcess {
  const [, program = ''] = process.argv;
  // Without the dashes, Node.js takes options behind them for its own.
  const args = [...process.execArgv, '--', program, 'start', '--worker', worker];
  return spawn(process.execPath, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Not JSON, which has no NaN: some metrics of Node.js have no value yet.
    serialization: 'advanced',
  });
}
