import { GatewayError } from '../../platform/kernel/error.ts';
import { createTurnQueue } from '../../platform/kernel/turn-queue.ts';

/** Concurrent look-ups: fewer than the database's connections, so that other work gets some too. */
export const MAX_RUNNING = 8;
/** Concurrent look-ups of one source. However slow the database is, another source finds a free slot. */
export const MAX_RUNNING_OF_SOURCE = 4;
export const MAX_WAITING = 1024;
export const MAX_WAITING_OF_SOURCE = 128;
export const MAX_WAIT_MS = 5000;

/** A source with work. */
interface Source {
  running: number;
  readonly waiting: (() => void)[];
}

/** Sources take turns, so that a source with many look-ups delays another one by only a few. */
export function createLookUpQueue() {
  const sources = new Map<string, Source>();
  const queue = createTurnQueue<() => void, Source>({
    maxPerLane: MAX_WAITING_OF_SOURCE,
    maxLanes: MAX_WAITING,
  });
  let running = 0;
  let waiting = 0;

  const mayRun = (source: Source): boolean =>
    running < MAX_RUNNING && source.running < MAX_RUNNING_OF_SOURCE;

  const acquire = (source: Source): void => {
    running++;
    source.running++;
  };

  /** Resolves once the source has acquired a slot. */
  const waitForSlot = (source: Source): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (waiting >= MAX_WAITING || !queue.add(source, resolve)) throw overloaded();
    waiting++;
    const timer = setTimeout(() => {
      if (queue.remove(source, resolve)) reject(overloaded());
    }, MAX_WAIT_MS);
    return promise.finally(() => {
      clearTimeout(timer);
      waiting--;
    });
  };

  const release = (source: Source): void => {
    running--;
    source.running--;
    const next = queue.next(mayRun);
    if (!next) return;
    acquire(next.lane);
    next.item();
  };

  return {
    /** Runs the work in turn. Rejects with `overloaded` when too many wait, or when this one has waited too long. */
    run: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const source = sources.get(name) ?? { running: 0, waiting: [] };
      sources.set(name, source);
      try {
        if (mayRun(source)) acquire(source);
        else await waitForSlot(source);
        return await work().finally(() => release(source));
      } finally {
        if (source.running === 0 && source.waiting.length === 0) sources.delete(name);
      }
    },
  };
}

const overloaded = (): GatewayError =>
  new GatewayError('overloaded', 'Too many API keys are being checked. Retry in 1 s.', {
    details: { retryAfterSeconds: 1 },
  });
