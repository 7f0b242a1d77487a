import type { ErrorCode } from '../../platform/kernel/error.ts';
import type { Outcome } from './attempt.ts';
import { tooManyCalls } from './bulkhead.ts';
import type { Admission, Verdict } from './circuit.ts';
import type { Interruption } from './interruption.ts';
import type { Lane } from './lanes.ts';
import type { Origin } from './origins.ts';

/** Requests that their callers gave up and that still wait for a connection, at which an origin takes no more calls. */
const MAX_LEFT_BEHIND = 1000;

/** Lets one call of a tenant through to its origin, if that has a place for it and is not being left alone. */
export class Guard {
  readonly #origin: Origin;
  readonly #lane: Lane;
  #isInside = false;
  #admission: Admission | null = null;
  #verdict: Verdict = 'ignored';

  constructor(origin: Origin, tenantId: string) {
    this.#origin = origin;
    this.#lane = origin.lanes.of(tenantId, origin.lastUsedMs);
  }

  /** Takes a free place; false when there is none to take yet. Throws when the call would be refused anyway. */
  tryEnter(): boolean {
    if (this.#origin.leftBehind.count >= MAX_LEFT_BEHIND) throw tooManyCalls();
    this.#origin.circuit.check(this.#lane.circuit); // before queueing: who will be refused need not wait for it
    this.#isInside = this.#origin.bulkhead.tryEnter(this.#lane);
    return this.#isInside;
  }

  /** Waits for a place. */
  async enterLater(interruption: Interruption): Promise<void> {
    await this.#origin.bulkhead.enterLater(this.#lane, interruption);
    this.#isInside = true;
  }

  /** Has the call admitted by the circuit, which may have opened while it waited. */
  admit(): void {
    this.#admission = this.#origin.circuit.admit(this.#lane.circuit);
  }

  /** A probe is not repeated, nor is any call once others have opened the circuit. */
  mayRepeat(): boolean {
    return this.#origin.circuit.isClosed(this.#lane.circuit);
  }

  /** What the outcome says of the origin is told to the circuit when the call leaves. */
  judge(outcome: Outcome): void {
    this.#verdict = verdictOf(outcome);
  }

  /** Ends the visit, however far it came. */
  leave(): void {
    const { circuit, bulkhead } = this.#origin;
    if (this.#admission !== null) {
      circuit.record(this.#lane.circuit, this.#admission, this.#verdict);
    }
    if (this.#isInside) bulkhead.leave(this.#lane);
  }
}

const FAILURES: ReadonlySet<ErrorCode> = new Set(['upstream_timeout', 'upstream_unreachable']);

/** Ends that are the caller's or our own doing. */
const SAYS_NOTHING: ReadonlySet<ErrorCode> = new Set([
  'cancelled',
  'overloaded',
  'internal',
  'upstream_blocked',
]);

/**
 * A 500 is no failure here: one broken operation must not shut its origin off from everybody. 502 to 504 say
 * that what lies behind the origin is away.
 */
function verdictOf(outcome: Outcome): Verdict {
  if (!outcome.error) return outcome.status >= 502 && outcome.status <= 504 ? 'failure' : 'success';
  if (SAYS_NOTHING.has(outcome.error.code)) return 'ignored';
  return FAILURES.has(outcome.error.code) ? 'failure' : 'success';
}
