import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DatasetView } from './datasets.ts';
import { conditionOf, KEY_STATES, type KeyState } from './key-state.ts';

type DatasetState = DatasetView['state'];

const DATASET_STATES = KEY_STATES.filter(
  (state): state is DatasetState => state !== 'missing' && state !== 'unreadable',
);

const dataset = (
  state: DatasetState,
  at = 1,
  applyUrl = 'https://portal.example/1',
): DatasetView => ({
  ...{ id: `d${at}`, title: 'A dataset', tools: ['a_tool'], applyUrl, quota: null, state },
  since: state === 'unknown' ? null : new Date(at).toISOString(),
  evidence:
    state === 'works' || state === 'unknown'
      ? null
      : { code: String(at), at: new Date(at).toISOString(), text: 'REFUSED' },
});

const rank = (state: KeyState): number => KEY_STATES.indexOf(state);

describe('the state of a key', () => {
  test('is never better than its worst dataset, and counts those that are as bad', () => {
    const states = fc.array(fc.constantFrom(...DATASET_STATES), { minLength: 1, maxLength: 40 });
    const unset = fc.constantFrom(null, 'missing' as const, 'unreadable' as const);
    fc.assert(
      fc.property(states, unset, (each, without) => {
        const datasets = each.map((state, at) => dataset(state, at));
        const { state, affected, evidence } = conditionOf({ unset: without, datasets });
        for (const one of each) expect(rank(state)).toBeLessThanOrEqual(rank(one));
        expect(affected).toBe(without ? each.length : each.filter((one) => one === state).length);
        expect(affected).toBeGreaterThan(0);
        if (!without && rank(state) < rank('works')) expect(evidence).not.toBeNull();
      }),
    );
  });

  test('has the earliest time and the latest evidence of the datasets that are as bad', () => {
    const datasets = [
      dataset('works', 1),
      dataset('not_applied', 5),
      dataset('not_applied', 3),
      dataset('exhausted', 9),
    ];
    expect(conditionOf({ unset: null, datasets })).toEqual({
      state: 'not_applied',
      affected: 2,
      since: new Date(3).toISOString(),
      evidence: { code: '5', at: new Date(5).toISOString(), text: 'REFUSED' },
      advice:
        'Apply for the dataset at the provider, with the account of the key. https://portal.example/1',
    });
  });

  test('is advised with the page of a dataset only if one page helps', () => {
    const other = 'https://portal.example/2';
    const datasets = [dataset('not_applied', 1), dataset('not_applied', 2, other)];
    expect(conditionOf({ unset: null, datasets }).advice).not.toContain('https://');
  });

  test("sends a tenant with the operator's key to the operator for what only the operator repairs", () => {
    const of = (state: DatasetState) =>
      conditionOf({ unset: null, datasets: [dataset(state)], isBorrowed: true }).advice;
    for (const state of ['wrong_key', 'blocked', 'expired', 'not_applied'] as const)
      expect(of(state)).toMatch(/^Ask the operator/);
    expect(of('exhausted')).toMatch(/^Wait/);
    expect(of('works')).toBeNull();
  });

  test('of a key that nothing needs is unknown', () => {
    expect(conditionOf({ unset: 'missing', datasets: [] })).toMatchObject({
      ...{ state: 'unknown', affected: 0 },
      advice: expect.stringContaining('remove'),
    });
  });
});
