import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { type AuditFile, openAuditFile } from '../record/audit-file.ts';
import { createAuditOutbox } from '../shipping/audit-outbox.ts';
import { createAuditLedger, type LocalLedger } from './audit-ledger.ts';

describe('the audit ledger', () => {
  let dataDir: string;
  let file: AuditFile;
  let ledger: LocalLedger;
  const clock = { now: () => 1_764_000_000_000 };

  beforeEach(async () => {
    dataDir = await makeDataDir();
    file = await openAuditFile({ dataDir, fsync: false });
    ledger = createAuditLedger({ file, clock });
  });
  afterEach(async () => {
    await ledger.close();
    await file.close();
    await removeDir(dataDir);
  });

  const storedIds = async () => {
    const rows = await file.db.selectFrom('audit_records').select('audit_id').execute();
    return rows.map((row) => row.audit_id);
  };
  /** Simulates a full disk: the file may not grow by a page. */
  const fillDisk = () => file.writer.exec('PRAGMA max_page_count = 1');
  const freeSpace = () => file.writer.exec('PRAGMA max_page_count = 1000000');
  const big = () => makeRecord({ arguments: { q: 'x'.repeat(8000) } });

  it('commits a record before its append resolves', async () => {
    const record = makeRecord();
    await ledger.append(record);
    expect(await storedIds()).toEqual([record.auditId]);
  });

  it('commits the records of one event-loop turn together and counts them', async () => {
    const records = Array.from({ length: 100 }, () => makeRecord());
    const appended = Promise.all(records.map((record) => ledger.append(record)));
    expect(ledger.stats()).toMatchObject({ calls: 100, queued: 100, records: 0, missing: 0 });
    await appended;
    expect(await storedIds()).toHaveLength(100);
    expect(ledger.stats()).toEqual({
      calls: 100,
      queued: 0,
      records: 100,
      missing: 0,
      outbox: 0,
      refused: 0,
      degraded: null,
      lastWriteAt: '2025-11-24T16:00:00.000Z',
    });
  });

  it('names the record that cannot be stored, and stores the others of the same commit', async () => {
    const unstorable = makeRecord({ durationMs: Number.NaN });
    const others = [makeRecord(), makeRecord()];
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const [unstored] = await Promise.all([unstorable, ...others].map(ledger.append));
    expect([...(unstored ?? [])]).toMatchObject([[unstorable.auditId, { code: 'internal' }]]);
    await expect(ledger.append(makeRecord({ arguments: circular }))).rejects.toMatchObject({
      code: 'internal',
    });
    expect(new Set(await storedIds())).toEqual(new Set(others.map(({ auditId }) => auditId)));
    expect(ledger.stats()).toMatchObject({ degraded: null, records: 2, missing: 2 });
  });

  it('refuses calls while the disk is full, and accepts them again when there is space', async () => {
    fillDisk();
    const failed = await Promise.allSettled([ledger.append(big()), ledger.append(big())]);
    for (const result of failed) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
    }
    expect(() => ledger.assertWritable()).toThrow(
      'The audit log cannot be written (disk full), so calls are refused until disk space is available.',
    );
    expect(ledger.isWritable()).toBe(false);
    expect(ledger.stats()).toMatchObject({ degraded: 'disk full', refused: 1 });
    expect(await storedIds()).toEqual([]);

    freeSpace();
    await vi.waitFor(() => expect(ledger.isWritable()).toBe(true), { timeout: 30_000 });
    await ledger.append(big());
    expect(await storedIds()).toHaveLength(1);
  });

  it('keeps refusing calls while the disk stays full', async () => {
    fillDisk();
    await expect(ledger.append(big())).rejects.toMatchObject({ code: 'overloaded' });
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(() => ledger.assertWritable()).toThrow('disk full');
  });

  it('commits pending records on close, and refuses later ones', async () => {
    const record = makeRecord();
    const appended = ledger.append(record);
    await ledger.close();
    await appended;
    expect(await storedIds()).toEqual([record.auditId]);
    await expect(ledger.append(makeRecord())).rejects.toMatchObject({ code: 'overloaded' });
    expect(() => ledger.assertWritable()).toThrow('shutting down');
  });

  it('refuses calls while the outbox is full, and accepts them again once it has space', async () => {
    const outbox = createAuditOutbox({ file, clock, maxRecords: 2 });
    const limited = createAuditLedger({ file, clock, outbox });
    await limited.append(makeRecord());
    limited.assertWritable();
    await limited.append(makeRecord());
    expect(limited.stats().outbox).toBe(2);
    expect(() => limited.assertWritable()).toThrow('database has been unavailable');
    const batch = outbox.next(1, 1);
    outbox.remove(batch);
    outbox.removed(batch);
    limited.assertWritable();
    await limited.close();
  });

  it('never gives the number of a record again, even after all records were deleted', async () => {
    const numbers = async () => {
      const rows = await file.db.selectFrom('audit_records').select('n').orderBy('n').execute();
      return rows.map(({ n }) => n);
    };
    await Promise.all([makeRecord(), makeRecord({ durationMs: Number.NaN })].map(ledger.append));
    await ledger.append(makeRecord());
    expect(await numbers()).toEqual([1, 2]);
    const seal = { seq: 1, up_to: 2, count: 2, sealed_at_ms: 0 };
    await file.db
      .insertInto('audit_seals')
      .values({ ...seal, records_hash: '', prev_hash: '', hash: '' })
      .execute();
    await file.db.deleteFrom('audit_records').execute();
    await createAuditLedger({ file, clock }).append(makeRecord());
    await file.db.deleteFrom('audit_records').execute();
    await file.db.updateTable('audit_seals').set({ up_to: 3 }).execute();
    await createAuditLedger({ file, clock }).append(makeRecord());
    expect(await numbers()).toEqual([4]);
  });

  it('loses no acknowledged record when the process is killed', async () => {
    const script = fileURLToPath(
      new URL('../../../test/support/append-forever.ts', import.meta.url),
    );
    const child = spawn(process.execPath, [script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = '';
    child.stdout.on('data', (chunk: Buffer) => {
      acknowledged += chunk;
      if (acknowledged.length > 20_000) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const ids = acknowledged.split('\n').slice(0, -1);
    expect(ids.length).toBeGreaterThan(500);
    const stored = new Set(await storedIds());
    expect(ids.filter((id) => !stored.has(id))).toEqual([]);
  });
});
