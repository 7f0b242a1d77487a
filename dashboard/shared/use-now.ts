import { useSyncExternalStore } from 'react';

const TICK_MS = 15_000;

/** One clock for all relative times of a page. */
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

/** Milliseconds since the epoch, renewed every 15 seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);
