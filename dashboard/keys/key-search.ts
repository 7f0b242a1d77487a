import type { AdminInput } from '../api/call-admin.ts';

type ListInput = AdminInput<'GET /tenants/:tenant/keys'>;

export type KeyState = NonNullable<ListInput['state']>;
export type KeyConcern = NonNullable<ListInput['concern']>;

export const KEY_STATES = ['active', 'expired', 'revoked'] as const satisfies readonly KeyState[];

/** In the order in which they are worth a look. */
export const KEY_CONCERNS = [
  'never_used',
  'unused_90_days',
  'unlimited',
  'no_expiry',
  'all_tools',
] as const satisfies readonly KeyConcern[];

/** The filters of the list, in the address. */
export interface KeySearch {
  readonly q?: string;
  readonly state?: KeyState;
  readonly concern?: KeyConcern;
}

const MAX_TEXT = 100;

/** Filters that do not exist are ignored. */
export function readKeySearch({ q, state, concern }: Record<string, unknown>): KeySearch {
  const knownState = KEY_STATES.find((each) => each === state);
  const knownConcern = KEY_CONCERNS.find((each) => each === concern);
  const text = typeof q === 'string' || typeof q === 'number' ? String(q).slice(0, MAX_TEXT) : '';
  return {
    ...(text && { q: text }),
    ...(knownState && { state: knownState }),
    ...(knownConcern && { concern: knownConcern }),
  };
}
