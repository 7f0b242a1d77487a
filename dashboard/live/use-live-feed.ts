import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { LiveBatch } from '../../src/dialects/admin/live.ts';
import { adminUrl } from '../api/call-admin.ts';
import { addBatch, EMPTY_FEED, type LiveFeed } from './live-feed.ts';

/** `ended`: the gateway refused the stream, or the person may no longer read it. */
export type LiveState = 'connecting' | 'open' | 'ended';

export interface LiveView {
  readonly feed: LiveFeed;
  readonly state: LiveState;
  readonly isPaused: boolean;
  readonly setPaused: (isPaused: boolean) => void;
  readonly clear: () => void;
  readonly reconnect: () => void;
}

/** The screen changes at most this often, however many calls end. */
const PAUSE_MS = 250;

/** Follows the calls of a tenant for as long as the page is open. */
export function useLiveFeed(tenant: string): LiveView {
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
