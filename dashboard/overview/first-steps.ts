/** What a tenant does first, in this order. */
export const STEPS = ['providerKey', 'key', 'call', 'client', 'people'] as const;
export type Step = (typeof STEPS)[number];

/** What a tenant has and did. */
export interface TenantFacts {
  readonly providerKeys: readonly { readonly isSet: boolean }[];
  /** Its newest keys. */
  readonly keys: readonly {
    readonly owner: { readonly id: string } | null;
    readonly lastUsedAt: string | null;
  }[];
  /** Of the last 90 days. */
  readonly calls: number;
  readonly members: number;
  readonly invitations: number;
}

/** Which steps are done. */
export function stepsDone(facts: TenantFacts): Readonly<Record<Step, boolean>> {
  const { providerKeys, keys, calls, members, invitations } = facts;
  return {
    // Without presets that need a key, nothing is to be set.
    providerKey: providerKeys.length === 0 || providerKeys.some(({ isSet }) => isSet),
    // The key of the first start was not made by a person.
    key: keys.some(({ owner }) => owner?.id !== 'start'),
    call: calls > 0,
    // People who try a tool here use no key.
    client: keys.some(({ lastUsedAt }) => lastUsedAt !== null),
    people: members > 1 || invitations > 0,
  };
}
