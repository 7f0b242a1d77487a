import { expect, it } from 'vitest';
import { type ApiKeyRecord, MAX_KEY_PAGE } from './api-key-record.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import {
  concernsOf,
  countConcerns,
  type KeyHygieneDeps,
  type KeyOrder,
  type KeyUsage,
  listUsedKeys,
} from './key-hygiene.ts';

const NOW = 1_764_000_000_000;
const DAY_MS = 86_400_000;

const makeKey = (n: number, over: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: `key_${String(n).padStart(5, '0')}`,
  tenantId: 'ten_1',
  tenantSlug: 'one',
  name: `key ${n}`,
  description: null,
  owner: 'cli',
  prefix: 'tg_live_abcd',
  allowedTools: ['kma_*'],
  mode: null,
  scope: null,
  rateLimitPerMinute: 5,
  dailyLimit: null,
  operatorRateLimit: null,
  createdAtMs: NOW - DAY_MS,
  expiresAtMs: NOW + DAY_MS,
  revokedAtMs: null,
  rotatedFrom: null,
  rotatedTo: null,
  revision: 1,
  kind: null,
  clientId: null,
  clientName: null,
  ...over,
});
const usedAt = (key: ApiKeyRecord, lastUsedAtMs: number | null): KeyUsage => ({
  apiKeyId: key.id,
  lastUsedAtMs,
  callsToday: 1,
  failuresToday: 0,
  refusedToday: 0,
});

it.each<[string, Partial<ApiKeyRecord>, number | null, string[]]>([
  ['a key in use', {}, NOW, []],
  ['a new key', {}, null, ['never_used']],
  ['an old key', { createdAtMs: NOW - 91 * DAY_MS }, null, ['never_used', 'unused_90_days']],
  ['a forgotten key', {}, NOW - 91 * DAY_MS, ['unused_90_days']],
  ['a daily limit', { rateLimitPerMinute: null, dailyLimit: 1 }, NOW, []],
  [
    'a lax key',
    { rateLimitPerMinute: null, expiresAtMs: null, allowedTools: null },
    NOW,
    ['unlimited', 'no_expiry', 'all_tools'],
  ],
  ['a key without tools', { allowedTools: [] }, NOW, []],
])('says what may be wrong with %s', (_, over, lastUsedAtMs, concerns) => {
  const key = makeKey(1, over);
  expect(concernsOf({ key, usage: usedAt(key, lastUsedAtMs) }, NOW)).toEqual(concerns);
});

/** More keys than a page, newest first; every third was used. */
const KEYS = Array.from({ length: 1200 }, (_, n) => makeKey(1200 - n));
const isUsed = (key: ApiKeyRecord) => Number(key.id.slice(4)) % 3 === 0;

function openKeys(): { deps: KeyHygieneDeps; asked: number[] } {
  const asked: number[] = [];
  const list: ApiKeyStore['list'] = async ({ after, limit }) => {
    const from = KEYS.filter(({ id }) => after === undefined || id < after);
    return from.slice(0, Math.min(limit, MAX_KEY_PAGE));
  };
  const keyUsage = async (_tenantId: string, ids: readonly string[]) => {
    asked.push(ids.length);
    return KEYS.filter((key) => ids.includes(key.id) && isUsed(key)).map((key) => usedAt(key, NOW));
  };
  return { deps: { store: { list }, usage: { keyUsage }, now: () => NOW }, asked };
}

it('counts every key of a tenant, asking for the usage of many at once', async () => {
  const { deps, asked } = openKeys();
  expect(await countConcerns(deps, 'ten_1')).toEqual({
    active: 1200,
    never_used: 800,
    unused_90_days: 0,
    unlimited: 0,
    no_expiry: 0,
    all_tools: 0,
  });
  expect(asked).toEqual([1200]);
});

it('lists keys with one concern page by page, without gaps', async () => {
  const { deps } = openKeys();
  const query = { tenantId: 'ten_1', limit: 500 };
  const first = await listUsedKeys(deps, query, { concern: 'never_used' });
  const after = first.at(-1)?.key.id;
  const second = await listUsedKeys(deps, { ...query, after }, { concern: 'never_used' });
  const ids = [...first, ...second].map(({ key }) => key.id);
  expect(ids).toEqual(KEYS.filter((key) => !isUsed(key)).map(({ id }) => id));
});

it('lists keys with their usage, and none of other kinds of pages', async () => {
  const { deps, asked } = openKeys();
  const page = await listUsedKeys(deps, { tenantId: 'ten_1', limit: 3 });
  expect(page.map(({ usage }) => usage.lastUsedAtMs)).toEqual([NOW, null, null]);
  expect(asked).toEqual([3]);
});

it('sorts all keys of a tenant by name, last use or calls, page by page', async () => {
  const { deps } = openKeys();
  const list = async (order: KeyOrder, after?: string) =>
    (await listUsedKeys(deps, { tenantId: 'ten_1', limit: 400, after }, { order })).map(
      ({ key }) => key,
    );
  const used = await list('last_used');
  expect(used.every(isUsed)).toBe(true);
  const rest = await list('last_used', used.at(-1)?.id);
  expect(rest.some(isUsed)).toBe(false);
  expect(await list('calls', 'key_that_was_deleted')).toEqual([]);
  const names = (await list('name')).map(({ name }) => name);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'ko')));
  const { length } = await listUsedKeys(
    deps,
    { tenantId: 'ten_1', limit: 1200 },
    { order: 'name', concern: 'never_used' },
  );
  expect(length).toBe(800);
});
