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
