import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { createChainWriter } from '../chain/chain-writer.ts';
import { createBatchWriter } from '../ledger/audit-batch.ts';
import { type AuditFile, openAuditFile } from '../record/audit-file.ts';
import { toRow } from '../record/audit-row.ts';
import { type AuditOutbox, createAuditOutbox, type WaitingBatch } from './audit-outbox.ts';
import { createDeadLetters, deadLetterLines } from './dead-letters.ts';

const NOW = 1_764_000_000_000;

describe('the outbox', () => {
  let dataDir: string;
  let file: AuditFile;
  let wallMs: number;
  const clock = { now: () => wallMs };

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    wallMs = NOW;
    dataDir = await makeDataDir();
    file = await openAuditFile({ dataDir, fsync: false });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await file.close();
    await removeDir(dataDir);
  });

  /** Writes records in one commit. */
  const write = (atMs: number, url = 'https://example.com/', count = 1): void => {
    const upstream = { method: 'GET', url: null, status: 200 };
    const entries = Array.from({ length: count }, () => ({
      row: { ...toRow(makeRecord({ upstream }, atMs)), upstream_url: url },
    }));
    createBatchWriter(file.writer, createChainWriter({ file, clock: systemClock }))(entries);
  };
  const open = () => createAuditOutbox({ file, clock, maxRecords: 10 });
  const rowidsOf = (batch?: WaitingBatch) => batch?.rows.map(({ rowid }) => rowid);
  const removeNext = (outbox: AuditOutbox, maxRecords = 1) => {
    const batch = outbox.next(maxRecords, 1e6);
    if (batch) outbox.remove(batch);
  };

  it('derives at start from their timestamps how long records have been waiting', () => {
    write(NOW - 90_000);
    expect(open().oldestWaitingMs()).toBe(90_000);
  });

  it('measures the wait on the monotonic clock, whatever the wall clock is set to', () => {
    const outbox = open();
    expect(outbox.oldestWaitingMs()).toBe(0);
    write(NOW);
    outbox.added([toRow(makeRecord())], 1);
    for (const jumpMs of [-3_600_000, 7_200_000]) {
      wallMs += jumpMs;
      vi.advanceTimersByTime(30_000);
    }
    expect(outbox.oldestWaitingMs()).toBe(60_000);
  });

  it('reports a shorter wait as its oldest records leave', () => {
    for (const ageMs of [90_000, 20_000]) write(NOW - ageMs);
    const outbox = open();
    removeNext(outbox);
    expect(outbox.oldestWaitingMs()).toBe(20_000);
    removeNext(outbox);
    expect(outbox.oldestWaitingMs()).toBe(0);
  });

  it('returns as many links with their records as both limits allow, but at least one', () => {
    for (const length of [10, 10, 100_000, 10]) write(NOW, 'x'.repeat(length));
    const outbox = open();
    expect(rowidsOf(outbox.next(10, 50_000))).toEqual([1, 2]);
    expect(rowidsOf(outbox.next(1, 50_000))).toEqual([1]);
    removeNext(outbox, 2);
    expect(rowidsOf(outbox.next(10, 50_000))).toEqual([3]);
    expect(outbox.next(10, 50_000)?.rows[0]?.bytes).toBeGreaterThan(100_000);
  });

  it('keeps the latest records in memory, and reads those that do not fit', () => {
    const outbox = open();
    const writeBatch = createBatchWriter(
      file.writer,
      createChainWriter({ file, clock: systemClock }),
    );
    for (let commit = 0; commit < 9; commit++) {
      const entries = Array.from({ length: 500 }, () => ({ row: toRow(makeRecord({}, NOW)) }));
      const { rows, lastRowId } = writeBatch(entries);
      outbox.added(rows, lastRowId);
    }
    const stored = file.writer.prepare('SELECT * FROM audit_records ORDER BY rowid').all();
    const shipped: unknown[] = [];
    const inMemory: number[] = [];
    for (let batch = outbox.next(500, 1e9); batch; batch = outbox.next(500, 1e9)) {
      if (batch.rows.length === 0) break;
      inMemory.push(batch.rows.filter(({ row }) => row).length);
      shipped.push(...outbox.read(batch.rows));
      outbox.remove(batch);
    }
    expect(shipped).toEqual(stored.map((row) => ({ ...row })));
    expect(inMemory).toEqual([...Array.from({ length: 8 }, () => 500), 0]);
    expect(outbox.count()).toBe(0);
  });

  it('never separates the records of a link', () => {
    write(NOW);
    write(NOW, 'x', 3);
    write(NOW, 'x', 2);
    const outbox = open();
    expect(rowidsOf(outbox.next(3, 1e6))).toEqual([1]);
    expect(rowidsOf(outbox.next(5, 1e6))).toEqual([1, 2, 3, 4]);
    removeNext(outbox);
    expect(rowidsOf(outbox.next(1, 1))).toEqual([2, 3, 4]);
  });

  it('returns records without a link alone, and keeps the newest link', () => {
    write(NOW, 'x', 2);
    write(NOW, 'x', 2);
    file.writer.exec('DELETE FROM audit_links WHERE rowid < (SELECT max(rowid) FROM audit_links)');
    const outbox = open();
    const loose = outbox.next(10, 1e6);
    expect([rowidsOf(loose), loose?.links]).toEqual([[1, 2], []]);
    removeNext(outbox, 10);
    expect(rowidsOf(outbox.next(10, 1e6))).toEqual([3, 4]);
    removeNext(outbox, 10);
    expect([outbox.next(10, 1e6), outbox.count()]).toEqual([undefined, 0]);
    expect(outbox.shippedLink()).toBe(outbox.newestLink());
    expect(file.writer.prepare('SELECT count(*) AS n FROM audit_links').get()).toEqual({ n: 1 });
  });

  it('keeps the newest dead letters if there are too many', async () => {
    for (let n = 0; n < 5; n++) write(NOW);
    const deadLetters = createDeadLetters(file.writer, clock, 3);
    for (const rowid of [1, 2, 3, 4, 5]) deadLetters.bury(rowid, `reason ${rowid}`);
    expect([deadLetters.count(), deadLetters.dropped()]).toEqual([3, 2]);
    const lines = await Array.fromAsync(deadLetterLines(file.db));
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
      'reason 3',
      'reason 4',
      'reason 5',
    ]);
    expect(open().next(10, 1000)?.rows).toEqual([]);
  });
});
