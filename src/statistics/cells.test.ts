import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import { makeDataDir, removeDir } from '../../test/support/temporary-dir.ts';
import { createChainWriter } from '../audit/chain/chain-writer.ts';
import { createBatchWriter } from '../audit/ledger/audit-batch.ts';
import { type AuditFile, openAuditFile } from '../audit/record/audit-file.ts';
import type { AuditRecord } from '../audit/record/audit-record.ts';
import { toRow } from '../audit/record/audit-row.ts';
import { systemClock } from '../platform/kernel/clock.ts';
import { createRecentCounter, MAX_RECENT_CELLS, type RecentCounter } from './cells.ts';
import { countFile } from './count-records.ts';
import { STEPS } from './steps.ts';

describe('records counted in memory', () => {
  let dataDir: string;
  let file: AuditFile;
  let counter: RecentCounter;
  let write: (records: readonly AuditRecord[], isKnown?: boolean) => void;

  beforeEach(async () => {
    dataDir = await makeDataDir();
    file = await openAuditFile({ dataDir, fsync: false });
    counter = createRecentCounter();
    const batch = createBatchWriter(file.writer, createChainWriter({ file, clock: systemClock }));
    write = (records, isKnown = true) => {
      const { rows, lastRowId } = batch(records.map((record) => ({ row: toRow(record) })));
      if (isKnown) counter.add(rows, lastRowId);
    };
  });
  afterEach(async () => {
    await file.close();
    await removeDir(dataDir);
  });

  const make = (count: number, change: Partial<AuditRecord> = {}) =>
    Array.from({ length: count }, () => makeRecord(change));
  /** Counts as the thread does, and returns the records that had to be read. */
  const rollUp = async (recent = counter.take()): Promise<number> => {
    let read = 0;
    for (let hasMore = true; hasMore; ) {
      const counted = await countFile({ db: file.db, nowMs: 0, recent });
      read += counted.records;
      hasMore = counted.hasMore;
    }
    return read;
  };
  const calls = () =>
    STEPS.map((step) =>
      Number(
        file.writer
          .prepare(
            "SELECT coalesce(sum(calls), 0) AS n FROM statistics WHERE step = ? AND scope = '*' AND kind = 'all'",
          )
          .get(step)?.['n'],
      ),
    );
  const rows = () =>
    file.writer
      .prepare('SELECT * FROM statistics ORDER BY step, scope, kind, bucket_ms, subject')
      .all();

  it('need not be read', async () => {
    write(make(10));
    write(make(5));
    expect(await rollUp()).toBe(0);
    write(make(3));
    expect(await rollUp()).toBe(0);
    expect(calls()).toEqual([18, 18, 18]);
    expect(counter.take()).toBeUndefined();
    expect(await rollUp()).toBe(0);
  });

  it('count after those before them, which are read', async () => {
    write(make(4500), false);
    write(make(10));
    expect(await rollUp()).toBe(3 * 4500);
    expect(calls()).toEqual([4510, 4510, 4510]);
  });

  it('count once when a hand-over is repeated or lost', async () => {
    write(make(10));
    const first = counter.take();
    await rollUp(first);
    await rollUp(first);
    expect(calls()).toEqual([10, 10, 10]);
    write(make(4));
    counter.take();
    write(make(10));
    expect(await rollUp()).toBe(3 * 4);
    expect(calls()).toEqual([24, 24, 24]);
  });

  it('count when those before them were deleted', async () => {
    write(make(10), false);
    file.writer.exec('DELETE FROM audit_records');
    file.writer.exec('INSERT INTO audit_records SELECT * FROM audit_records');
    write(make(10));
    await rollUp();
    expect(calls()).toEqual([10, 10, 10]);
  });

  it('are read if they have too many tools, up to the last of them', async () => {
    for (let n = 0; n <= MAX_RECENT_CELLS; n++) write(make(1, { toolId: `tool-${n}` }));
    const recent = counter.take();
    expect(recent?.cells).toEqual([]);
    write(make(7));
    expect(await rollUp(recent)).toBeGreaterThan(0);
    expect(calls()[0]).toBe(MAX_RECENT_CELLS + 1);
    expect(await rollUp()).toBe(0);
    expect(calls()).toEqual(STEPS.map(() => MAX_RECENT_CELLS + 8));
  });

  it('come to the same figures as those that are read', async () => {
    const record = fc.record({
      tenantId: fc.constantFrom('ten_a', 'ten_b'),
      apiKeyId: fc.constantFrom('key_a', 'key_b'),
      toolId: fc.constantFrom('a', 'b'),
      durationMs: fc.double({ min: 0, max: 1000, noNaN: true }),
      upstream: fc.constantFrom(
        { method: 'GET', url: 'https://a.example/x', status: 200 },
        { method: 'GET', url: 'https://a.example.org/x', status: 200 },
        { method: 'GET', url: null, status: null },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (changes) => {
        const records = changes.map((change) => makeRecord(change as Partial<AuditRecord>));
        file.writer.exec('DELETE FROM audit_records; DELETE FROM statistics');
        write(records);
        await rollUp();
        const counted = rows();
        file.writer.exec(
          "DELETE FROM statistics; UPDATE statistics_progress SET row_id = 0, audit_id = ''",
        );
        await rollUp(undefined);
        expect(counted).toEqual(rows());
      }),
      { numRuns: 30 },
    );
  });
});
