import { GatewayError } from '../kernel/error.ts';

/** One caller's wish for a value, and the way to get it should it fall to this caller to try. */
export interface Passenger<T> {
  /**
   * Starts the work; its signal is aborted only when nobody waits for the result any more. There is none when this
   * caller has no signal itself, and so cannot go away.
   */
  readonly run: (signal: AbortSignal | undefined) => Promise<T>;
  /** Aborted when this caller goes away. */
  readonly signal?: AbortSignal | undefined;
}

/** Who waits for a flight. Joiners, and leaders that can go away, have a promise of their own. */
interface Waiter<T> extends Passenger<T> {
  readonly resolve?: (value: T) => void;
  readonly reject?: (error: unknown) => void;
  leave?: () => void;
}

interface Flight<T> {
  readonly key: unknown;
  /** Made for the first leader that can go away. */
  abandoned: AbortController | null;
  /**
   * In order of arrival; the first one leads. Empty once the flight has landed: V8 may keep a flight that was in the
   * map for much longer, and all that it holds.
   */
  readonly waiters: Waiter<T>[];
}

/**
 * Joins callers who want the same thing at the same time. The first one leads and does the work for all.
 * - A leader's failure is its own: the caller who has waited longest tries next, each caller at most once.
 * - A caller who goes away is rejected with `cancelled` at once and disturbs nobody. The work goes on for the others
 *   even when its leader left; only when the last one leaves is it aborted, and a later caller starts afresh.
 *
 * `forJoiners` makes what those receive who did not do the work themselves.
 */
export function createSingleFlight<T>(forJoiners: (value: T) => T) {
  const flights = new Map<unknown, Flight<T>>();

  /** An abandoned flight may end after a new one with the same key has begun. */
  function forget(flight: Flight<T>): void {
    if (flights.get(flight.key) === flight) flights.delete(flight.key);
  }

  function board(flight: Flight<T>, passenger: Passenger<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { run, signal } = passenger;
      const waiter: Waiter<T> = { run, signal, resolve, reject };
      flight.waiters.push(waiter);
      if (!signal) return;
      waiter.leave = () => {
        alight(flight, waiter);
        reject(new GatewayError('cancelled'));
        if (flight.waiters.length > 0) return;
        forget(flight);
        flight.abandoned?.abort();
      };
      signal.addEventListener('abort', waiter.leave, { once: true });
    });
  }

  function alight({ waiters }: Flight<T>, waiter: Waiter<T>): void {
    const place = waiters.indexOf(waiter);
    if (place >= 0) waiters.splice(place, 1);
    if (waiter.leave) waiter.signal?.removeEventListener('abort', waiter.leave);
  }

  /** The caller who has waited longest leads; when that fails, the next one, also if it joined meanwhile. */
  function fly(flight: Flight<T>): void {
    const leader = flight.waiters[0];
    if (leader) lead(flight, leader).then(leader.resolve, leader.reject);
    else forget(flight);
  }

  /** Does the work for all; rejects with what the leader's own work rejected with. */
  function lead(flight: Flight<T>, leader: Waiter<T>): Promise<T> {
    return start(flight, leader).then(
      (value) => {
        forget(flight);
        alight(flight, leader);
        if (flight.waiters.length > 0) land(flight, forJoiners(value));
        return value;
      },
      (error: unknown) => {
        alight(flight, leader);
        fly(flight);
        throw error;
      },
    );
  }

  function start(flight: Flight<T>, leader: Waiter<T>): Promise<T> {
    try {
      return leader.run(signalFor(flight, leader));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function signalFor(flight: Flight<T>, leader: Waiter<T>): AbortSignal | undefined {
    if (!leader.signal) return undefined;
    flight.abandoned ??= new AbortController();
    return flight.abandoned.signal;
  }

  function land(flight: Flight<T>, value: T): void {
    for (const waiter of flight.waiters.splice(0)) {
      alight(flight, waiter);
      waiter.resolve?.(value);
    }
  }

  return {
    /** Rejects with what the caller's own `run` rejected with, or with GatewayError `cancelled`. */
    join(key: unknown, passenger: Passenger<T>): Promise<T> {
      if (passenger.signal?.aborted) return Promise.reject(new GatewayError('cancelled'));
      const underWay = flights.get(key);
      if (underWay) return board(underWay, passenger);
      const flight: Flight<T> = { key, abandoned: null, waiters: [] };
      flights.set(key, flight);
      if (!passenger.signal) {
        flight.waiters.push(passenger);
        return lead(flight, passenger);
      }
      const landed = board(flight, passenger);
      fly(flight);
      return landed;
    },
  };
}
