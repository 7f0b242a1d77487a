import { type ApiKeyRecord, type KeyQuery, MAX_KEY_PAGE } from './api-key-record.ts';
import type { ApiKeyStore } from './api-key-store.ts';

/** How a key was used. Today begins at midnight in Seoul. */
export interface KeyUsage {
  readonly apiKeyId: string;
  /** Null = never, as far as it is recorded. */
  readonly lastUsedAtMs: number | null;
  /** Since midnight in Seoul, as a daily limit counts. */
  readonly callsToday: number;
  readonly failuresToday: number;
  /** Requests that were refused before they had an audit record. */
  readonly refusedToday: number;
}

/** Knows how keys were used. */
export interface KeyUsageSource {
  /** The usage of these keys of a tenant, at most 2,000; keys that were never used may be absent. */
  keyUsage(tenantId: string, apiKeyIds: readonly string[]): Promise<readonly KeyUsage[]>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A key that was not used for so long is worth a look. */
const UNUSED_MS = 90 * DAY_MS;

export interface UsedKey {
  readonly key: ApiKeyRecord;
  readonly usage: KeyUsage;
}

/** What may be wrong with a key that can be used. */
const CONCERNS = {
  never_used: ({ usage }: UsedKey) => usage.lastUsedAtMs === null,
  unused_90_days: ({ key, usage }: UsedKey, nowMs: number) =>
    nowMs - (usage.lastUsedAtMs ?? key.createdAtMs) > UNUSED_MS,
  unlimited: ({ key }: UsedKey) => key.rateLimitPerMinute === null && key.dailyLimit === null,
  no_expiry: ({ key }: UsedKey) => key.expiresAtMs === null,
  all_tools: ({ key }: UsedKey) => key.allowedTools === null,
};

export type KeyConcern = keyof typeof CONCERNS;

export const KEY_CONCERNS = Object.keys(CONCERNS) as readonly KeyConcern[];

export interface KeyHygieneDeps {
  readonly store: Pick<ApiKeyStore, 'list'>;
  readonly usage: KeyUsageSource;
  readonly now: () => number;
}

type TenantKeyQuery = KeyQuery & { readonly tenantId: string };

/** Orders of a list of keys besides the usual one, newest first, which also holds among equals. */
const ORDERS = {
  name: (a: UsedKey, b: UsedKey) => a.key.name.localeCompare(b.key.name, 'ko'),
  last_used: (a: UsedKey, b: UsedKey) => (b.usage.lastUsedAtMs ?? 0) - (a.usage.lastUsedAtMs ?? 0),
  calls: (a: UsedKey, b: UsedKey) => b.usage.callsToday - a.usage.callsToday,
};

export type KeyOrder = keyof typeof ORDERS;

export const KEY_ORDERS = Object.keys(ORDERS) as readonly KeyOrder[];

export interface KeyListOptions {
  /** Only keys with this concern. */
  readonly concern?: KeyConcern | undefined;
  /** By default, newest first. */
  readonly order?: KeyOrder | undefined;
}

/** A page of keys with their usage. */
export async function listUsedKeys(
  deps: KeyHygieneDeps,
  query: TenantKeyQuery,
  { concern, order }: KeyListOptions = {},
): Promise<readonly UsedKey[]> {
  const { store, usage } = deps;
  if (order !== undefined) return listInOrder(deps, query, { concern, order });
  if (concern === undefined) return withUsage(usage, query.tenantId, await store.list(query));
  const found: UsedKey[] = [];
  for await (const each of usedKeys(deps, { ...query, state: 'active' })) {
    if (concernsOf(each, deps.now()).includes(concern)) found.push(each);
    if (found.length === query.limit) break;
  }
  return found;
}

/** Sorts all keys of the tenant, at most as many as it may have: the database of keys does not know their use. */
async function listInOrder(
  deps: KeyHygieneDeps,
  { after, limit, ...query }: TenantKeyQuery,
  { concern, order }: KeyListOptions & { readonly order: KeyOrder },
): Promise<readonly UsedKey[]> {
  const found: UsedKey[] = [];
  const state = concern === undefined ? query.state : 'active';
  for await (const each of usedKeys(deps, { ...query, state, limit: MAX_KEY_PAGE })) {
    const isWanted = concern === undefined || concernsOf(each, deps.now()).includes(concern);
    if (isWanted) found.push(each);
  }
  found.sort(ORDERS[order]);
  if (after === undefined) return found.slice(0, limit);
  const last = found.findIndex(({ key }) => key.id === after);
  // Where the next page begins is unknown if the last key of the page before has been deleted since.
  return last === -1 ? [] : found.slice(last + 1, last + 1 + limit);
}

/** How many of a tenant's active keys have each concern, and how many are active. */
export async function countConcerns(
  deps: KeyHygieneDeps,
  tenantId: string,
): Promise<{ readonly active: number } & Readonly<Record<KeyConcern, number>>> {
  const none = { never_used: 0, unused_90_days: 0, unlimited: 0, no_expiry: 0, all_tools: 0 };
  const counts = { active: 0, ...none };
  for await (const each of usedKeys(deps, { tenantId, state: 'active', limit: MAX_KEY_PAGE })) {
    counts.active++;
    for (const concern of concernsOf(each, deps.now())) counts[concern]++;
  }
  return counts;
}

/** Everything that may be wrong with a key. */
export const concernsOf = (used: UsedKey, nowMs: number): KeyConcern[] =>
  KEY_CONCERNS.filter((concern) => CONCERNS[concern](used, nowMs));

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

/** Adds their usage to keys of a tenant, at most 2,000. */
export async function withUsage(
  usage: KeyUsageSource,
  tenantId: string,
  keys: readonly ApiKeyRecord[],
): Promise<readonly UsedKey[]> {
  const ids = keys.map(({ id }) => id);
  const used = ids.length === 0 ? [] : await usage.keyUsage(tenantId, ids);
  const byId = new Map(used.map((each) => [each.apiKeyId, each]));
  return keys.map((key) => {
    const none = { callsToday: 0, failuresToday: 0, refusedToday: 0 };
    const never = { apiKeyId: key.id, lastUsedAtMs: null, ...none };
    return { key, usage: byId.get(key.id) ?? never };
  });
}
