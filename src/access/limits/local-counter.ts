import { createLru } from '../../platform/kernel/lru.ts';
import { WINDOW_SECONDS } from './limit-decision.ts';

/** Bounds the memory, however many addresses call. A key whose window was evicted starts a new one. */
export const MAX_WINDOWS = 100_000;

export interface Window {
  used: number;
  /** On the monotonic clock, like `performance.now()`. */
  readonly endMs: number;
}

/** Counts per key in this process, in one-minute windows that start with the first count of the key. */
export interface LocalCounter {
  /** Adds the points and returns the window in which they count. */
  add(key: string, points: number, nowMs: number): Window;
}

export function createLocalCounter(): LocalCounter {
  const windows = createLru<Window>(MAX_WINDOWS);
  return {
    add(key, points, nowMs) {
      let window = windows.get(key);
      if (!window || window.endMs <= nowMs) {
        window = { used: 0, endMs: nowMs + WINDOW_SECONDS * 1000 };
        windows.set(key, window);
      }
      window.used += points;
      return window;
    },
  };
}
