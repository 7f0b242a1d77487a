import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { createChainWriter } from '../chain/chain-writer.ts';
import { createBatchWriter } from '../ledger/audit-batch.ts';
import { type AuditFile, openAuditFile } from '../record/audit-file.ts';
import { toRow } from '../record/audit-row.ts';
import { createAuditOutbox } from './audit-outbox.ts';
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

  const write = (atMs: number, url = 'https://example.com/'): void => {
    const upstream = { method: 'GET', url: null, status: 200 };
    const row = { ...toRow(makeRecord({ upstream }, atMs)), upstream_url: url };
    createBatchWriter(file.writer, createChainWriter({ file, clock: systemClock }))([{ row }]);
  };
  const open = () => createAuditOutbox({ file, clock, maxRecords: 10 });

  it('derives at start from their timestamps how long records have been waiting', () => {
    write(NOW - 90_000);
    expect(open().oldestWaitingMs()).toBe(90_000);
  });

  it('measures the wait on the monotonic clock, whatever the wall clock is set to', () => {
    const outbox = open();
    expect(outbox.oldestWaitingMs()).toBe(0);
    write(NOW);
    outbox.added(1);
    for (const jumpMs of [-3_600_000, 7_200_000]) {
      wallMs += jumpMs;
      vi.advanceTimersByTime(30_000);
    }
    expect(outbox.oldestWaitingMs()).toBe(60_000);
  });

  it('reports a shorter wait as its oldest records leave', () => {
    for (const ageMs of [90_000, 20_000]) write(NOW - ageMs);
    const outbox = open();
    outbox.removed(outbox.table.remove(outbox.table.next(1, 1).rowids));
    expect(outbox.oldestWaitingMs()).toBe(20_000);
    outbox.removed(outbox.table.remove(outbox.table.next(1, 1).rowids));
    expect(outbox.oldestWaitingMs()).toBe(0);
  });

  it('returns as many rows as both limits allow, but at least one', () => {
    for (const length of [10, 10, 100_000, 10]) write(NOW, 'x'.repeat(length));
    const { table } = open();
    expect(table.next(10, 50_000).rowids).toEqual([1, 2]);
    expect(table.next(1, 50_000).rowids).toEqual([1]);
    table.remove([1, 2]);
    expect(table.next(10, 50_000).rowids).toEqual([3]);
    expect(table.next(10, 50_000).bytes).toBeGreaterThan(100_000);
  });

  it('keeps the newest dead letters if there are too many', async () => {
    for (let n = 0; n < 5; n++) write(NOW);
    const { table } = open();
    const deadLetters = createDeadLetters({ writer: file.writer, clock, maxCount: 3 });
    for (const rowid of [1, 2, 3, 4, 5]) deadLetters.bury(table, rowid, `reason ${rowid}`);
    expect([deadLetters.count(), deadLetters.dropped()]).toEqual([3, 2]);
    const lines = await Array.fromAsync(deadLetterLines(file.db));
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
      'reason 3',
      'reason 4',
      'reason 5',
    ]);
    expect(table.next(10, 1000).rowids).toEqual([]);
  });
});
