/** The wall clock, passed in so that tests can stand at any moment. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * A clock for ages within this process: it follows `clock` forwards, and while that one is set back it goes on by the
 * time that has really passed. It counts sleep of the machine where `clock` does, which a monotonic clock alone misses.
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
