import type { ApiKeyRecord } from './api-key-record.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { KeyUsage, KeyUsageSource } from './key-usage.ts';
import { type KeyLaxness, type KeyQuery, MAX_KEY_PAGE } from './list-api-keys.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A key that was not used for so long is worth a look. */
const UNUSED_MS = 90 * DAY_MS;

/** What may be wrong with a key that can be used. */
export type KeyConcern = KeyLaxness | 'never_used' | 'unused_90_days';

export const KEY_CONCERNS = [
  'never_used',
  'unused_90_days',
  'unlimited',
  'no_expiry',
  'all_tools',
] as const satisfies readonly KeyConcern[];

export interface UsedKey {
  readonly key: ApiKeyRecord;
  readonly usage: KeyUsage;
}

export interface KeyHygieneDeps {
  readonly store: Pick<ApiKeyStore, 'list'>;
  readonly usage: KeyUsageSource;
  readonly now: () => number;
}

export type TenantKeyQuery = KeyQuery & { readonly tenantId: string };

/** A page of keys with their usage, of those with the concern if one is named. */
export async function listUsedKeys(
  deps: KeyHygieneDeps,
  query: Omit<TenantKeyQuery, 'laxness'>,
  concern: KeyConcern | undefined,
): Promise<readonly UsedKey[]> {
  if (concern === undefined) return readPage(deps, query);
  const found: UsedKey[] = [];
  for await (const each of usedKeys(deps, { ...query, state: 'active' })) {
    if (concernsOf(each, deps.now()).includes(concern)) found.push(each);
    if (found.length === query.limit) break;
  }
  return found;
}

/** How many of a tenant's active keys have each concern, and how many are active. */
export async function countConcerns(
  deps: KeyHygieneDeps,
  tenantId: string,
): Promise<{ readonly active: number } & Readonly<Record<KeyConcern, number>>> {
  const counts = {
    active: 0,
    never_used: 0,
    unused_90_days: 0,
    unlimited: 0,
    no_expiry: 0,
    all_tools: 0,
  };
  for await (const each of usedKeys(deps, { tenantId, state: 'active', limit: MAX_KEY_PAGE })) {
    counts.active++;
    for (const concern of concernsOf(each, deps.now())) counts[concern]++;
  }
  return counts;
}

/** Everything that may be wrong with a key. */
export function concernsOf({ key, usage }: UsedKey, nowMs: number): KeyConcern[] {
  const { lastUsedAtMs } = usage;
  const unusedSinceMs = lastUsedAtMs ?? key.createdAtMs;
  const isUnused = nowMs - unusedSinceMs > UNUSED_MS;
  return KEY_CONCERNS.filter(
    (concern) =>
      ({
        never_used: lastUsedAtMs === null,
        unused_90_days: isUnused,
        unlimited: key.rateLimitPerMinute === null && key.dailyLimit === null,
        no_expiry: key.expiresAtMs === null,
        all_tools: key.allowedTools === null,
      })[concern],
  );
}

/** Every key that the query finds; at most as many as a tenant may have. */
async function* usedKeys(
  { store, usage }: KeyHygieneDeps,
  query: TenantKeyQuery,
): AsyncIterable<UsedKey> {
  let { after } = query;
  for (let isLast = false; !isLast; ) {
    const keys: ApiKeyRecord[] = [];
    while (!isLast && keys.length < KEYS_AT_ONCE) {
      const page = await store.list({ ...query, after, limit: MAX_KEY_PAGE });
      keys.push(...page);
      after = page.at(-1)?.id;
      isLast = page.length < MAX_KEY_PAGE;
    }
    yield* await withUsage(usage, query.tenantId, keys);
  }
}

/** Keys whose usage is read at once: it takes as long for all keys of a tenant as for one. */
export const KEYS_AT_ONCE = 2000;

async function readPage(
  { store, usage }: KeyHygieneDeps,
  query: TenantKeyQuery,
): Promise<readonly UsedKey[]> {
  return withUsage(usage, query.tenantId, await store.list(query));
}

/** Adds their usage to keys of a tenant, at most 2,000. */
export async function withUsage(
  usage: KeyUsageSource,
  tenantId: string,
  keys: readonly ApiKeyRecord[],
): Promise<readonly UsedKey[]> {
  const ids = keys.map(({ id }) => id);
  const used = ids.length === 0 ? [] : await usage.keyUsage(tenantId, ids);
  const byId = new Map(used.map((each) => [each.apiKeyId, each]));
  return keys.map((key) => ({ key, usage: byId.get(key.id) ?? neverUsed(key.id) }));
}

const neverUsed = (apiKeyId: string): KeyUsage => ({
  apiKeyId,
  lastUsedAtMs: null,
  callsToday: 0,
  failuresToday: 0,
});
