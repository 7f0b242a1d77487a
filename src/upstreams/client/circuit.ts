import { GatewayError } from '../../platform/kernel/error.ts';

/** `ignored`: the end of the call says nothing about the upstream, as when the caller went away. */
export type Verdict = 'success' | 'failure' | 'ignored';

/** What a call was admitted as. */
export type Admission = 'regular' | 'probe';

export interface CircuitTuning {
  /** Failed calls in a row after which the origin is left alone. */
  readonly failures: number;
  /** How long it is left alone before one call may probe it, in milliseconds. */
  readonly openMs: number;
}

/** How the calls of one tenant to the origin have fared. */
export interface CircuitRecord {
  /** Failed calls of this tenant in a row. */
  failures: number;
  /** When its own failures opened the circuit for it; `CLOSED` if they have not. */
  openedAtMs: number;
  isProbing: boolean;
  /** The round that `counted` belongs to. */
  round: number;
  /** Failures of this round that were counted towards opening the circuit for all. */
  counted: number;
}

/** What the circuit has to know of a tenant. */
export interface CircuitUser {
  readonly circuit: CircuitRecord;
  readonly lastUsedMs: number;
}

export type CircuitState = 'closed' | 'open' | 'half_open';

/**
 * The circuit breaker of one origin. Verdicts are given per call, not per attempt, so that retries do not open
 * it sooner. One tenant, whose arguments may be what fails, cannot close an origin to the others:
 *
 * - A tenant's own failures in a row open the circuit for this tenant. After `openMs` one of its calls is the probe.
 * - As many failures in a row over all tenants, without a success of anybody between, open it for all; no tenant
 *   counts for more than half of them (rounded up), so that it takes at least two.
 * - After `openMs` each tenant may probe for itself. One success closes it for all; failed probes of two tenants open
 *   it for all again, and one of a single tenant only for this tenant.
 *
 * Time is monotonic: a clock that is set changes nothing.
 *
 * cockatiel is quick enough (0.3 us a call) but knows no tenants and differs where it matters: calls made during a
 * probe wait for it beyond their own deadline instead of being refused, a probe whose caller went away counts as a
 * success, and the time left until the next probe cannot be told to a caller.
 */
export interface Circuit {
  /** What tenants find who used the origin lately: open for all, or for each of them on its own account. */
  state(users: readonly CircuitUser[]): CircuitState;
  isClosed(record: CircuitRecord): boolean;
  /** Throws `upstream_circuit_open` if a call of this tenant would not be admitted now. */
  check(record: CircuitRecord): void;
  /** As `check`, and takes the probe's place if there is one to take. Every admission needs a verdict. */
  admit(record: CircuitRecord): Admission;
  record(record: CircuitRecord, admission: Admission, verdict: Verdict): void;
}

const CLOSED = Number.NEGATIVE_INFINITY;

/** Tenants that last used the origin longer ago than this before the latest do not count for its state. */
const LATELY_MS = 60_000;

/** Failed probes that open the circuit again for all. */
const FAILED_PROBES = 2;

export const createCircuitRecord = (): CircuitRecord => ({
  failures: 0,
  openedAtMs: CLOSED,
  isProbing: false,
  round: 0,
  counted: 0,
});

/** `now`: a monotonic clock in milliseconds. `onOpen` is told when the circuit opens for all, or anew for a tenant. */
export function createCircuit(
  tuning: CircuitTuning,
  now: () => number,
  onOpen: (scope: 'all' | 'tenant') => void,
): Circuit {
  let openedAtMs = CLOSED;
  /** A round ends with a success, or when the circuit opens for all. */
  let round = 0;
  let counted = 0;

  const openSince = (record: CircuitRecord): number => Math.max(record.openedAtMs, openedAtMs);

  const remainingMs = (sinceMs: number): number => Math.max(0, sinceMs + tuning.openMs - now());

  function beginRound(): void {
    if (counted === 0) return;
    counted = 0;
    round += 1;
  }

  function countForAll(record: CircuitRecord): void {
    if (record.round !== round) {
      record.round = round;
      record.counted = 0;
    }
    const needed = openedAtMs === CLOSED ? Math.max(2, tuning.failures) : FAILED_PROBES;
    if (record.counted >= Math.ceil(needed / 2)) return;
    record.counted += 1;
    counted += 1;
    if (counted < needed) return;
    openedAtMs = now();
    beginRound();
    onOpen('all');
  }

  function openFor(record: CircuitRecord): void {
    const wasClosed = record.openedAtMs === CLOSED;
    record.openedAtMs = now();
    if (wasClosed) onOpen('tenant');
  }

  function succeed(record: CircuitRecord): void {
    record.failures = 0;
    beginRound();
  }

  function recordProbe(record: CircuitRecord, verdict: Verdict): void {
    record.isProbing = false;
    if (verdict === 'failure') {
      openFor(record);
      countForAll(record);
    } else if (verdict === 'success') {
      record.openedAtMs = CLOSED;
      openedAtMs = CLOSED;
      succeed(record);
    }
  }

  function check(record: CircuitRecord): void {
    const sinceMs = openSince(record);
    if (sinceMs === CLOSED) return;
    const waitMs = remainingMs(sinceMs);
    if (waitMs === 0 && !record.isProbing) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new GatewayError('upstream_circuit_open', undefined, { details: { retryAfterSeconds } });
  }

  return {
    state(users) {
      const latestMs = users.reduce((latest, { lastUsedMs }) => Math.max(latest, lastUsedMs), 0);
      const openings = users
        .filter(({ lastUsedMs }) => lastUsedMs >= latestMs - LATELY_MS)
        .map(({ circuit }) => openSince(circuit));
      if (openings.length === 0 || openings.includes(CLOSED)) return 'closed';
      return openings.every((sinceMs) => remainingMs(sinceMs) > 0) ? 'open' : 'half_open';
    },
    isClosed: (record) => openSince(record) === CLOSED,
    check,
    admit(record) {
      if (openSince(record) === CLOSED) return 'regular';
      check(record);
      record.isProbing = true;
      return 'probe';
    },
    record(record, admission, verdict) {
      if (admission === 'probe') recordProbe(record, verdict);
      // Calls admitted before the circuit opened do not close it, nor prolong it.
      else if (openSince(record) !== CLOSED || verdict === 'ignored') return;
      else if (verdict === 'success') succeed(record);
      else {
        countForAll(record);
        record.failures += 1;
        if (record.failures >= tuning.failures) openFor(record);
      }
    },
  };
}
