import { LRUCache } from 'lru-cache';
import { WINDOW_SECONDS } from './limit-decision.ts';

/** Bounds the memory, whoever calls from however many addresses; what is forgotten begins a new window. */
export const MAX_WINDOWS = 100_000;

export interface Window {
  used: number;
  /** On the monotonic clock, as `performance.now()`. */
  readonly endMs: number;
}

/** Counts per key in this process, in windows of a minute that begin with a key's first count. */
export interface LocalCounter {
  /** Adds the points and returns the window that they fall into. */
  add(key: string, points: number, nowMs: number): Window;
}

export function createLocalCounter(): LocalCounter {
  const windows = new LRUCache<string, Window>({ max: MAX_WINDOWS });
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
