import type { ErrorCode } from '../kernel/error.ts';
import type { Outcome } from './attempt.ts';
import type { Admission, Verdict } from './circuit.ts';
import type { Interruption } from './interruption.ts';
import type { Origin } from './origins.ts';

/** Lets one call through to its origin, if that has a place for it and is not being left alone. */
export class Guard {
  readonly #origin: Origin;
  #isInside = false;
  #admission: Admission | null = null;
  #verdict: Verdict = 'ignored';

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Takes a free place; false when there is none to take yet. Throws when the call would be refused anyway. */
  tryEnter(): boolean {
    this.#origin.circuit.check(); // before queueing: who will be refused need not wait for it
    this.#isInside = this.#origin.bulkhead.tryEnter();
    return this.#isInside;
  }

  /** Waits for a place. */
  async enterLater(interruption: Interruption): Promise<void> {
    await this.#origin.bulkhead.enterLater(interruption);
    this.#isInside = true;
  }

  /** Has the call admitted by the circuit, which may have opened while it waited. */
  admit(): void {
    this.#admission = this.#origin.circuit.admit();
  }

  /** What the outcome says of the origin is told to the circuit when the call leaves. */
  judge(outcome: Outcome): void {
    this.#verdict = verdictOf(outcome);
  }

  /** Ends the visit, however far it came. */
  leave(): void {
    if (this.#admission !== null) this.#origin.circuit.record(this.#admission, this.#verdict);
    if (this.#isInside) this.#origin.bulkhead.leave();
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
