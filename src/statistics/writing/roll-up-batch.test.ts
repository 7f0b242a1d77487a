import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { createChainWriter } from '../../audit/chain/chain-writer.ts';
import { createBatchWriter } from '../../audit/ledger/audit-batch.ts';
import { AUDIT_FILE_NAME, type AuditFile, openAuditFile } from '../../audit/record/audit-file.ts';
import type { AuditRecord } from '../../audit/record/audit-record.ts';
import { toRow } from '../../audit/record/audit-row.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { STEPS } from '../tally/steps.ts';
import { createRollUpBatch, type RollUpBatch } from './roll-up-batch.ts';

describe('counting the records of audit.db', () => {
  let dataDir: string;
  let file: AuditFile;
  let write: (records: readonly AuditRecord[]) => void;
  let rollUp: RollUpBatch;

  beforeEach(async () => {
    dataDir = await makeDataDir();
    file = await openAuditFile({ dataDir, fsync: false });
    const batch = createBatchWriter(file.writer, createChainWriter({ file, clock: systemClock }));
    write = (records) => batch(records.map((record) => ({ row: toRow(record) })));
    const batches = STEPS.map((step) => createRollUpBatch(file.writer, step));
    rollUp = (fromMs) => {
      const counted = batches.map((batch) => batch(fromMs));
      return {
        records: Math.max(...counted.map(({ records }) => records)),
        hasMore: counted.some(({ hasMore }) => hasMore),
        lockedMs: 0,
      };
    };
  });
  afterEach(async () => {
    await file.close();
    await removeDir(dataDir);
  });

  const make = (count: number, change: Partial<AuditRecord> = {}) =>
    Array.from({ length: count }, () => makeRecord(change));
  const rollUpAll = (): void => {
    while (rollUp(0).records > 0);
  };
  const callsBy = (step: string): number =>
    Number(
      file.writer
        .prepare(
          "SELECT coalesce(sum(calls), 0) AS n FROM statistics WHERE step = ? AND scope = 'ten_a' AND kind = 'all'",
        )
        .get(step)?.['n'],
    );
  const calls = () => [callsBy('minute'), callsBy('hour'), callsBy('day')];
  const remove = (auditIds: readonly string[]): void => {
    const statement = file.writer.prepare('DELETE FROM audit_records WHERE audit_id = ?');
    for (const id of auditIds) statement.run(id);
  };
  const idsOf = (records: readonly AuditRecord[]) => records.map(({ auditId }) => auditId);

  it('counts each record once, also those that are older than the statistics', () => {
    write(make(5000));
    rollUpAll();
    write(make(10));
    rollUpAll();
    rollUpAll();
    expect(calls()).toEqual([5010, 5010, 5010]);
  });

  it('is done once it has counted what it found', () => {
    write(make(2500));
    expect(rollUp(0).hasMore).toBe(true);
    expect(rollUp(0)).toMatchObject({ records: 500, hasMore: false });
    expect(rollUp(0)).toMatchObject({ records: 0, hasMore: false });
  });

  it('counts records whose row ids belonged to deleted ones', () => {
    const first = make(10);
    write(first);
    rollUpAll();
    remove(idsOf(first));
    write(make(15));
    rollUpAll();
    expect(calls()).toEqual([25, 25, 25]);
    // The record with the highest row id is not the newest one if its call took long.
    const [long = makeRecord()] = make(1);
    write([long]);
    rollUpAll();
    remove([long.auditId]);
    write(make(1));
    rollUpAll();
    expect(calls()).toEqual([27, 27, 27]);
  });

  it('is not confused by the deletion of records that are not counted yet', () => {
    const [first, second] = [make(10), make(10)];
    write(first);
    rollUpAll();
    write(second);
    remove(idsOf([...first, ...second.slice(0, 5)]));
    rollUpAll();
    write(make(3));
    rollUpAll();
    expect(callsBy('hour')).toBe(18);
  });

  it('finds its place again after VACUUM', () => {
    const first = make(20);
    write(first);
    rollUpAll();
    write(make(5));
    remove(idsOf(first.slice(0, 15)));
    file.writer.exec('VACUUM');
    rollUpAll();
    expect(callsBy('hour')).toBe(25);
    write(make(5));
    rollUpAll();
    expect(callsBy('hour')).toBe(30);
  });

  it('writes few rows at once, however different the calls are', () => {
    write(
      Array.from({ length: 3000 }, (_, n) => makeRecord({ toolId: `t${n}`, apiKeyId: `k${n}` })),
    );
    let batches = 0;
    for (let records = 1; records > 0; batches++) ({ records } = rollUp(0));
    expect(batches).toBeGreaterThan(10);
    expect(calls()).toEqual([3000, 3000, 3000]);
  });

  it('counts each record once although its process is killed again and again', async () => {
    const path = join(dataDir, AUDIT_FILE_NAME);
    let written = 0;
    for (let round = 0; round < 4; round++) {
      const script = join(import.meta.dirname, '../../../test/support/roll-up-forever.ts');
      const child = spawn(process.execPath, [script, path]);
      await once(child.stdout, 'data', { signal: AbortSignal.timeout(10_000) }).catch(
        () => undefined,
      );
      for (let batch = 0; batch < 10; batch++) {
        write(Array.from({ length: 400 }, (_, n) => makeRecord({ toolId: `tool-${n % 40}` })));
        written += 400;
        await sleep(1);
      }
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rollUpAll();
    expect(calls()).toEqual([written, written, written]);
    expect(
      Number(
        file.writer
          .prepare(
            "SELECT sum(calls) AS n FROM statistics WHERE step = 'hour' AND kind = 'tool' AND scope = '*'",
          )
          .get()?.['n'],
      ),
    ).toBe(written);
  });
});
