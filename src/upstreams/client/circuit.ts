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
  /** Consecutive failed calls. */
  failures: number;
  /** When they opened the circuit; `CLOSED` if they have not. */
  openedAtMs: number;
  isProbing: boolean;
}

/** A tenant at the origin, as far as the circuit is concerned. */
export interface CircuitUser {
  readonly circuit: CircuitRecord;
  readonly lastUsedMs: number;
}

export type CircuitState = UpstreamState['circuit'];

const CLOSED = Number.NEGATIVE_INFINITY;

export const createCircuitRecord = (): CircuitRecord => ({
  failures: 0,
  openedAtMs: CLOSED,
  isProbing: false,
});

export interface CircuitEvents {
  readonly onOpen: () => void;
  /** A probe has closed it. */
  readonly onClose: () => void;
}

export type Circuit = ReturnType<typeof createCircuit>;

/**
 * The circuit breaker of one origin. It counts calls, not attempts, so that retries do not open it sooner; and each tenant by
 * itself, because its arguments may cause the failures. After `openMs`, one of its calls is the probe.
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
  const remainingMs = ({ openedAtMs }: CircuitRecord): number =>
    Math.max(0, openedAtMs + tuning.openMs - now());

  function openFor(record: CircuitRecord): void {
    const wasClosed = record.openedAtMs === CLOSED;
    record.openedAtMs = now();
    if (wasClosed) onOpen();
  }

  function recordProbe(record: CircuitRecord, verdict: Verdict): void {
    record.isProbing = false;
    if (verdict === 'failure') openFor(record);
    else if (verdict === 'success') {
      record.openedAtMs = CLOSED;
      record.failures = 0;
      onClose();
    }
  }

  /** Throws `upstream_circuit_open` if a call of this tenant would not be admitted now. */
  function check(record: CircuitRecord): void {
    if (record.openedAtMs === CLOSED) return;
    const waitMs = remainingMs(record);
    if (waitMs === 0 && !record.isProbing) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new GatewayError('upstream_circuit_open', undefined, { details: { retryAfterSeconds } });
  }

  return {
    /** The state that a call of this tenant finds. */
    state(record: CircuitRecord): CircuitState {
      if (record.openedAtMs === CLOSED) return 'closed';
      return remainingMs(record) > 0 ? 'open' : 'half_open';
    },
    check,
    /** Like `check`, and marks the call as the probe if one is due. Every admission must be recorded. */
    admit(record: CircuitRecord): Admission {
      if (record.openedAtMs === CLOSED) return 'regular';
      check(record);
      record.isProbing = true;
      return 'probe';
    },
    record(record: CircuitRecord, admission: Admission, verdict: Verdict): void {
      if (admission === 'probe') recordProbe(record, verdict);
      // Calls admitted before the circuit opened neither close it nor keep it open longer.
      else if (record.openedAtMs !== CLOSED || verdict === 'ignored') return;
      else if (verdict === 'success') record.failures = 0;
      else {
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
