import { GatewayError } from '../../platform/kernel/error.ts';

/** Concurrent look-ups: fewer than the database's connections, so that other work gets some too. */
export const MAX_RUNNING = 8;
/** Concurrent look-ups of one source. However slow the database is, another source finds a free slot. */
export const MAX_RUNNING_OF_SOURCE = 4;
export const MAX_WAITING = 1024;
export const MAX_WAITING_OF_SOURCE = 128;
export const MAX_WAIT_MS = 5000;

/** The queue in which look-ups wait for their turn. */
export interface LookUpQueue {
  /** Runs the work in turn. Rejects with `overloaded` when too many wait, or when this one has waited too long. */
  run<T>(source: string, work: () => Promise<T>): Promise<T>;
}

interface Source {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Sources take turns, so that a source with many look-ups delays another one by only a few. */
export function createLookUpQueue(): LookUpQueue {
  /** Sources with work. The one that has waited longest for a turn comes first. */
  const sources = new Map<string, Source>();
  let running = 0;
  let waiting = 0;

  const hasFreeSlot = (source: Source): boolean =>
    running < MAX_RUNNING && source.running < MAX_RUNNING_OF_SOURCE;
  const mayWait = (source: Source): boolean =>
    waiting < MAX_WAITING && source.waiting.size < MAX_WAITING_OF_SOURCE;

  const startNext = (): void => {
    for (const [name, source] of sources) {
      const [start] = source.waiting;
      if (!start || !hasFreeSlot(source)) continue;
      sources.delete(name);
      sources.set(name, source);
      start();
      return;
    }
  };

  /** Resolves once the source has acquired a slot. */
  const waitForSlot = (source: Source): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopWaiting = (): void => {
      clearTimeout(timer);
      waiting--;
      source.waiting.delete(start);
    };
    const start = (): void => {
      stopWaiting();
      acquire(source);
      resolve();
    };
    const timer = setTimeout(() => {
      stopWaiting();
      reject(overloaded());
    }, MAX_WAIT_MS);
    waiting++;
    source.waiting.add(start);
    return promise;
  };

  const acquire = (source: Source): void => {
    running++;
    source.running++;
  };

  const forgetIdle = (name: string, source: Source): void => {
    if (source.running === 0 && source.waiting.size === 0) sources.delete(name);
  };

  return {
    run: async (name, work) => {
      const source = sources.get(name) ?? { running: 0, waiting: new Set() };
      const isFree = hasFreeSlot(source);
      if (!isFree && !mayWait(source)) throw overloaded();
      sources.set(name, source);
      if (isFree) acquire(source);
      else await waitForSlot(source).finally(() => forgetIdle(name, source));
      try {
        return await work();
      } finally {
        running--;
        source.running--;
        forgetIdle(name, source);
        startNext();
      }
    },
  };
}

const overloaded = (): GatewayError =>
  new GatewayError('overloaded', 'Too many API keys are being checked. Retry in 1 s.', {
    details: { retryAfterSeconds: 1 },
  });
