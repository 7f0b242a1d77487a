import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Audit, openAudit, openAuditReader } from '../audit.ts';
import type { Seal } from '../seals/seal.ts';
import { verifySeals } from '../seals/verify-seals.ts';
import { DAY_MS } from './audit-retention.ts';

const NOW = 1_764_000_000_000;

describeStores('audit retention', (backend) => {
  let place: TestPlace;
  let database: Database;
  let nowMs = NOW;
  let swept = 0;
  let anchors: Seal[] = [];

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    nowMs = NOW;
    swept = 0;
    anchors = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
    await place.remove();
  });

  const open = (retentionDays: number): Promise<Audit> =>
    openAudit({
      dataDir: place.dataDir,
      database,
      clock: { now: () => nowMs },
      fsync: false,
      retentionDays,
      maxOutboxRecords: 1_000_000,
      onError: () => undefined,
      onAnchor: (seal) => anchors.push(seal),
      onSwept: (records) => {
        swept += records;
      },
    });
  const append = async (audit: Audit, count: number, text = '') => {
    const change = { arguments: { text } };
    await Promise.all(
      Array.from({ length: count }, () => audit.ledger.append(makeRecord(change, nowMs))),
    );
    await until(() => audit.ledger.stats().outbox === 0);
    const seal = await audit.seal();
    if (seal) anchors.push(seal);
  };
  const withReader = async <T>(use: (db: Database['db']) => Promise<T>): Promise<T> => {
    const reader = await openAuditReader({ dataDir: place.dataDir, database });
    return use(reader.db).finally(reader.close);
  };
  const count = () =>
    withReader(async (db) => (await db.selectFrom('audit_records').select('n').execute()).length);
  const verify = (retentionDays: number) =>
    withReader((db) =>
      verifySeals({ db, anchors, expiredBeforeMs: nowMs - retentionDays * DAY_MS }),
    );
  const pass = (days: number) => {
    nowMs += days * DAY_MS;
    vi.advanceTimersByTime(days * DAY_MS);
  };
  /** Appends a record each day for the hundred days until now. */
  const fill = async (): Promise<void> => {
    const audit = await open(0);
    nowMs -= 100 * DAY_MS;
    for (let day = 0; day <= 100; day++) {
      await append(audit, 1);
      if (day < 100) pass(1);
    }
    await audit.close();
  };

  it('deletes whole seals with all their records at start, and what is left is intact', async () => {
    const before = await open(1);
    await append(before, 1300);
    pass(2);
    await append(before, 10);
    await before.close();
    const after = await open(1);
    await vi.waitFor(async () => expect(await count()).toBe(10), { timeout: 30_000 });
    await after.retention.sweep();
    expect([swept, after.retention.stats()]).toEqual([1300, { deleted: 1300 }]);
    await after.close();
    expect(await verify(1)).toMatchObject({ intact: true, expiredSeals: 1, records: 10 });
  });

  it('returns the disk space', async () => {
    const before = await open(1);
    await append(before, 2000, 'x'.repeat(8000));
    pass(2);
    await append(before, 1);
    await before.close();
    const size = () => statSync(join(place.dataDir, 'audit.db')).size;
    const full = size();
    const after = await open(1);
    await vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 30_000 });
    await after.close();
    if (backend.name === 'embedded') expect(size()).toBeLessThan(full * 0.8);
  });

  it('catches up by two days a day, however often it starts', async () => {
    await fill();
    const left: number[] = [];
    for (let day = 0; day < 3; day++) {
      for (let start = 0; start < 2; start++) {
        const audit = await open(30);
        await audit.retention.sweep();
        await audit.close();
        left.push(await count());
      }
      pass(1);
    }
    expect(left).toEqual([101, 101, 99, 99, 97, 97]);
    expect(await verify(30)).toMatchObject({ intact: true });
  });

  it('loses at most two days of records to a clock that jumps ahead again and again', async () => {
    await fill();
    const audit = await open(100);
    await audit.retention.sweep();
    for (let leap = 0; leap < 5; leap++) {
      nowMs += 100 * DAY_MS;
      await audit.retention.sweep();
    }
    expect(await count()).toBeGreaterThanOrEqual(99);
    await audit.close();
    nowMs = NOW;
    const correct = await open(100);
    await correct.retention.sweep();
    expect(await count()).toBeGreaterThanOrEqual(99);
    await correct.close();
  });

  it('deletes nothing before its time after the retention was raised', async () => {
    await fill();
    const short = await open(30);
    await short.retention.sweep();
    await short.close();
    const before = await count();
    pass(1);
    const long = await open(200);
    await long.retention.sweep();
    await long.close();
    expect(await count()).toBe(before);
  });

  it('sweeps the records of a running gateway every day', async () => {
    const audit = await open(3);
    for (let day = 0; day < 10; day++) {
      await append(audit, 2);
      await audit.retention.sweep();
      pass(1);
    }
    expect(await count()).toBe(8);
    await audit.close();
    expect(await verify(3)).toMatchObject({ intact: true });
  });
});
