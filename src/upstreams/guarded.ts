import type { ErrorCode } from '../kernel/error.ts';
import type { Outcome } from './attempt.ts';
import type { Admission, Verdict } from './circuit.ts';
import type { Interruption } from './interruption.ts';
import type { Origin } from './origins.ts';

/** Runs an exchange if its origin has a place for it and is not being left alone. */
export async function guarded(
  origin: Origin,
  interruption: Interruption,
  exchange: () => Promise<Outcome>,
): Promise<Outcome> {
  const { bulkhead, circuit } = origin;
  circuit.check(); // before queueing: who will be refused need not wait for it
  if (!bulkhead.tryEnter()) await bulkhead.enterLater(interruption);
  let admission: Admission | null = null;
  let verdict: Verdict = 'ignored';
  try {
    interruption.check();
    admission = circuit.admit();
    const outcome = await exchange();
    verdict = verdictOf(outcome);
    return outcome;
  } finally {
    if (admission !== null) circuit.record(admission, verdict);
    bulkhead.leave();
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
