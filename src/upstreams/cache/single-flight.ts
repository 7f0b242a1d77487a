import { Cancellation, type Watcher } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

/** A caller who wants a value, and its own way to get it. */
export interface Participant<T> {
  /** Starts the work. The cancellation is triggered only when no caller waits for the result any more. */
  run(cancellation: Cancellation): Promise<T>;
  /** The caller's own cancellation; absent for a caller who cannot disconnect. */
  readonly cancellation?: (() => Cancellation) | undefined;
}

/** A caller who waits. One object with its methods: closures would cost every miss four more. */
class Waiter<T> implements Watcher {
  readonly participant: Participant<T>;
  readonly cancellation: Cancellation | undefined;
  readonly #flight: Flight<T>;
  /** Absent for a caller who gets the promise of its own work. */
  result: PromiseWithResolvers<T> | undefined;

  constructor(
    flight: Flight<T>,
    participant: Participant<T>,
    cancellation: Cancellation | undefined,
  ) {
    this.#flight = flight;
    this.participant = participant;
    this.cancellation = cancellation;
  }

  /** Starts to wait for the result of the flight. */
  wait(): Promise<T> {
    this.result = Promise.withResolvers<T>();
    this.cancellation?.watch(this);
    return this.result.promise;
  }

  onCancelled(): void {
    this.#flight.leave(this);
  }
}

/** Callers of one flight; the next one starts a new flight. Completion resolves all of them at once and must stay short. */
const MAX_WAITERS = 1000;

/** What the flights of one group share. */
interface FlightGroup<T> {
  /** The latest flight of each key; an abandoned or full one may still be running beside it. */
  readonly latest: Map<unknown, Flight<T>>;
  readonly forJoiners: (value: T) => T;
}

/** One run of the work and the callers who wait for it. */
class Flight<T> {
  readonly #key: unknown;
  readonly #group: FlightGroup<T>;
  /** Triggered when the last waiter leaves. */
  readonly #abandonment = new Cancellation();
  /**
   * In order of arrival; the first one leads. Empty once the flight is complete: V8 may keep a flight that was in the
   * map for much longer, with everything it references.
   */
  #waiters: Waiter<T>[] = [];

  constructor(key: unknown, group: FlightGroup<T>) {
    this.#key = key;
    this.#group = group;
  }

  get isFull(): boolean {
    return this.#waiters.length >= MAX_WAITERS;
  }

  join(participant: Participant<T>, cancellation: Cancellation | undefined): Promise<T> {
    const waiter = new Waiter(this, participant, cancellation);
    this.#waiters.push(waiter);
    return waiter.wait();
  }

  /** Joins as the first caller. One who cannot disconnect gets the promise of its own work, which saves six objects. */
  lead(participant: Participant<T>, cancellation: Cancellation | undefined): Promise<T> {
    const leader = new Waiter(this, participant, cancellation);
    // `push` would reserve room for 17.
    this.#waiters = [leader];
    if (!cancellation) return this.#run(leader);
    const result = leader.wait();
    this.#runNext();
    return result;
  }

  leave(waiter: Waiter<T>): void {
    this.#remove(waiter);
    waiter.result?.reject(new GatewayError('cancelled'));
    if (this.#waiters.length > 0) return;
    this.#retire();
    this.#abandonment.cancel();
  }

  /** Lets the caller who has waited longest lead. */
  #runNext(): void {
    const leader = this.#waiters[0];
    if (leader) void this.#run(leader);
    else this.#retire();
  }

  /** If the run of the leader fails, the next caller leads, even one who joined meanwhile. */
  #run(leader: Waiter<T>): Promise<T> {
    const running = this.#start(leader);
    running.then(
      (value) => {
        this.#retire();
        this.#remove(leader);
        leader.result?.resolve(value);
        if (this.#waiters.length > 0) this.#complete(this.#group.forJoiners(value));
      },
      (error: unknown) => {
        this.#remove(leader);
        leader.result?.reject(error);
        this.#runNext();
      },
    );
    return running;
  }

  #start(leader: Waiter<T>): Promise<T> {
    try {
      return leader.participant.run(this.#abandonment);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #complete(value: T): void {
    for (const waiter of this.#waiters.splice(0)) {
      waiter.cancellation?.unwatch(waiter);
      waiter.result?.resolve(value);
    }
  }

  #remove(waiter: Waiter<T>): void {
    const index = this.#waiters.indexOf(waiter);
    // The usual one is alone: `splice` would return a list.
    if (index >= 0 && index === this.#waiters.length - 1) this.#waiters.pop();
    else if (index >= 0) this.#waiters.splice(index, 1);
    waiter.cancellation?.unwatch(waiter);
  }

  /** Accepts no more callers. A newer flight of the same key stays. */
  #retire(): void {
    const { latest } = this.#group;
    if (latest.get(this.#key) === this) latest.delete(this.#key);
  }
}

/**
 * Joins callers who want the same value at the same time. The first one leads and does the work for all.
 * - A leader's failure is its own: the caller who has waited longest leads next, each caller at most once.
 * - A caller who disconnects is rejected with `cancelled` at once; the others are not affected. The work continues even
 *   when its leader has left. Only when the last caller leaves is it cancelled, and a later caller starts a new flight.
 *
 * `forJoiners` turns the leader's value into the value for the other callers.
 */
export function createSingleFlight<T>(forJoiners: (value: T) => T) {
  const group: FlightGroup<T> = { latest: new Map(), forJoiners };

  return {
    /** Rejects with the rejection of the caller's own `run`, or with GatewayError `cancelled`. */
    join(key: unknown, participant: Participant<T>): Promise<T> {
      const cancellation = participant.cancellation?.();
      if (cancellation?.isCancelled) return Promise.reject(new GatewayError('cancelled'));
      const latest = group.latest.get(key);
      if (latest && !latest.isFull) return latest.join(participant, cancellation);
      const flight = new Flight(key, group);
      group.latest.set(key, flight);
      return flight.lead(participant, cancellation);
    },
  };
}
