import { setTimeout as sleep } from 'node:timers/promises';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { Deadline } from '../platform/kernel/deadline.ts';
import type { CacheEntry } from './entry-codec.ts';
import type { SharedStore } from './redis-store.ts';
import type { Lease, SharedKey } from './settlements.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;
const PAUSE_GROWTH = 1.5;
/** The clock of Redis may be this much ahead. A release just before the expiry counts as the expiry: it costs one more wait. */
const EARLY_EXPIRY_MS = 10;

/** A fresh entry, or permission to fetch: with the lease, or without it. */
export interface SharedResult {
  readonly entry: CacheEntry | undefined;
  readonly lease: Lease | undefined;
  /** Whether another process was fetching it. */
  readonly hasWaited: boolean;
}

/**
 * Looks up an entry in Redis. While another process has the lease to fetch it, looks again and again, until
 * - the entry is fresh;
 * - the lease is free, and this caller has taken it: the holder failed, was killed, or its response cannot be shared;
 * - another waiter has taken it first. If the holder was killed (its lease expired), this says nothing about the upstream,
 *   and the new holder is waited for. If it released the lease without a response, this caller fetches without a lease:
 *   each waits for one failure only, so failures never add up, and each process sends at most the request that it would
 *   send by itself;
 * - the deadline or the cancellation ends the wait: what follows is up to `fetch`;
 * - Redis fails.
 */
export async function lookUpShared(
  store: SharedStore,
  key: SharedKey,
  deadline: Deadline,
  cancellation: Cancellation,
): Promise<SharedResult> {
  let askedMs = performance.now();
  let found = await store.lookUp(key, deadline);
  if (!found.other) return { entry: found.entry, lease: found.lease, hasWaited: false };
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= PAUSE_GROWTH) {
    const { token, leftMs } = found.other;
    const expiresMs = askedMs + leftMs - EARLY_EXPIRY_MS;
    await sleep(Math.min(pauseMs, LONGEST_PAUSE_MS, leftMs, deadline.remainingMs()));
    if (cancellation.isCancelled) return { entry: undefined, lease: undefined, hasWaited: true };
    askedMs = performance.now();
    found = await store.lookUp(key, deadline);
    if (!found.other) return { entry: found.entry, lease: found.lease, hasWaited: true };
    const wasReleased = found.other.token !== token && performance.now() < expiresMs;
    if (wasReleased || deadline.remainingMs() === 0) break;
  }
  // An expired entry may still replace the response of a failed upstream.
  return { entry: await store.read(key), lease: undefined, hasWaited: true };
}
