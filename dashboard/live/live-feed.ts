import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { LiveBatch } from '../../src/dialects/admin/live.ts';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import { adminUrl } from '../api/call-admin.ts';

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

/** `ended`: the gateway refused the stream, or the person may no longer read it. */
type LiveState = 'connecting' | 'open' | 'ended';

export type LiveView = ReturnType<typeof useLiveFeed>;

/** The screen changes at most this often, however many calls end. */
const PAUSE_MS = 250;

/** Follows the calls of a tenant for as long as the page is open. */
export function useLiveFeed(tenant: string) {
  const feed = useRef<LiveFeed>(EMPTY_FEED);
  const paused = useRef(false);
  const [state, setState] = useState<LiveState>('connecting');
  const [attempt, reconnect] = useReducer((count: number) => count + 1, 0);
  const [, render] = useReducer((count: number) => count + 1, 0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens a new stream.
  useEffect(() => {
    const source = new EventSource(adminUrl('GET /tenants/:tenant/live', { tenant }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      render();
    };
    source.onopen = () => setState('open');
    source.onerror = () =>
      setState(source.readyState === EventSource.CLOSED ? 'ended' : 'connecting');
    source.addEventListener('calls', ({ data }: MessageEvent<string>) => {
      feed.current = addBatch(feed.current, JSON.parse(data) as LiveBatch, paused.current);
      timer ??= setTimeout(draw, PAUSE_MS);
    });
    source.addEventListener('end', () => {
      source.close();
      setState('ended');
    });
    return () => {
      clearTimeout(timer);
      source.close();
      feed.current = EMPTY_FEED;
      setState('connecting');
    };
  }, [tenant, attempt]);

  const setPaused = useCallback((isPaused: boolean) => {
    paused.current = isPaused;
    if (!isPaused) feed.current = { ...feed.current, whilePaused: 0 };
    render();
  }, []);
  const clear = useCallback(() => {
    feed.current = EMPTY_FEED;
    render();
  }, []);
  return { feed: feed.current, state, isPaused: paused.current, setPaused, clear, reconnect };
}
