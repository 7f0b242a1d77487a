import type { AdminInput } from '../api/call-admin.ts';
import { RANGES, type Range } from '../overview/overview-search.ts';

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

/** Orders besides the usual one, newest first. */
export const KEY_ORDERS = ['name', 'last_used', 'calls'] as const satisfies readonly NonNullable<
  ListInput['order']
>[];

/** The filters and the order of the list, in the address. */
export interface KeySearch {
  readonly q?: string;
  readonly state?: KeyState;
  readonly concern?: KeyConcern;
  readonly order?: (typeof KEY_ORDERS)[number];
}

const MAX_TEXT = 100;

/** Filters that do not exist are ignored. */
export function readKeySearch({ q, state, concern, order }: Record<string, unknown>): KeySearch {
  const knownState = KEY_STATES.find((each) => each === state);
  const knownConcern = KEY_CONCERNS.find((each) => each === concern);
  const knownOrder = KEY_ORDERS.find((each) => each === order);
  const text = typeof q === 'string' || typeof q === 'number' ? String(q).slice(0, MAX_TEXT) : '';
  return {
    ...(text && { q: text }),
    ...(knownState && { state: knownState }),
    ...(knownConcern && { concern: knownConcern }),
    ...(knownOrder && { order: knownOrder }),
  };
}

/** The period of the page of one key, unless its address names another. */
export const USUAL_RANGE: Range = '7d';

/** The period, in the address of the page of one key. */
export function readKeyPageSearch(search: Readonly<Record<string, unknown>>): { range?: Range } {
  const range = RANGES.find((each) => each === search['range']);
  return range && range !== USUAL_RANGE ? { range } : {};
}
