import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import { openTestDatabase, postgres, type TestPlace } from '../../test/support/databases.ts';
import { makeDataDir, removeDir } from '../../test/support/temporary-dir.ts';
import { createChainWriter } from '../audit/chain/chain-writer.ts';
import { createBatchWriter } from '../audit/ledger/audit-batch.ts';
import { AUDIT_FILE_NAME, type AuditFile, openAuditFile } from '../audit/record/audit-file.ts';
import type { AuditRecord } from '../audit/record/audit-record.ts';
import { toRow } from '../audit/record/audit-row.ts';
import { insertRecords } from '../audit/shipping/ship-batch.ts';
import type { Database } from '../platform/database/database.ts';
import { systemClock } from '../platform/kernel/clock.ts';
import { type Counted, countFile, countServer } from './count-records.ts';

/** Records of this time are counted by minute at any time. */
const NOW = Date.UTC(2026, 10, 21, 3);

describe('counting the records of audit.db', () => {
  let dataDir: string;
  let file: AuditFile;
  let write: (records: readonly AuditRecord[]) => void;
  let rollUp: () => Promise<Counted>;

  beforeEach(async () => {
    dataDir = await makeDataDir();
    file = await openAuditFile({ dataDir, fsync: false });
    const batch = createBatchWriter(file.writer, createChainWriter({ file, clock: systemClock }));
    write = (records) => batch(records.map((record) => ({ row: toRow(record) })));
    rollUp = () => countFile({ db: file.db, nowMs: 0 });
  });
  afterEach(async () => {
    await file.close();
    await removeDir(dataDir);
  });

  const make = (count: number, change: Partial<AuditRecord> = {}) =>
    Array.from({ length: count }, () => makeRecord(change));
  const rollUpAll = async (): Promise<void> => {
    while ((await rollUp()).records > 0);
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

  it('counts each record once, also those that are older than the statistics', async () => {
    write(make(5000));
    await rollUpAll();
    write(make(10));
    await rollUpAll();
    await rollUpAll();
    expect(calls()).toEqual([5010, 5010, 5010]);
  });

  it('is done once it has counted what it found', async () => {
    write(make(2500));
    expect(await rollUp()).toEqual({ records: 3 * 2000, hasMore: true });
    expect(await rollUp()).toEqual({ records: 3 * 500, hasMore: false });
    expect(await rollUp()).toEqual({ records: 0, hasMore: false });
  });

  it('counts records whose row ids belonged to deleted ones', async () => {
    const first = make(10);
    write(first);
    await rollUpAll();
    remove(idsOf(first));
    write(make(15));
    await rollUpAll();
    expect(calls()).toEqual([25, 25, 25]);
    // The record with the highest row id is not the newest one if its call took long.
    const [long = makeRecord()] = make(1);
    write([long]);
    await rollUpAll();
    remove([long.auditId]);
    write(make(1));
    await rollUpAll();
    expect(calls()).toEqual([27, 27, 27]);
  });

  it('is not confused by the deletion of records that are not counted yet', async () => {
    const [first, second] = [make(10), make(10)];
    write(first);
    await rollUpAll();
    write(second);
    remove(idsOf([...first, ...second.slice(0, 5)]));
    await rollUpAll();
    write(make(3));
    await rollUpAll();
    expect(callsBy('hour')).toBe(18);
  });

  it('finds its place again after VACUUM', async () => {
    const first = make(20);
    write(first);
    await rollUpAll();
    write(make(5));
    remove(idsOf(first.slice(0, 15)));
    file.writer.exec('VACUUM');
    await rollUpAll();
    expect(callsBy('hour')).toBe(25);
    write(make(5));
    await rollUpAll();
    expect(callsBy('hour')).toBe(30);
  });

  it('writes few rows at once, however different the calls are', async () => {
    write(
      Array.from({ length: 3000 }, (_, n) => makeRecord({ toolId: `t${n}`, apiKeyId: `k${n}` })),
    );
    let batches = 0;
    for (let records = 1; records > 0; batches++) ({ records } = await rollUp());
    expect(batches).toBeGreaterThan(10);
    expect(calls()).toEqual([3000, 3000, 3000]);
  });

  it('counts each record once although its process is killed again and again', async () => {
    const path = join(dataDir, AUDIT_FILE_NAME);
    let written = 0;
    for (let round = 0; round < 4; round++) {
      const script = join(import.meta.dirname, '../../test/support/roll-up-forever.ts');
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
    await rollUpAll();
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

describe.runIf(postgres)('counting the records that are shipped to PostgreSQL', () => {
  let place: TestPlace;
  let database: Database;

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    place = await postgres.makePlace();
    database = await openTestDatabase(place);
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const make = (count: number, change: Partial<AuditRecord> = {}) =>
    Array.from({ length: count }, () => makeRecord(change, NOW));
  const calls = async () => {
    const { rows } = await sql<{ step: string; n: number }>`
      select step, sum(calls)::bigint as n from statistics
      where scope = 'ten_a' and kind = 'tool' group by step`.execute(database.db);
    const of = (step: string) => rows.find((row) => row.step === step)?.n ?? 0;
    return [of('minute'), of('hour'), of('day')];
  };
  /** Inserts records as the shipper does, without an outbox. */
  const ship = (records: readonly AuditRecord[]) =>
    insertRecords(database.db, JSON.stringify(records.map(toRow)));
  const countAll = async () => {
    while ((await countServer(database.db, 0)).hasMore);
  };

  it('counts a batch once that is shipped again', async () => {
    const records = make(20);
    await ship(records);
    await ship([...records, ...make(3)]);
    await countAll();
    await ship(records);
    await countAll();
    expect(await calls()).toEqual([23, 23, 23]);
  });

  it('counts neither more nor less if a transaction fails after it has counted', async () => {
    await ship(make(5));
    await sql`alter table statistics add check (calls < 5)`.execute(database.db);
    await expect(countServer(database.db, 0)).rejects.toThrow('check constraint');
    expect(await calls()).toEqual([0, 0, 0]);
    await sql`alter table statistics drop constraint statistics_calls_check`.execute(database.db);
    await countAll();
    expect(await calls()).toEqual([5, 5, 5]);
  });

  it('counts all of several gateways that ship and count at the same time', async () => {
    const gateways = Array.from({ length: 4 }, async () => {
      for (let batch = 0; batch < 5; batch++) {
        await ship(Array.from({ length: 30 }, (_, n) => makeRecord({ toolId: `tool-${n}` }, NOW)));
        await countServer(database.db, 0);
      }
    });
    await Promise.all(gateways);
    await countAll();
    expect(await calls()).toEqual([600, 600, 600]);
  });
});
