import { expect, test } from 'vitest';
import {
  changesOf,
  dateText,
  EMPTY_FORM,
  formOf,
  joinTools,
  membersOf,
  newKeyOf,
  splitTools,
} from './key-form.ts';
import type { ApiKey } from './key-queries.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

test('sends empty fields as what a key does not have', () => {
  expect(membersOf({ ...EMPTY_FORM, name: ' ci ', expiry: 'never' }, NOW)).toEqual({
    name: 'ci',
    description: null,
    allowedTools: null,
    mode: null,
    rateLimitPerMinute: null,
    dailyLimit: null,
    expiresAt: null,
  });
});

test('computes the expiry, and omits one that is kept', () => {
  const expiryOf = (expiry: '30' | 'keep' | 'date', date = '') =>
    membersOf({ ...EMPTY_FORM, expiry, date }, NOW).expiresAt;
  expect(expiryOf('30')).toBe('2026-12-22T12:00:00.000Z');
  expect(expiryOf('keep')).toBeUndefined();
  const end = new Date(expiryOf('date', '2027-01-31') ?? '');
  expect([dateText(end.getTime()), end.getHours()]).toEqual(['2027-01-31', 23]);
});

test('starts a change with what the key has', () => {
  const key = {
    name: 'ci',
    description: null,
    allowedTools: ['a'],
    mode: 'search',
    rateLimitPerMinute: 5,
    dailyLimit: null,
  } as unknown as ApiKey;
  const { expiresAt: _, ...members } = membersOf(formOf(key), NOW);
  expect(members).toEqual(key);
});

test('sends the scope of a new key, which then has no list of tools', () => {
  const form = { ...EMPTY_FORM, allowedTools: ['a'] };
  expect(newKeyOf(form, NOW)).toMatchObject({ scope: undefined, allowedTools: ['a'] });
  const managing = newKeyOf({ ...form, scope: 'admin' }, NOW);
  expect(managing).toMatchObject({ scope: 'admin', allowedTools: null });
});

test('sends the limit per minute of a changed key only if it was changed', () => {
  const key = { ...EMPTY_FORM, mode: null, rateLimitPerMinute: 5000 } as unknown as ApiKey;
  expect(changesOf(formOf(key), key, NOW)).not.toHaveProperty('rateLimitPerMinute');
  const changed = changesOf({ ...formOf(key), rateLimit: '' }, key, NOW);
  expect(changed).toMatchObject({ rateLimitPerMinute: null });
});

const TOOLS = [
  { name: 'sky_now', category: 'weather', source: 'preset', pattern: 'sky_now' },
  { name: 'get_pet', category: 'pets', source: 'registered', pattern: '@own.pets.get_pet' },
] as const;

test('tells categories, picked tools and patterns apart, and joins them again', () => {
  const list = ['category:weather', 'kma_*', 'gone_tool', 'sky_now', '@own.pets.get_pet'];
  const chosen = splitTools(list, [...TOOLS]);
  expect(chosen).toEqual({
    categories: ['category:weather'],
    patterns: ['kma_*', 'gone_tool'],
    picks: ['sky_now', '@own.pets.get_pet'],
  });
  expect(joinTools(chosen)).toEqual(list);
});
