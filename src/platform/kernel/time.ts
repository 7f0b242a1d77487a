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
