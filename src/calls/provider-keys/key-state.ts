import type { ReadinessState } from '../../access/provider-keys/readiness.ts';
import type { DatasetView } from './datasets.ts';

/**
 * Worst first. A dataset of which nothing is known yet takes nothing from a key that works for others. The dashboard uses this
 * file, too.
 */
export const KEY_STATES = [
  'missing',
  'unreadable',
  'wrong_key',
  'blocked',
  'expired',
  'not_applied',
  'exhausted',
  'withdrawn',
  'propagating',
  'works',
  'unknown',
] as const satisfies readonly (ReadinessState | 'missing' | 'unreadable')[];

export type KeyState = (typeof KEY_STATES)[number];

/** Whether only the holder of the key can repair a state. */
export const isForHolder = (state: KeyState): boolean =>
  KEY_STATES.indexOf(state) <= KEY_STATES.indexOf('not_applied');

/** What a key is as a whole: the worst of what its datasets are. */
export interface KeyCondition extends Pick<DatasetView, 'since' | 'evidence'> {
  readonly state: KeyState;
  /** How many of its datasets are in this state. */
  readonly affected: number;
  /** What to do, in a sentence; null if there is nothing to do. */
  readonly advice: string | null;
}

export interface ConditionedKey {
  /** Why there is no value to send; null if there is one. */
  readonly unset: 'missing' | 'unreadable' | null;
  readonly datasets: readonly DatasetView[];
  /** Whether the reader may only ask the operator, or bring another key. */
  readonly isBorrowed?: boolean;
}

/** The state of a key, since when, what the provider said last, and what to do. */
export function conditionOf({ unset, datasets, isBorrowed = false }: ConditionedKey): KeyCondition {
  if (datasets.length === 0) return UNNEEDED;
  const state = unset ?? worst(datasets);
  const affected = unset ? datasets : datasets.filter((each) => each.state === state);
  const since = affected.flatMap((each) => each.since ?? []).sort();
  const evidence = affected
    .flatMap((each) => each.evidence ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  return {
    state,
    affected: affected.length,
    since: since[0] ?? null,
    evidence: evidence[0] ?? null,
    advice: adviceOf(state, affected, isBorrowed),
  };
}

const UNNEEDED: KeyCondition = {
  ...{ state: 'unknown', affected: 0, since: null, evidence: null },
  advice: 'No preset needs this key any more. You can remove it.',
};

const worst = (datasets: readonly DatasetView[]): KeyState =>
  KEY_STATES.find((state) => datasets.some((each) => each.state === state)) ?? 'unknown';

/** With the page where to do it, if it is the same for all datasets that are affected. */
function adviceOf(state: KeyState, affected: readonly DatasetView[], isBorrowed: boolean) {
  if (isBorrowed && isForHolder(state)) return BORROWED;
  const pages = new Set(affected.map(({ applyUrl }) => applyUrl));
  const [page] = pages;
  const isDoneThere = state === 'not_applied' || state === 'expired';
  const advice = ADVICE[state];
  return isDoneThere && pages.size === 1 && page ? `${advice} ${page}` : advice;
}

const BORROWED = "Ask the operator to repair the gateway's key, or store a key of your own.";

const ADVICE: Readonly<Record<KeyState, string | null>> = {
  missing: 'Get a key from the provider and store it.',
  unreadable: 'Store the key again, or restore the ENCRYPTION_KEY with which it was stored.',
  wrong_key:
    'Check that the key was copied completely, and store it again. A new key may take an hour until the provider knows it.',
  blocked:
    "Ask the provider why the key is blocked. If the gateway's address is refused, register it at the provider.",
  expired: 'Extend the approval at the provider, then test the key again.',
  not_applied: 'Apply for the dataset at the provider, with the account of the key.',
  exhausted: 'Wait until the quota resets, or request a higher quota from the provider.',
  withdrawn: 'The key is fine: the provider has withdrawn an operation. Update the preset.',
  propagating: 'Wait until the provider has activated the approval, within 72 hours.',
  works: null,
  unknown: 'Call one of its tools to test the key.',
};
