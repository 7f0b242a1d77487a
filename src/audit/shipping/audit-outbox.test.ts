import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { createBatchWriter, createOutboxWriter } from '../ledger/audit-batch.ts';
import { type AuditFile, openAuditFile } from '../record/audit-file.ts';
import { toRow } from '../record/audit-row.ts';
import { type AuditOutbox, createAuditOutbox, rowsOf, type WaitingBatch } from './audit-outbox.ts';
import { createDeadLetters, deadLetterLines } from './dead-letters.ts';
import { RecordJoin } from './ship-batch.ts';

const NOW = 1_764_000_000_000;

it('joins the records of any entries in one JSON array, again and again', () => {
  const join = new RecordJoin();
  const record = fc.record({ name: fc.string({ unit: 'grapheme' }), n: fc.nat() });
  const entries = fc.array(fc.array(record, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 5,
  });
  // Beyond the memory that it has at first, and beyond what it keeps.
  const large = [100_000, 3_000_000].map((length) => [[{ name: '가'.repeat(length), n: 0 }]]);
  fc.assert(
    fc.property(fc.oneof(entries, fc.constantFrom(...large)), (lists) => {
      const joined = join.join(lists.map((list) => JSON.stringify(list)));
      expect(JSON.parse(joined.toString())).toEqual(lists.flat());
    }),
    { examples: large.map((lists) => [lists]) },
  );
});

describe('the outbox', () => {
  let dataDir: string;
  let file: AuditFile;
  let wallMs: number;
  const clock = { now: () => wallMs };

  beforeEach(async () => {
    wallMs = NOW;
    dataDir = await makeDataDir();
    file = await openAuditFile({ dataDir, fsync: false });
  });
  afterEach(async () => {
    await file.close();
    await removeDir(dataDir);
  });

  const rowsAt = (atMs: number, url = 'https://example.com/', count = 1) => {
    const upstream = { method: 'GET', url: null, status: 200 };
    return Array.from({ length: count }, () => ({
      row: { ...toRow(makeRecord({ upstream }, atMs)), upstream_url: url },
    }));
  };
  /** Leaves rows in one commit, as a gateway without DATABASE_URL does. */
  const leave = (...args: Parameters<typeof rowsAt>): void => {
    createBatchWriter(file.writer)(rowsAt(...args));
  };
  /** Writes records in one commit. */
  const write = (outbox: AuditOutbox, ...args: Parameters<typeof rowsAt>): void => {
    outbox.added(createOutboxWriter(file.writer, outbox)(rowsAt(...args)));
  };
  const open = () => createAuditOutbox({ file, clock, maxRecords: 10 });
  const countsOf = (batch: WaitingBatch) => batch.map(({ waiting }) => waiting);
  const take = (outbox: AuditOutbox, batch: WaitingBatch) => {
    outbox.remove(batch);
    outbox.removed(batch);
  };
  const removeNext = (outbox: AuditOutbox, maxRecords = 1) =>
    take(outbox, outbox.next(maxRecords, 1e6));

  it('says how long its oldest records have been waiting, also after a restart', () => {
    for (const waitMs of [70_000, 20_000, 0]) {
      write(open(), NOW);
      wallMs += waitMs;
    }
    const outbox = open();
    expect(outbox.oldestWaitingMs()).toBe(90_000);
    removeNext(outbox);
    expect(outbox.oldestWaitingMs()).toBe(20_000);
    removeNext(outbox);
    expect([outbox.count(), outbox.oldestWaitingMs()]).toEqual([1, 0]);
    removeNext(outbox);
    expect([outbox.count(), outbox.oldestWaitingMs()]).toEqual([0, 0]);
  });

  it('returns as many commits with their records as both limits allow, but at least one', () => {
    for (const length of [10, 10, 100_000, 10]) write(open(), NOW, 'x'.repeat(length));
    const outbox = open();
    expect(countsOf(outbox.next(10, 50_000))).toEqual([1, 1]);
    expect(countsOf(outbox.next(1, 50_000))).toEqual([1]);
    removeNext(outbox, 2);
    const large = outbox.next(10, 50_000);
    expect(countsOf(large)).toEqual([1]);
    expect(large[0]?.records.length).toBeGreaterThan(100_000);
  });

  it('divides a commit that is too large for a batch', () => {
    const outbox = open();
    write(outbox, NOW, 'x'.repeat(400_000), 4);
    expect(countsOf(outbox.next(10, 1e9))).toEqual([2, 2]);
  });

  it('ships rows of the embedded mode as it ships its own', () => {
    leave(NOW, 'x', 3);
    const outbox = open();
    expect(outbox.count()).toBe(3);
    const stored = outbox.next(10, 1e9).flatMap(rowsOf);
    write(outbox, NOW, 'x', 3);
    removeNext(outbox, 3);
    const own = outbox.next(10, 1e9).flatMap(rowsOf);
    const anonymous = (rows: typeof own) =>
      rows.map((row) => ({ ...row, audit_id: '', request_id: '' }));
    expect(anonymous(stored)).toEqual(anonymous(own));
    expect(file.writer.prepare('SELECT count(*) AS n FROM audit_records').get()).toEqual({ n: 0 });
  });

  it('never separates the records of a commit', () => {
    const outbox = open();
    write(outbox, NOW);
    write(outbox, NOW, 'x', 3);
    write(outbox, NOW, 'x', 2);
    expect(countsOf(outbox.next(3, 1e6))).toEqual([1]);
    expect(countsOf(outbox.next(5, 1e6))).toEqual([1, 3]);
    removeNext(outbox);
    expect(countsOf(outbox.next(1, 1))).toEqual([3]);
  });

  it('keeps the newest dead letters if there are too many', async () => {
    const outbox = open();
    write(outbox, NOW, 'x', 5);
    const batch = outbox.next(10, 1e6);
    const deadLetters = createDeadLetters(file.writer, clock, 3);
    const refused = batch.flatMap(rowsOf).map((row, at) => ({ row, reason: `reason ${at + 1}` }));
    deadLetters.bury(refused, () => outbox.remove(batch));
    outbox.removed(batch);
    expect([deadLetters.count(), deadLetters.dropped(), outbox.count()]).toEqual([3, 2, 0]);
    const lines = await Array.fromAsync(deadLetterLines(file.db));
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
      'reason 3',
      'reason 4',
      'reason 5',
    ]);
    expect(open().next(10, 1000)).toEqual([]);
  });
});
