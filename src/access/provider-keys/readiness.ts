import type { KeyRefusal } from '../../platform/kernel/cause.ts';

/** Whether a key can be used for a dataset (docs/contract.md#readiness-of-keys). */
export type ReadinessState =
  | 'works'
  | 'not_applied'
  | 'propagating'
  | 'wrong_key'
  | 'expired'
  | 'blocked'
  | 'withdrawn'
  | 'exhausted'
  | 'unknown';

/** What the provider said. */
export interface KeyEvidence {
  readonly code: string | null;
  readonly atMs: number;
  /** One line without secrets. */
  readonly text: string | null;
}

/** A response, as far as it says something about the key that was sent. */
export type KeyObservation =
  | { readonly kind: 'good'; readonly atMs: number }
  | (KeyEvidence & { readonly kind: Exclude<KeyRefusal, 'exhausted'> })
  /** `untilMs`: when the provider begins to count again. */
  | (KeyEvidence & { readonly kind: 'exhausted'; readonly untilMs: number });

/** The latest refusal since the last good response. */
interface Refused extends KeyEvidence {
  readonly kind: Exclude<KeyRefusal, 'exhausted'>;
  /** The first of its kind in a row; the same as `atMs` for a single one. */
  readonly firstAtMs: number;
  /** 2 once two of one kind came in a row. A single one may be a mistake of the provider. */
  readonly strikes: 1 | 2;
}

/** What is known of a key and a dataset. Of several processes, the last to write it knows best. */
export interface KeyHistory {
  /** The last good response; null = none yet. */
  readonly goodAtMs: number | null;
  /** The first good response after the last change of state. */
  readonly goodSinceMs: number | null;
  readonly refused: Refused | null;
  readonly exhausted: (KeyEvidence & { readonly untilMs: number }) | null;
  /** When the operator said that the dataset was applied for. */
  readonly appliedAtMs: number | null;
}

export const NO_HISTORY: KeyHistory = {
  goodAtMs: null,
  goodSinceMs: null,
  refused: null,
  exhausted: null,
  appliedAtMs: null,
};

/** How long a provider may take to activate an approval. */
export const PROPAGATION_MS = 72 * 3_600_000;

/**
 * What is known after one more response. What arrives last is later than all before it, whatever the clocks of other
 * processes say: a good response always wins.
 */
export function learn(history: KeyHistory, observation: KeyObservation): KeyHistory {
  const lastMs = lastSeenMs(history);
  if (observation.kind === 'good') {
    const atMs = Math.max(observation.atMs, lastMs);
    const isSame = history.goodSinceMs !== null && !isRefused(history) && !history.exhausted;
    const goodSinceMs = isSame ? history.goodSinceMs : atMs;
    return { ...history, goodAtMs: atMs, goodSinceMs, refused: null, exhausted: null };
  }
  const atMs = Math.max(observation.atMs, lastMs + 1);
  const before = history.refused;
  if (observation.kind === 'exhausted') {
    const { code, text, untilMs } = observation;
    // Whose quota is used up is not refused, unless that is certain.
    const refused = isRefused(history) ? before : null;
    return { ...history, refused, exhausted: { code, text, atMs, untilMs } };
  }
  const { kind, code, text } = observation;
  const isRepeated = before?.kind === kind;
  const firstAtMs = isRepeated ? before.firstAtMs : atMs;
  const strikes = isRepeated || before?.strikes === 2 ? 2 : 1;
  const next = { ...history, refused: { kind, code, text, atMs, firstAtMs, strikes } as const };
  return isRefused(next) ? { ...next, exhausted: null } : next;
}

/** When the latest response of a history came, or the dataset was applied for; 0 for an empty one. */
export const lastSeenMs = ({ goodAtMs, refused, exhausted }: KeyHistory): number =>
  Math.max(goodAtMs ?? 0, refused?.atMs ?? 0, exhausted?.atMs ?? 0);

/** Whether the provider is known to accept the key itself, which is also what a used-up quota says. */
export const isAccepted = (history: KeyHistory, nowMs: number): boolean =>
  isExhausted(history, nowMs) || (history.goodAtMs !== null && !isRefused(history));

export interface Readiness {
  readonly state: ReadinessState;
  /** Null for `unknown`. */
  readonly sinceMs: number | null;
  /** Null for `works` and `unknown`. */
  readonly evidence: KeyEvidence | null;
}

/** What a history means; `isKnownElsewhere`: another dataset accepts the same key. */
export function readinessOf(
  history: KeyHistory,
  isKnownElsewhere: boolean,
  nowMs: number,
): Readiness {
  const { refused, exhausted, goodSinceMs } = history;
  if (exhausted && isExhausted(history, nowMs)) {
    return { state: 'exhausted', sinceMs: exhausted.atMs, evidence: evidenceOf(exhausted) };
  }
  if (!refused || !isRefused(history)) {
    const state = goodSinceMs === null ? 'unknown' : 'works';
    // A quota that was used up is available again since its reset.
    const sinceMs = goodSinceMs && Math.max(goodSinceMs, exhausted?.untilMs ?? 0);
    return { state, sinceMs, evidence: null };
  }
  const state = stateOfRefusal(refused.kind, isKnownElsewhere);
  const applied = state === 'not_applied' ? history.appliedAtMs : null;
  const isPropagating = applied !== null && nowMs - applied < PROPAGATION_MS;
  return {
    state: isPropagating ? 'propagating' : state,
    sinceMs: isPropagating ? Math.max(applied, refused.firstAtMs) : refused.firstAtMs,
    evidence: evidenceOf(refused),
  };
}

/**
 * The same, with the latest refusal taken at its word. People see it at once; tools are described and last good responses are
 * withheld by what is certain.
 */
export function latestOf(history: KeyHistory, isKnownElsewhere: boolean, nowMs: number): Readiness {
  const { refused } = history;
  const latest: KeyHistory =
    refused && !isRefused(history)
      ? { ...history, exhausted: null, refused: { ...refused, strikes: 2 } }
      : history;
  return readinessOf(latest, isKnownElsewhere, nowMs);
}

/** When a state ends by itself, if it does, in milliseconds since the epoch. */
export const endsAtMs = ({ exhausted, appliedAtMs }: KeyHistory): readonly number[] => [
  ...(exhausted ? [exhausted.untilMs] : []),
  ...(appliedAtMs === null ? [] : [appliedAtMs + PROPAGATION_MS]),
];

function stateOfRefusal(kind: Refused['kind'], isKnownElsewhere: boolean): ReadinessState {
  if (kind === 'unknown_key') return isKnownElsewhere ? 'not_applied' : 'wrong_key';
  return kind === 'not_approved' ? 'not_applied' : kind;
}

/** From `unknown`, one refusal decides; a key that has worked is refused once there were two in a row. */
const isRefused = ({ refused, goodAtMs }: KeyHistory): boolean =>
  refused !== null && (goodAtMs === null || refused.strikes === 2);

const isExhausted = ({ exhausted }: KeyHistory, nowMs: number): boolean =>
  exhausted !== null && nowMs < exhausted.untilMs;

const evidenceOf = ({ code, atMs, text }: KeyEvidence): KeyEvidence => ({ code, atMs, text });
