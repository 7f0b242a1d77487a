import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { LiveBatch } from '../../src/dialects/admin/live.ts';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import { type AdminAnswer, adminUrl, callAdmin } from '../api/call-admin.ts';
import { originOf } from '../shared/outcome.tsx';

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
  const calls = [...unknown(feed, batch.calls).toReversed(), ...feed.calls].slice(0, MAX_CALLS);
  return { ...feed, dropped, calls };
}

/** The feed with calls that ended before it, or while the stream was interrupted, each once and in its place. */
export function addRecent(feed: LiveFeed, recent: readonly LiveCall[]): LiveFeed {
  const calls = [...feed.calls, ...unknown(feed, recent)]
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MAX_CALLS);
  return { ...feed, calls };
}

/** A call may be both in the stream and among the recent records. */
function unknown(feed: LiveFeed, calls: readonly LiveCall[]): readonly LiveCall[] {
  const known = new Set(feed.calls.map(({ auditId }) => auditId));
  return calls.filter(({ auditId }) => !known.has(auditId));
}

type AuditRecord = AdminAnswer<'GET /tenants/:tenant/audit'>['records'][number];

/** A record as the stream would have shown its call. */
export const fromRecord = ({ timestamp, error, upstream, ...record }: AuditRecord): LiveCall => ({
  ...record,
  at: new Date(Date.parse(timestamp) + record.durationMs).toISOString(),
  error: error?.code ?? null,
  upstreamStatus: upstream.status,
});

/** Calls with which the view opens. */
const RECENT_CALLS = 50;

const readRecent = async (tenant: string, signal: AbortSignal): Promise<readonly LiveCall[]> => {
  const input = { tenant, limit: RECENT_CALLS };
  const { records } = await callAdmin('GET /tenants/:tenant/audit', input, { signal });
  return records.map(fromRecord);
};

export interface LiveFilter {
  readonly tool: string;
  /** An origin, or `failed`. */
  readonly outcome: string | null;
  readonly key: string | null;
}

const hasOutcome = (call: LiveCall, outcome: string): boolean =>
  outcome === 'failed'
    ? call.outcome !== 'ok'
    : originOf({ ...call, code: call.error }) === outcome;

export const matches =
  ({ tool, outcome, key }: LiveFilter) =>
  (call: LiveCall): boolean =>
    call.tool.includes(tool.trim().toLowerCase()) &&
    (outcome === null || hasOutcome(call, outcome)) &&
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
  const [isLoading, setLoading] = useState(true);
  const [attempt, reconnect] = useReducer((count: number) => count + 1, 0);
  const [, render] = useReducer((count: number) => count + 1, 0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens a new stream.
  useEffect(() => {
    const source = new EventSource(adminUrl('GET /tenants/:tenant/live', { tenant }));
    const closing = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      render();
    };
    const show = (next: LiveFeed) => {
      feed.current = next;
      timer ??= setTimeout(draw, PAUSE_MS);
    };
    source.onopen = () => {
      setState('open');
      // Only now, also after an interruption: what ends from here on is in the stream, and what ended before has a record.
      void readRecent(tenant, closing.signal).then(
        (recent) => {
          setLoading(false);
          if (!paused.current) show(addRecent(feed.current, recent));
        },
        () => setLoading(false),
      );
    };
    source.onerror = () => {
      const isEnded = source.readyState === EventSource.CLOSED;
      setState(isEnded ? 'ended' : 'connecting');
      if (isEnded) setLoading(false);
    };
    source.addEventListener('calls', ({ data }: MessageEvent<string>) => {
      show(addBatch(feed.current, JSON.parse(data) as LiveBatch, paused.current));
    });
    source.addEventListener('end', () => {
      source.close();
      setState('ended');
    });
    return () => {
      clearTimeout(timer);
      closing.abort();
      source.close();
      feed.current = EMPTY_FEED;
      setState('connecting');
      setLoading(true);
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
  return {
    feed: feed.current,
    state,
    isLoading,
    isPaused: paused.current,
    setPaused,
    clear,
    reconnect,
  };
}
