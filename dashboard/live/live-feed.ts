import type { LiveBatch } from '../../src/dialects/admin/live.ts';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';

/** Calls that are kept; the oldest make room. */
export const MAX_CALLS = 500;

export interface LiveFeed {
  /** Newest first. */
  readonly calls: readonly LiveCall[];
  /** Calls that were not shown because there were too many for the gateway or this browser. */
  readonly dropped: number;
  /** Calls that ended while the view was paused. They are in the audit log. */
  readonly whilePaused: number;
}

export const EMPTY_FEED: LiveFeed = { calls: [], dropped: 0, whilePaused: 0 };

/** The feed with a batch, or only its numbers while the view is paused. */
export function addBatch(feed: LiveFeed, batch: LiveBatch, isPaused: boolean): LiveFeed {
  const dropped = feed.dropped + batch.dropped;
  if (isPaused) return { ...feed, dropped, whilePaused: feed.whilePaused + batch.calls.length };
  const calls = [...batch.calls.toReversed(), ...feed.calls].slice(0, MAX_CALLS);
  return { ...feed, dropped, calls };
}

export interface LiveFilter {
  readonly tool: string;
  readonly outcome: LiveCall['outcome'] | null;
  readonly key: string | null;
}

export const matches =
  ({ tool, outcome, key }: LiveFilter) =>
  (call: LiveCall): boolean =>
    call.tool.includes(tool.trim().toLowerCase()) &&
    (outcome === null || call.outcome === outcome) &&
    (key === null || call.apiKeyId === key);
