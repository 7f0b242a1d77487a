import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useLanguage } from '../texts/language.ts';
import { formatAgo, useFormat } from './use-format.ts';

export interface RelativeTimeProps {
  /** ISO 8601, or milliseconds since the epoch. */
  readonly at: string | number;
  /** Makes a sentence of it. */
  readonly say?: (ago: string) => string;
}

/** "3 minutes ago", with the time and its zone on hover. */
export function RelativeTime({ at, say = (ago) => ago }: RelativeTimeProps) {
  const language = useLanguage();
  const { time } = useFormat();
  const date = new Date(at);
  const now = useNow();
  if (Number.isNaN(date.getTime())) return null;
  return (
    <Tooltip label={time(date.getTime())}>
      <time dateTime={date.toISOString()}>{say(formatAgo(date.getTime(), now, language))}</time>
    </Tooltip>
  );
}

/** The time to the millisecond, with "3 minutes ago" and the zone on hover. */
export function ExactTime({ at }: RelativeTimeProps) {
  const language = useLanguage();
  const { exactTime, zone } = useFormat();
  const date = new Date(at);
  return (
    <Tooltip label={`${formatAgo(date.getTime(), useNow(), language)} · ${zone(at)}`}>
      <time dateTime={date.toISOString()}>{exactTime(at)}</time>
    </Tooltip>
  );
}

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
const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);
