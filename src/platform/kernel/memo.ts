import { LRUCache } from 'lru-cache';

/** Loads on first use, once for all concurrent callers. A failure is not cached. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

/** Makes a value once for each key, and keeps it as long as the key lives. */
export function memoizeEach<K extends object, T extends NonNullable<unknown>>(make: (key: K) => T) {
  const made = new WeakMap<K, T>();
  return (key: K): T => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** Makes a value for the last key only: with another key, it is made again. */
export function memoizeLast<K extends object, T>(make: (key: K) => T): (key: K) => T {
  let last: { readonly key: K; readonly value: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}

const one = (): number => 1;

/**
 * A map of at most `max` entries, which forgets the least recently used one first. With its option `max`, the library would
 * reserve memory for all of them at once: 3 MB for 100,000, which every full collection reads.
 */
export const createLru = <V extends {}>(
  max: number,
  options: Pick<LRUCache.OptionsBase<string, V, unknown>, 'ttl' | 'dispose'> = {},
): LRUCache<string, V> => new LRUCache({ ...options, maxSize: max, sizeCalculation: one });

/** Keeps what was read of each id for `ttl` milliseconds, of at most `max` ids. A failure is not kept. */
export function createKept<T>(max: number, ttl: number) {
  const known = createLru<Promise<T>>(max, { ttl });
  return (id: string, read: () => Promise<T>): Promise<T> => {
    const last = known.get(id);
    if (last) return last;
    const reading = read();
    known.set(id, reading);
    reading.catch(() => known.delete(id));
    return reading;
  };
}

export type Coalesced = ReturnType<typeof coalesce>;

/**
 * Repeats a task for whatever happens while it runs, however often that is: at most one run at a time, and one more that
 * waits for it.
 */
export function coalesce(task: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  function start(): Promise<void> {
    running = task().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function startNext(current: Promise<void>): Promise<void> {
    await current.catch(() => undefined);
    waiting = undefined;
    await start();
  }

  return {
    /** Resolves once a run has ended that started after this call. Callers that wait for the same run share it. */
    run(): Promise<void> {
      // Between two runs, nothing runs, but the next one is about to start.
      if (waiting !== undefined) return waiting;
      if (running === undefined) return start();
      waiting = startNext(running);
      return waiting;
    },
    /** The run that starts or ends last; undefined while nothing runs. */
    last: (): Promise<void> | undefined => waiting ?? running,
  };
}
