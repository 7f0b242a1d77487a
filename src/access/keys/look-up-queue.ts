import { GatewayError } from '../../platform/kernel/error.ts';

/** Look-ups at the database at once: fewer than its connections, so that other work has some too. */
export const MAX_RUNNING = 8;
/** Of one source: however slowly the database answers, another one finds a place. */
export const MAX_RUNNING_OF_SOURCE = 4;
export const MAX_WAITING = 1024;
export const MAX_WAITING_OF_SOURCE = 128;
export const MAX_WAIT_MS = 5000;

/** Where look-ups wait for their turn. */
export interface LookUpQueue {
  /** Does the work in its turn. Rejects with `overloaded` when too many wait, or when this one waited too long. */
  run<T>(source: string, work: () => Promise<T>): Promise<T>;
}

interface Source {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Sources take turns, so that one with many look-ups delays another one by few. */
export function createLookUpQueue(): LookUpQueue {
  /** Those with work, the one whose turn is longest ago first. */
  const sources = new Map<string, Source>();
  let running = 0;
  let waiting = 0;

  const hasPlace = (source: Source): boolean =>
    running < MAX_RUNNING && source.running < MAX_RUNNING_OF_SOURCE;
  const mayWait = (source: Source): boolean =>
    waiting < MAX_WAITING && source.waiting.size < MAX_WAITING_OF_SOURCE;

  const startNext = (): void => {
    for (const [name, source] of sources) {
      const [start] = source.waiting;
      if (!start || !hasPlace(source)) continue;
      sources.delete(name);
      sources.set(name, source);
      start();
      return;
    }
  };

  /** Resolves once the source has taken a place. */
  const enter = (source: Source): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopWaiting = (): void => {
      clearTimeout(timer);
      waiting--;
      source.waiting.delete(start);
    };
    const start = (): void => {
      stopWaiting();
      take(source);
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

  const take = (source: Source): void => {
    running++;
    source.running++;
  };

  const forgetIdle = (name: string, source: Source): void => {
    if (source.running === 0 && source.waiting.size === 0) sources.delete(name);
  };

  return {
    run: async (name, work) => {
      const source = sources.get(name) ?? { running: 0, waiting: new Set() };
      const isFree = hasPlace(source);
      if (!isFree && !mayWait(source)) throw overloaded();
      sources.set(name, source);
      if (isFree) take(source);
      else await enter(source).finally(() => forgetIdle(name, source));
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
  new GatewayError('overloaded', 'Too many API keys are being checked; retry in 1 s.', {
    details: { retryAfterSeconds: 1 },
  });
