import type { ErrorCode } from '../../platform/kernel/error.ts';
import type { AbortableCall } from './abortable-call.ts';
import type { Outcome } from './attempt.ts';
import { type Lane, tooManyCalls } from './bulkhead.ts';
import type { Admission, Verdict } from './circuit.ts';
import type { Origin } from './origins.ts';

/** Aborted requests that still wait for a connection, at which an origin accepts no more calls. */
const MAX_ABANDONED = 1000;

/** One call's permission to use its origin: a slot of the bulkhead, and the admission by the circuit. */
export class Permit {
  readonly origin: Origin;
  readonly #lane: Lane;
  #hasSlot = false;
  #admission: Admission | null = null;
  #verdict: Verdict = 'ignored';

  constructor(origin: Origin, tenantId: string) {
    this.origin = origin;
    this.#lane = origin.lanes.of(tenantId, origin.lastUsedMs);
  }

  /** Acquires a slot if one is free. Returns false otherwise. Throws if the call would be rejected anyway. */
  tryAcquire(): boolean {
    if (this.origin.abandoned.count >= MAX_ABANDONED) throw tooManyCalls();
    this.origin.circuit.check(this.#lane.circuit); // before queueing: a call that will be rejected must not wait
    this.#hasSlot = this.origin.bulkhead.tryAcquire(this.#lane);
    return this.#hasSlot;
  }

  /** Waits for a slot. */
  async acquire(call: AbortableCall): Promise<void> {
    await this.origin.bulkhead.acquire(this.#lane, call);
    this.#hasSlot = true;
  }

  /** Passes the circuit, which may have opened while the call waited. */
  admit(): void {
    this.#admission = this.origin.circuit.admit(this.#lane.circuit);
  }

  /** A probe is not retried, nor is any call after other calls have opened the circuit. */
  allowsRetry(): boolean {
    return this.origin.circuit.state(this.#lane.circuit) === 'closed';
  }

  /** The circuit records the outcome on release. */
  setOutcome(outcome: Outcome): void {
    this.#verdict = verdictOf(outcome);
  }

  /** Releases what the call acquired, however far it got. */
  release(): void {
    const { circuit, bulkhead } = this.origin;
    if (this.#admission !== null) {
      circuit.record(this.#lane.circuit, this.#admission, this.#verdict);
    }
    if (this.#hasSlot) bulkhead.release(this.#lane);
  }
}

const FAILURES: ReadonlySet<ErrorCode> = new Set(['upstream_timeout', 'upstream_unreachable']);

/** Errors caused by the caller or the gateway. */
const IGNORED: ReadonlySet<ErrorCode> = new Set([
  'cancelled',
  'overloaded',
  'internal',
  'upstream_blocked',
  'quota_exhausted',
]);

/** 502 to 504 show that the service behind the origin is unavailable. */
export const isUnavailable = (status: number): boolean => status >= 502 && status <= 504;

/** A 500 is not a failure here: one broken operation must not block its origin for every caller. */
function verdictOf(outcome: Outcome): Verdict {
  if (!outcome.error) return isUnavailable(outcome.status) ? 'failure' : 'success';
  if (IGNORED.has(outcome.error.code)) return 'ignored';
  return FAILURES.has(outcome.error.code) ? 'failure' : 'success';
}
