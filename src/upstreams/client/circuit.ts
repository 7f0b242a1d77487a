import { GatewayError } from '../../platform/kernel/error.ts';
import type { UpstreamState } from '../../tools/tool-connection.ts';

/** `ignored`: the end of the call shows nothing about the upstream, for example because the caller disconnected. */
export type Verdict = 'success' | 'failure' | 'ignored';

/** How a call was admitted. */
export type Admission = 'regular' | 'probe';

export interface CircuitTuning {
  /** Consecutive failed calls that open the circuit. */
  readonly failures: number;
  /** How long the circuit stays open before one call may probe the origin, in milliseconds. */
  readonly openMs: number;
}

/** The recent results of one tenant's calls to the origin. */
export interface CircuitRecord {
  /** Consecutive failed calls of this tenant. */
  failures: number;
  /** When its own failures opened the circuit for it; `CLOSED` if they have not. */
  openedAtMs: number;
  isProbing: boolean;
  /** The round that `counted` belongs to. */
  round: number;
  /** Failures of this round that counted towards opening the circuit for all tenants. */
  counted: number;
}

/** A tenant at the origin, as far as the circuit is concerned. */
export interface CircuitUser {
  readonly circuit: CircuitRecord;
  readonly lastUsedMs: number;
}

export type CircuitState = UpstreamState['circuit'];

const CLOSED = Number.NEGATIVE_INFINITY;

/** Failed probes that open the circuit again for all tenants. */
const FAILED_PROBES = 2;

export const createCircuitRecord = (): CircuitRecord => ({
  failures: 0,
  openedAtMs: CLOSED,
  isProbing: false,
  round: 0,
  counted: 0,
});

export interface CircuitEvents {
  /** The circuit opens for all, or again for a tenant. */
  readonly onOpen: (scope: 'all' | 'tenant') => void;
  /** A probe has closed it. */
  readonly onClose: () => void;
}

export type Circuit = ReturnType<typeof createCircuit>;

/**
 * The circuit breaker of one origin. It counts calls, not attempts, so that retries do not open it sooner. One tenant,
 * whose arguments may cause the failures, cannot block an origin for the others:
 *
 * - A tenant's own consecutive failures open the circuit for this tenant. After `openMs`, one of its calls is the probe.
 * - The same number of consecutive failures over all tenants opens it for all. No tenant counts for more than half of
 *   them (rounded up), so that it takes at least two tenants.
 * - After `openMs` each tenant may send its own probe. One success closes the circuit for all; failed probes of two
 *   tenants open it for all again, and those of a single tenant only for this tenant.
 *
 * `now` is a monotonic clock in milliseconds: setting the time changes nothing.
 *
 * cockatiel is fast enough (0.3 us a call) but does not know tenants and differs where it matters: calls made during a
 * probe wait for it beyond their own deadline instead of being rejected, a probe whose caller disconnected counts as a
 * success, and the time until the next probe is not available for `Retry-After`.
 */
export function createCircuit(
  tuning: CircuitTuning,
  now: () => number,
  { onOpen, onClose }: CircuitEvents,
) {
  let openedAtMs = CLOSED;
  /** Consecutive failures over all tenants. A round ends with a success, or when the circuit opens for all. */
  let counted = 0;
  let round = 0;

  const openSince = (record: CircuitRecord): number => Math.max(record.openedAtMs, openedAtMs);

  const remainingMs = (sinceMs: number): number => Math.max(0, sinceMs + tuning.openMs - now());

  /** Each tenant contributes at most half of the failures that open the circuit for all. */
  function countForAll(record: CircuitRecord): void {
    const limit = openedAtMs === CLOSED ? Math.max(2, tuning.failures) : FAILED_PROBES;
    if (record.round !== round) Object.assign(record, { round, counted: 0 });
    if (record.counted >= Math.ceil(limit / 2)) return;
    record.counted += 1;
    counted += 1;
    if (counted < limit) return;
    openedAtMs = now();
    endRound();
    onOpen('all');
  }

  function endRound(): void {
    counted = 0;
    round += 1;
  }

  function openFor(record: CircuitRecord): void {
    const wasClosed = record.openedAtMs === CLOSED;
    record.openedAtMs = now();
    if (wasClosed) onOpen('tenant');
  }

  function succeed(record: CircuitRecord): void {
    record.failures = 0;
    endRound();
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
      onClose();
    }
  }

  /** Throws `upstream_circuit_open` if a call of this tenant would not be admitted now. */
  function check(record: CircuitRecord): void {
    const sinceMs = openSince(record);
    if (sinceMs === CLOSED) return;
    const waitMs = remainingMs(sinceMs);
    if (waitMs === 0 && !record.isProbing) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new GatewayError('upstream_circuit_open', undefined, { details: { retryAfterSeconds } });
  }

  return {
    /** The state that a call of this tenant finds. */
    state(record: CircuitRecord): CircuitState {
      const sinceMs = openSince(record);
      if (sinceMs === CLOSED) return 'closed';
      return remainingMs(sinceMs) > 0 ? 'open' : 'half_open';
    },
    check,
    /** Like `check`, and marks the call as the probe if one is due. Every admission must be recorded. */
    admit(record: CircuitRecord): Admission {
      if (openSince(record) === CLOSED) return 'regular';
      check(record);
      record.isProbing = true;
      return 'probe';
    },
    record(record: CircuitRecord, admission: Admission, verdict: Verdict): void {
      if (admission === 'probe') recordProbe(record, verdict);
      // Calls admitted before the circuit opened neither close it nor keep it open longer.
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

/** A tenant counts for the state of the origin if it used it at most this long before the latest one. */
const RECENT_MS = 60_000;

/** The state that the recent tenants of an origin find: open or half-open only if it is closed for none of them. */
export function originState(circuit: Circuit, users: readonly CircuitUser[]): CircuitState {
  const latestMs = users.reduce((latest, { lastUsedMs }) => Math.max(latest, lastUsedMs), 0);
  const states = users
    .filter(({ lastUsedMs }) => lastUsedMs >= latestMs - RECENT_MS)
    .map((user) => circuit.state(user.circuit));
  if (states.length === 0 || states.includes('closed')) return 'closed';
  return states.every((state) => state === 'open') ? 'open' : 'half_open';
}
