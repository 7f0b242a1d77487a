/** The wall clock. It is passed in so that tests can set the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * A clock for ages within this process. It follows `clock` forwards; while that one is set back, it advances by the time
 * that has really passed. It counts time in which the machine sleeps, as `clock` does and a monotonic clock does not.
 */
export function createSteadyClock(clock: Clock, elapsedMs = () => performance.now()): Clock {
  let aheadMs = Number.NEGATIVE_INFINITY;
  return {
    now: () => {
      const elapsed = elapsedMs();
      aheadMs = Math.max(aheadMs, clock.now() - elapsed);
      return elapsed + aheadMs;
    },
  };
}

let knownSecond = Number.NaN;
let upToSecond = '';

/**
 * A time in milliseconds since 1970 as ISO 8601 in UTC, such as `2026-11-22T01:30:00.000Z`. Formatting a date takes more
 * than a microsecond, which every response with new data would pay: the part up to the second is remembered.
 */
export function isoTime(timeMs: number): string {
  const whole = Math.trunc(timeMs);
  const second = Math.floor(whole / 1000);
  if (second !== knownSecond) {
    upToSecond = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    knownSecond = second;
  }
  const ms = whole - second * 1000;
  return `${upToSecond}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
}

export const isoTimeOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : isoTime(timeMs);

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** A duration in its largest whole unit: `3 minutes`. `seconds` is a whole number. */
export function describeAge(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return count === 1 ? `1 ${name}` : `${count} ${name}s`;
}

/** The time by which a call must have ended; on the monotonic clock, in milliseconds. */
export class Deadline {
  readonly #expiresAtMs: number;

  private constructor(expiresAtMs: number) {
    this.#expiresAtMs = expiresAtMs;
  }

  static in(durationMs: number): Deadline {
    return new Deadline(performance.now() + durationMs);
  }

  /** `expiresAtMs` is of the monotonic clock. */
  static at(expiresAtMs: number): Deadline {
    return new Deadline(expiresAtMs);
  }

  /** Milliseconds left; never negative. */
  remainingMs(): number {
    return Math.max(0, this.#expiresAtMs - performance.now());
  }
}

/**
 * Runs `task` again and again: first after `firstMs`, then `pauseMs()` after each run has ended. Returns what stops it;
 * a run in progress then still ends. Does not keep the process alive. `task` must not reject.
 */
export function repeat(
  task: () => Promise<unknown>,
  pauseMs: () => number,
  firstMs = pauseMs(),
): () => void {
  let isStopped = false;
  const turn = async (): Promise<void> => {
    await task();
    if (!isStopped) timer = setTimeout(turn, pauseMs()).unref();
  };
  let timer = setTimeout(turn, firstMs).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A day of a time zone, in milliseconds since the epoch. */
export interface ZonedDay {
  readonly startMs: number;
  /** When the next one begins. */
  readonly endMs: number;
}

/** The day of an IANA time zone in which a moment lies. */
export function zonedDay(nowMs: number, zone: string): ZonedDay {
  const wallMs = nowMs + offsetMs(nowMs, zone);
  const midnightMs = wallMs - (wallMs % DAY_MS);
  const at = (wall: number): number => {
    const guess = wall - offsetMs(nowMs, zone);
    // The clock may be changed between now and then.
    return wall - offsetMs(guess, zone);
  };
  return { startMs: at(midnightMs), endMs: at(midnightMs + DAY_MS) };
}

/** Korea is at UTC+9 all year. Figures and limits count days of Seoul, as providers count theirs. */
export const SEOUL_OFFSET_MS = 9 * HOUR_MS;

/** Making a format takes longer than all else. */
const offsetMs = (atMs: number, zone: string): number =>
  zone === 'Asia/Seoul' ? SEOUL_OFFSET_MS : readOffsetMs(atMs, zone);

function readOffsetMs(atMs: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  });
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000);
}

const WRITTEN =
  /^(\d{4})(?:[-./]?(\d\d)(?:[-./]?(\d\d)(?:[T ]?(\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.\d+)?)?)?)?)?)?\s?(Z|[+-]\d\d:?\d\d)?$/;
const PERIOD = /^\d{4}(?:-?[QS]\d|-?W\d\d)$/;
const MAX_LENGTH = 40;

/**
 * A time as institutions write it (`2026`, `202611`, `20261122`, `202611220500`, `2026.11.22 05:00`), in ISO 8601 and no
 * more precise than it was: `2026-11-22T05:00+09:00`. A time of day without an offset of its own gets the given one.
 * Hour 24 is hour 0 of the next day. Quarters, halves and weeks (`2026Q1`) stay as they are. Null for any other text.
 */
export function isoTimeOf(text: string, offset: string | null): string | null {
  const written = text.length <= MAX_LENGTH ? withoutHour24(text.trim()) : '';
  if (PERIOD.test(written)) return written;
  const [, year, month, day, hour, minute, second, zone] = WRITTEN.exec(written) ?? [];
  if (!year || !isWithin(month, 12) || !isWithin(day, 31)) return null;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 60) return null;
  const date = [year, month, day].filter(Boolean).join('-');
  if (hour === undefined) return date;
  const seconds = second === undefined ? '' : `:${second}`;
  return `${date}T${hour}:${minute ?? '00'}${seconds}${zone ?? offset ?? ''}`;
}

const isWithin = (part: string | undefined, max: number): boolean =>
  part === undefined || (Number(part) >= 1 && Number(part) <= max);

const HOUR_24 =
  /^((?:19|20)\d\d)([-./]?)(\d\d)\2(\d\d)([T ]?)24((?::?00){0,2}(?:\.0+)?(?:Z|[+-]\d\d:?\d\d)?)$/;

/** A written time of hour 24 as hour 0 of the next day, in the same form; any other text as it is. */
export function withoutHour24(text: string): string {
  const [, year, mark = '', month, day, between = '', rest = ''] = HOUR_24.exec(text) ?? [];
  if (year === undefined) return text;
  const next = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (next.getUTCMonth() !== Number(month) - 1) return text;
  next.setUTCDate(next.getUTCDate() + 1);
  const date = next.toISOString().slice(0, 'YYYY-MM-DD'.length).replaceAll('-', mark);
  return `${date}${between}00${rest}`;
}
