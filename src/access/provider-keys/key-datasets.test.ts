import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeStores, openTestDatabase } from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { type KeyDatasets, openKeyDatasets } from './key-datasets.ts';
import { openFingerprints } from './provider-key-store.ts';
import type { KeyObservation } from './readiness.ts';

const DAY_MS = 86_400_000;
const ID = { fingerprint: 'f', name: 'A_KEY', dataset: '15000001' };
const OTHER = { ...ID, dataset: '15000002' };

describeStores('what is known of keys and datasets', (backend) => {
  let database: Database;
  let nowMs: number;
  const opened: KeyDatasets[] = [];
  beforeEach(async () => {
    database = await openTestDatabase(await backend.makePlace());
    await database.migrate();
    nowMs = Date.now();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await database.close();
  });

  const open = async (more: { maxRows?: number; pollMs?: number; onChanged?: () => void } = {}) => {
    const clock = { now: () => nowMs };
    const { db } = database;
    const one = await openKeyDatasets({
      ...{ db, clock, pollMs: 20, onChanged: () => undefined },
      ...more,
    });
    opened.push(one);
    return one;
  };
  const good = (): KeyObservation => ({ kind: 'good', atMs: nowMs });
  const refused = (kind: 'expired' | 'unknown_key' | 'not_approved'): KeyObservation => ({
    ...{ kind, atMs: nowMs, code: '31' },
    text: 'DEADLINE HAS EXPIRED',
  });
  const rows = () => database.db.selectFrom('key_datasets').selectAll().execute();
  const version = async () => (await rows()).map((row) => Number(row.version));

  test('survives a restart, with what the provider said', async () => {
    const before = await open();
    before.report(ID, refused('expired'));
    const known = before.readinessOf(ID);
    expect(known).toMatchObject({ state: 'expired', sinceMs: nowMs });
    await before.close();
    expect((await open()).readinessOf(ID)).toEqual(known);
    expect((await open()).readinessOf({ ...ID, fingerprint: 'new value' }).state).toBe('unknown');
  });

  test('is shared by processes: each adds to what the other has seen', async () => {
    let changes = 0;
    const [one, two] = [await open(), await open({ onChanged: () => changes++ })];
    one.report(ID, good());
    await until(() => two.readinessOf(ID).state === 'works');
    expect(changes).toBeGreaterThan(0);
    one.report(ID, refused('expired'));
    await until(async () => (await rows())[0]?.history.includes('"kind":"expired"') === true);
    await until(() => {
      two.report(OTHER, good());
      return one.readinessOf(OTHER).state === 'works';
    });
    two.report(ID, refused('expired'));
    await until(() => one.readinessOf(ID).state === 'expired');
    one.report(ID, good());
    await until(() => two.readinessOf(ID).state === 'works');
  });

  test('an application keeps what another process has just written', async () => {
    const [one, behind] = [await open(), await open({ pollMs: 60_000 })];
    one.report(ID, refused('expired'));
    await until(async () => (await rows()).length === 1);
    await behind.markApplied(ID, { actor: 'cli', tenantId: null });
    const [row] = await rows();
    expect([Number(row?.applied_at_ms), row?.history]).toEqual([
      nowMs,
      expect.stringContaining('"kind":"expired"'),
    ]);
  });

  test('an unregistered key is a dataset that was not applied for, while another one of the same key works', async () => {
    const one = await open();
    one.report(ID, refused('unknown_key'));
    expect(one.readinessOf(ID).state).toBe('wrong_key');
    one.report({ ...OTHER, name: 'B_KEY' }, good());
    expect(one.readinessOf(ID).state).toBe('wrong_key');
    one.report(OTHER, good());
    expect(one.readinessOf(ID).state).toBe('not_applied');
  });

  test('is written when it changes, and at most every hour otherwise', async () => {
    const one = await open();
    for (let call = 0; call < 400; call++) one.report(ID, good());
    await until(async () => (await rows()).length === 1);
    const [first] = await version();
    for (let call = 0; call < 400; call++) one.report(ID, good());
    one.report(OTHER, good());
    await until(async () => (await rows()).length === 2);
    expect(await version()).toContain(first);
    nowMs += 3_600_001;
    one.report(ID, good());
    await until(async () => !(await version()).includes(first ?? 0));
  });

  test('is forgotten 90 days after it was last seen, and beyond its bound the oldest first', async () => {
    const before = await open();
    before.report(ID, good());
    await before.close();
    nowMs += 91 * DAY_MS;
    const one = await open({ maxRows: 2 });
    one.report(OTHER, good());
    await until(async () => (await rows()).map(({ dataset }) => dataset).join() === OTHER.dataset);
    for (const dataset of ['3', '4', '5']) {
      nowMs += 3_600_001;
      one.report({ ...ID, dataset }, good());
      await until(async () => (await rows()).some((row) => row.dataset === dataset));
    }
    const left = (await rows()).map(({ dataset }) => dataset);
    expect(left.length).toBeLessThanOrEqual(3);
    expect(left).not.toContain(OTHER.dataset);
    expect(one.readinessOf(OTHER).state).toBe('unknown');
  });

  test('an application is entered in the trail, and known to other processes', async () => {
    const [one, two] = [await open(), await open()];
    two.report(ID, refused('not_approved'));
    expect(two.readinessOf(ID).state).toBe('not_applied');
    await one.markApplied(ID, { actor: 'person_1', tenantId: null });
    await until(() => two.readinessOf(ID).state === 'propagating');
    const trail = await database.db.selectFrom('admin_events').selectAll().execute();
    expect(trail).toMatchObject([{ action: 'provider_key.applied', subject_id: 'A_KEY' }]);
    nowMs += 3 * DAY_MS;
    expect(two.readinessOf(ID).state).toBe('not_applied');
  });

  test('a state that ends by itself is reported', async () => {
    let changes = 0;
    const one = await open({ onChanged: () => changes++ });
    const exhausted = { kind: 'exhausted', atMs: nowMs, code: '22', text: null } as const;
    one.report(ID, { ...exhausted, untilMs: nowMs + 1000 });
    expect(one.readinessOf(ID).state).toBe('exhausted');
    await until(async () => (await rows()).length === 1);
    const before = changes;
    nowMs += 1000;
    await until(() => changes > before);
    expect(one.readinessOf(ID).state).toBe('unknown');
  });

  test('two copies of a key have one fingerprint in every process, and it does not show the key', async () => {
    const [one, two] = await Promise.all([
      openFingerprints(database.db),
      openFingerprints(database.db),
    ]);
    const value = 'recognisable-key';
    expect(one(new Secret(value))).toBe(two(new Secret(value)));
    expect(one(new Secret(value))).toMatch(/^[0-9a-f]{32}$/);
    expect(one(new Secret('another'))).not.toBe(one(new Secret(value)));
  });
});
