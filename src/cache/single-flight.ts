import { Departure, type Watcher } from '../platform/kernel/departure.ts';
import { GatewayError } from '../platform/kernel/error.ts';

/** One caller's wish for a value, and the way to get it should it fall to this caller to try. */
export interface Participant<T> {
  /** Starts the work; the departure comes only when nobody waits for the result any more. */
  readonly run: (departure: Departure) => Promise<T>;
  /** The caller's own departure; absent for one who cannot go away. */
  readonly departure?: (() => Departure) | undefined;
}

interface Waiter<T> extends Watcher {
  readonly run: Participant<T>['run'];
  readonly departure: Departure | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Flight<T> {
  readonly key: unknown;
  /** Comes when the last waiter has left. */
  readonly abandonment: Departure;
  /**
   * In order of arrival; the first one leads. Empty once the flight is complete: V8 may keep a flight that was in the
   * map for much longer, and all that it holds.
   */
  readonly waiters: Waiter<T>[];
}

/** Callers of one flight; the next one begins a flight of its own. Completion serves all at once and must stay short. */
const MAX_WAITERS = 1000;

/**
 * Joins callers who want the same thing at the same time. The first one leads and does the work for all.
 * - A leader's failure is its own: the caller who has waited longest tries next, each caller at most once.
 * - A caller who goes away is rejected with `cancelled` at once and disturbs nobody. The work goes on for the others
 *   even when its leader left; only when the last one leaves is it given up, and a later caller starts afresh.
 *
 * `forJoiners` makes what those receive who did not do the work themselves.
 */
export function createSingleFlight<T>(forJoiners: (value: T) => T, maxWaiters = MAX_WAITERS) {
  const flights = new Map<unknown, Flight<T>>();

  /** An abandoned or full flight may end after a new one with the same key has begun. */
  function forget(flight: Flight<T>): void {
    if (flights.get(flight.key) === flight) flights.delete(flight.key);
  }

  function addWaiter(
    flight: Flight<T>,
    run: Participant<T>['run'],
    departure: Departure | undefined,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const callerLeft = (): void => leave(flight, waiter);
      const waiter: Waiter<T> = { run, departure, resolve, reject, callerLeft };
      flight.waiters.push(waiter);
      departure?.watch(waiter);
    });
  }

  function removeWaiter({ waiters }: Flight<T>, waiter: Waiter<T>): void {
    const place = waiters.indexOf(waiter);
    if (place >= 0) waiters.splice(place, 1);
    waiter.departure?.unwatch(waiter);
  }

  function leave(flight: Flight<T>, waiter: Waiter<T>): void {
    removeWaiter(flight, waiter);
    waiter.reject(new GatewayError('cancelled'));
    if (flight.waiters.length > 0) return;
    forget(flight);
    flight.abandonment.leave();
  }

  /** The caller who has waited longest leads; when that fails, the next one, also if it joined meanwhile. */
  function runNext(flight: Flight<T>): void {
    const leader = flight.waiters[0];
    if (!leader) {
      forget(flight);
      return;
    }
    start(flight, leader).then(
      (value) => {
        forget(flight);
        removeWaiter(flight, leader);
        leader.resolve(value);
        if (flight.waiters.length > 0) complete(flight, forJoiners(value));
      },
      (error: unknown) => {
        removeWaiter(flight, leader);
        leader.reject(error);
        runNext(flight);
      },
    );
  }

  function start(flight: Flight<T>, leader: Waiter<T>): Promise<T> {
    try {
      return leader.run(flight.abandonment);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function complete(flight: Flight<T>, value: T): void {
    for (const waiter of flight.waiters.splice(0)) {
      waiter.departure?.unwatch(waiter);
      waiter.resolve(value);
    }
  }

  return {
    /** Rejects with what the caller's own `run` rejected with, or with GatewayError `cancelled`. */
    join(key: unknown, participant: Participant<T>): Promise<T> {
      const departure = participant.departure?.();
      if (departure?.hasLeft) return Promise.reject(new GatewayError('cancelled'));
      const underWay = flights.get(key);
      if (underWay && underWay.waiters.length < maxWaiters) {
        return addWaiter(underWay, participant.run, departure);
      }
      const flight: Flight<T> = { key, abandonment: new Departure(), waiters: [] };
      flights.set(key, flight);
      const result = addWaiter(flight, participant.run, departure);
      runNext(flight);
      return result;
    },
  };
}
