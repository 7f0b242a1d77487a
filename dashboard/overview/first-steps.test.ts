import { expect, test } from 'vitest';
import { stepsDone, type TenantFacts } from './first-steps.ts';

const FRESH: TenantFacts = {
  providerKeys: [{ isSet: false }],
  keys: [{ owner: { id: 'start' }, lastUsedAt: null }],
  calls: 0,
  members: 1,
  invitations: 0,
};

test('a fresh tenant has done nothing', () => {
  expect(stepsDone(FRESH)).toEqual({
    ...{ providerKey: false, key: false, call: false, client: false, people: false },
  });
});

test.each<[string, Partial<TenantFacts>]>([
  ['providerKey', { providerKeys: [{ isSet: false }, { isSet: true }] }],
  ['providerKey', { providerKeys: [] }],
  ['key', { keys: [{ owner: { id: 'per_1' }, lastUsedAt: null }] }],
  ['call', { calls: 1 }],
  ['client', { keys: [{ owner: { id: 'start' }, lastUsedAt: '2026-11-27T00:00:00Z' }] }],
  ['people', { members: 2 }],
  ['people', { invitations: 1 }],
])('only %s is done with %o', (step, facts) => {
  const done = Object.entries(stepsDone({ ...FRESH, ...facts })).filter(([, is]) => is);
  expect(done).toEqual([[step, true]]);
});
