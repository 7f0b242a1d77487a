import { expect, test } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import type { KeyDataset } from '../../access/provider-keys/key-datasets.ts';
import {
  type KeyObservation,
  learn,
  NO_HISTORY,
  readinessOf,
} from '../../access/provider-keys/readiness.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import type { UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';
import { createKeyObserver, createOperatorKeys } from './observe-key.ts';

const NOON = Date.parse('2026-11-26T03:00:00Z');

/** An observer of one tool with these keys. */
function observe(secrets: readonly string[], { nowMs = NOON, elsewhere = false } = {}) {
  const { presetEntries } = createCatalog({
    presets: [makePreset('a/b', { ...makeTool('tool'), secrets })],
  });
  const [entry] = presetEntries;
  if (!entry) throw new Error('No tool.');
  let history = NO_HISTORY;
  const reports: KeyObservation[] = [];
  const { observeKey, isWrongKey } = createKeyObserver({
    keyDatasets: {
      report: (_id: KeyDataset, observation) => {
        reports.push(observation);
        history = learn(history, observation);
      },
      isKnownElsewhere: () => elsewhere,
      readinessOf: () => readinessOf(history, elsewhere, nowMs),
    },
    judge: {
      refusalOf: (_name, { cause }) => (cause === 'quota' ? 'exhausted' : 'unknown_key'),
      provesKey: () => false,
      hintOf: () => undefined,
    },
    clock: { now: () => nowMs },
  });
  const keyInUse = createOperatorKeys(
    () => new Secret('value'),
    () => 'f',
  );
  const use = { entry, connection: { keyInUse } };
  const respond = (more: Partial<UpstreamResponse>) => {
    const json = Buffer.from('{}');
    const received = { json, ok: false, status: 200, url: '', fetchedAtMs: nowMs, fetchedAt: '' };
    const response = observeKey(use, { ...received, ...more });
    return { response, isWrong: isWrongKey(use, response) };
  };
  return { respond, reports };
}

test('a refusal says that the key is wrong only while no other dataset accepts it', () => {
  const refused = { cause: 'operator_key', code: '30' } as const;
  expect(observe(['A']).respond(refused)).toMatchObject({
    response: { cause: 'operator_key' },
    isWrong: true,
  });
  expect(observe(['A'], { elsewhere: true }).respond(refused)).toMatchObject({
    response: { cause: 'not_approved' },
    isWrong: false,
  });
});

test('a key that works is wrong after the second refusal', () => {
  const { respond } = observe(['A']);
  respond({ ok: true });
  expect(respond({ cause: 'operator_key' }).isWrong).toBe(false);
  expect(respond({ cause: 'operator_key' }).isWrong).toBe(true);
});

test('a refusal of a request with several keys says nothing of any, a good response something of each', () => {
  const { respond, reports } = observe(['A', 'B']);
  respond({ cause: 'operator_key' });
  expect(reports).toEqual([]);
  respond({ ok: true });
  expect(reports).toEqual([
    { kind: 'good', atMs: NOON },
    { kind: 'good', atMs: NOON },
  ]);
});

test('a used-up quota lasts until midnight, and says nothing within five minutes after it', () => {
  const midnight = Date.parse('2026-11-26T15:00:00Z');
  const noon = observe(['A']);
  noon.respond({ cause: 'quota', code: '22' });
  expect(noon.reports).toMatchObject([{ kind: 'exhausted', code: '22', untilMs: midnight }]);
  const after = observe(['A'], { nowMs: midnight + 299_999 });
  after.respond({ cause: 'quota', code: '22' });
  expect(after.reports).toEqual([]);
});

test('a tool without a key is not observed', () => {
  const { respond, reports } = observe([]);
  respond({ ok: true });
  expect(reports).toEqual([]);
});
