import { useMemo } from 'react';
import { useLanguage } from '../texts/language.ts';

/** Writes numbers and times as the language in use does. */
export function useFormat() {
  const language = useLanguage();
  return useMemo(() => createFormat(language), [language]);
}

export function createFormat(language: string) {
  const count = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const two = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 });
  const three = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  const dates = new Intl.DateTimeFormat(language, DATE);
  const clock = new Intl.DateTimeFormat(language, CLOCK);
  const time = new Intl.DateTimeFormat(language, { ...DATE, ...CLOCK, ...SECOND });
  const exact = { ...DATE, ...CLOCK, ...SECOND, fractionalSecondDigits: 3 } as const;
  const exactOf = new Intl.DateTimeFormat(language, exact);
  const exactThisYear = new Intl.DateTimeFormat(language, { ...exact, year: undefined });
  const minute = new Intl.DateTimeFormat(language, { ...DATE, ...CLOCK });
  const day = new Intl.DateTimeFormat(language, { ...DATE, timeZone: 'UTC' });
  const zones = new Intl.DateTimeFormat(language, { timeZoneName: 'short' });
  const zone = (at: string | number = Date.now()) =>
    zones.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const withZone = (format: Intl.DateTimeFormat, at: string | number) =>
    `${format.format(new Date(at))} ${zone(at)}`;
  return {
    /** 12,345 */
    count: (value: number) => count.format(value),
    /** 0.123 as 12.3% */
    percent: (share: number) => percent.format(share),
    /** 1536 as 1.5 KB */
    bytes: (bytes: number) => formatBytes(bytes, three),
    /** 1234 as 1.2 s */
    duration: (ms: number) => (ms < 995 ? `${two.format(ms)} ms` : `${two.format(ms / 1000)} s`),
    /** Date and time, to the second, with the zone. */
    time: (at: string | number) => withZone(time, at),
    date: (at: string | number) => dates.format(new Date(at)),
    /** The zone of the reader at a time: GMT+9 */
    zone,
    /** Date and time, to the millisecond, without the zone, and without the year if it is this one. */
    exactTime: (at: string | number, nowMs = Date.now()) => {
      const isThisYear = new Date(at).getFullYear() === new Date(nowMs).getFullYear();
      return (isThisYear ? exactThisYear : exactOf).format(new Date(at));
    },
    /** The time alone of a moment today, else also its date. */
    moment: (at: string | number, nowMs = Date.now()) => {
      const isToday = new Date(at).toDateString() === new Date(nowMs).toDateString();
      return isToday ? clock.format(new Date(at)) : withZone(minute, at);
    },
    /** The time to which data refer, no more precisely than given: 2026, 2026Q1, 2026-09-30, 2026-09-30T14:00+09:00. */
    asOf: (text: string) => {
      if (Number.isNaN(Date.parse(text))) return text;
      if (text.includes('T')) return withZone(minute, text);
      return DAY.test(text) ? day.format(new Date(text)) : text;
    },
  };
}

/** One form for all times: 24 hours, and months by name, which no reader takes for days. */
const DATE = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const SECOND = { second: '2-digit' } as const;

const TICKS = {
  minute: CLOCK,
  day: { month: 'short', day: 'numeric' },
  month: { year: 'numeric', month: 'short' },
} as const;

/** A mark of a chart's axis of times; the one at midnight has the date. */
export function formatTick(ms: number, unit: keyof typeof TICKS, language: string): string {
  const isMidnight = new Date(ms).getHours() === 0 && new Date(ms).getMinutes() === 0;
  const format = TICKS[unit === 'minute' && isMidnight ? 'day' : unit];
  return new Intl.DateTimeFormat(language, format).format(ms);
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function formatBytes(bytes: number, number: Intl.NumberFormat): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${number.format(bytes / 1024 ** step)} ${units[step]}`;
}

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A time as seen from another, in the largest unit that fits: "in 3 days", "2 minutes ago", "now". */
export function formatAgo(atMs: number, nowMs: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const seconds = Math.round((atMs - nowMs) / 1000);
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? format.format(0, 'second') : format.format(seconds, 'second');
}

/** Characters of a local time, by what it ends with. */
const LENGTHS = { minutes: 16, seconds: 19 } as const;

/** A time as the browser's field writes it: local, without a zone. */
export function toLocal(
  time: string | undefined,
  precision: keyof typeof LENGTHS = 'minutes',
): string {
  if (time === undefined) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, LENGTHS[precision]);
}

/** The time of such a field; undefined while it is incomplete. */
export function fromLocal(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
