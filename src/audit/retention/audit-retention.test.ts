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
import type { RetentionNotice } from './audit-retention.ts';
import { approveSweep, DAY_MS } from './audit-sweeps.ts';

const NOW = 1_764_000_000_000;

describeStores('audit retention', (backend) => {
  let place: TestPlace;
  let database: Database;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    nowMs = NOW;
    notices = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
    await place.remove();
  });

  let nowMs = NOW;
  let notices: RetentionNotice[] = [];

  const open = (retentionDays: number): Promise<Audit> =>
    openAudit({
      dataDir: place.dataDir,
      database,
      clock: { now: () => nowMs },
      fsync: false,
      retentionDays,
      maxOutboxRecords: 1_000_000,
      onError: () => undefined,
      onRetention: (notice) => notices.push(notice),
    });
  const append = async (audit: Audit, count: number, atMs: number, text = '') => {
    const change = { arguments: { text } };
    await Promise.all(
      Array.from({ length: count }, (_, i) => audit.ledger.append(makeRecord(change, atMs + i))),
    );
  };
  /** On PostgreSQL, reading waits for a second only until records are shipped. */
  const shipped = (audit: Audit) => until(() => audit.ledger.stats().outbox === 0);
  const count = async (audit: Audit): Promise<number> => {
    await shipped(audit);
    let seen = 0;
    let cursor: string | undefined;
    do {
      const page = await audit.store.list({ tenantId: 'ten_a', limit: 500, cursor });
      seen += page.records.length;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return seen;
  };

  it('deletes records older than the retention time at start', async () => {
    const before = await open(0);
    await append(before, 1300, NOW - 31 * DAY_MS);
    await append(before, 10, NOW - DAY_MS);
    expect(await count(before)).toBe(1310);
    await before.close();
    const after = await open(30);
    await vi.waitFor(async () => expect(await count(after)).toBe(10), { timeout: 30_000 });
    await after.close();
  });

  it('returns the disk space', async () => {
    const before = await open(0);
    await append(before, 2000, NOW - 31 * DAY_MS, 'x'.repeat(8000));
    await append(before, 1, NOW);
    await shipped(before);
    await before.close();
    const size = () => statSync(join(place.dataDir, 'audit.db')).size;
    const full = size();
    const after = await open(30);
    await vi.waitFor(async () => expect(await count(after)).toBe(1), { timeout: 30_000 });
    await after.close();
    if (backend.name === 'embedded') expect(size()).toBeLessThan(full * 0.8);
  });

  /** Appends one record per day for the last hundred days. */
  const fill = async (): Promise<void> => {
    const audit = await open(0);
    for (let day = 0; day <= 100; day++) await append(audit, 1, NOW - day * DAY_MS);
    await audit.close();
  };
  const approve = async (beforeMs: number): Promise<void> => {
    const reader = await openAuditReader({ dataDir: place.dataDir, database });
    await approveSweep(reader.db, beforeMs);
    await reader.close();
  };

  it('deletes only one day of records per day if more are due, however often it starts, and reports it', async () => {
    await fill();
    const audit = await open(30);
    await audit.retention.sweep();
    expect(await count(audit)).toBe(100);
    expect(audit.retention.stats()).toEqual({ deleted: 1, refused: true });
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'refused' }));
    await audit.close();

    const again = await open(30);
    await again.retention.sweep();
    expect(await count(again)).toBe(100);
    nowMs += DAY_MS;
    await append(again, 1, nowMs);
    await again.retention.sweep();
    expect(await count(again)).toBe(100);
    expect(again.retention.stats()).toEqual({ deleted: 1, refused: true });
    await again.close();
  });

  it('deletes all of them once an operator has approved it', async () => {
    await fill();
    await approve(NOW - 30 * DAY_MS);
    const audit = await open(30);
    await audit.retention.sweep();
    expect(await count(audit)).toBe(31);
    expect(audit.retention.stats()).toEqual({ deleted: 70, refused: false });
    await audit.close();
  });

  it('loses at most two days of records to a clock that is 100 days ahead and keeps jumping', async () => {
    await fill();
    const fast = await open(100);
    await fast.retention.sweep();
    expect(await count(fast)).toBe(101);
    nowMs += 100 * DAY_MS;
    // A record with the wrong clock's own time proves nothing.
    await append(fast, 1, nowMs);
    for (let leap = 0; leap < 5; leap++) {
      await fast.retention.sweep();
      nowMs += DAY_MS;
    }
    expect(await count(fast)).toBeGreaterThanOrEqual(100);
    await fast.close();

    nowMs = NOW;
    const correct = await open(100);
    await correct.retention.sweep();
    expect(await count(correct)).toBeGreaterThanOrEqual(100);
    await correct.close();
  });

  it('deletes no further than a day beyond the newest record and the time that has passed since', async () => {
    const before = await open(0);
    await append(before, 1, NOW - 31 * DAY_MS);
    await before.close();
    const after = await open(30);
    await after.retention.sweep();
    expect(await count(after)).toBe(1);
    vi.advanceTimersByTime(30 * DAY_MS);
    await after.retention.sweep();
    expect(await count(after)).toBe(0);
    await after.close();
  });

  it('sweeps the records of a running gateway every day without a refusal', async () => {
    const audit = await open(3);
    for (let day = 0; day < 10; day++) {
      await append(audit, 2, nowMs);
      // Reading ships them all to where retention sees them.
      await count(audit);
      await audit.retention.sweep();
      nowMs += DAY_MS;
      vi.advanceTimersByTime(DAY_MS);
    }
    expect(await count(audit)).toBe(8);
    expect(notices.filter(({ kind }) => kind === 'refused')).toEqual([]);
    await audit.close();
  });
});
