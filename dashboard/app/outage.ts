import { useSyncExternalStore } from 'react';

const POLL_MS = 3000;
const TIMEOUT_MS = 5000;

/** Whether the gateway has stopped answering; while it has, its health is polled. */
let isOut = false;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (isOut === value) return;
  isOut = value;
  for (const listener of listeners) listener();
}

/** Shows the banner until the gateway answers again. */
export function reportOutage(): void {
  if (isOut) return;
  set(true);
  poll();
}

function poll(): void {
  setTimeout(async () => {
    if (await isReachable()) set(false);
    else poll();
  }, POLL_MS);
}

/** Asks now, without waiting for the next poll. */
export async function checkAgain(): Promise<void> {
  if (await isReachable()) set(false);
}

async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch('/health', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.status < 500;
  } catch {
    return false;
  }
}

export const useOutage = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOut,
  );
