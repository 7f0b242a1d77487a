import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { openTestDatabase, postgres, type TestPlace } from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Audit, openAudit } from '../audit.ts';
import { verifyChain } from '../chain/chain-verify.ts';
import { type AuditFile, openAuditFile } from '../record/audit-file.ts';
import { unpackOutbox } from './outbox-table.ts';

describe.runIf(postgres)('shipping the hash chain to PostgreSQL', () => {
  let place: TestPlace;
  let database: Database;
  let errors: unknown[];
  let forked: string[];

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    place = await postgres.makePlace();
    database = await openTestDatabase(place);
    errors = [];
    forked = [];
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const open = (dataDir: string): Promise<Audit> =>
    openAudit({
      dataDir,
      database,
      clock: { now: Date.now },
      fsync: false,
      retentionDays: 0,
      maxOutboxRecords: 1_000_000,
      onError: (error) => errors.push(error),
      onForked: (origin) => forked.push(origin),
    });
  const append = async (audit: Audit, commits: number): Promise<void> => {
    for (let i = 0; i < commits; i++) {
      await Promise.all([makeRecord(), makeRecord()].map(audit.ledger.append));
    }
  };
  const verify = () => verifyChain({ db: database.db, settleMs: 0 });

  /** Uses `audit.db` while no gateway runs. */
  const onFile = async (use: (file: AuditFile) => unknown): Promise<void> => {
    const file = await openAuditFile({ dataDir: place.dataDir, fsync: false });
    await use(file);
    await file.close();
  };
  /** Records that PostgreSQL has without a link, or the other way round, in one snapshot. */
  const separated = async (): Promise<readonly unknown[]> => {
    const { rows } = await sql`
      select audit_id from audit_records full join (
        select unnest(string_to_array(detail, ' ')) as audit_id from audit_links
        where kind = 'records'
      ) as linked using (audit_id)
      where audit_records.audit_id is null or linked.audit_id is null`.execute(database.db);
    return rows;
  };
  /** Leaves records that have never been sent, as rows, as earlier versions did. */
  const leaveBehind = async (commits: number): Promise<void> => {
    await sql`alter table audit_records rename to elsewhere`.execute(database.db);
    const audit = await open(place.dataDir);
    await append(audit, commits);
    await audit.close();
    await sql`alter table elsewhere rename to audit_records`.execute(database.db);
    await onFile(({ writer }) => unpackOutbox(writer));
    errors = [];
  };

  it('ships links in the transaction of their records, for several gateways at the same time', async () => {
    const dirs = ['a', 'b'].map((name) => join(place.dataDir, name));
    const audits = await Promise.all(dirs.map(open));
    const appended = Promise.all(audits.map((audit) => append(audit, 100)));
    let isAppended = false;
    const done = appended.then(() => {
      isAppended = true;
    });
    while (!isAppended) expect(await separated()).toEqual([]);
    await done;
    await vi.waitFor(
      async () => {
        const { origins } = await verify();
        expect(origins.map(({ records }) => records)).toEqual([200, 200]);
      },
      { timeout: 50_000 },
    );
    await Promise.all(audits.map((audit) => audit.close()));
    expect(await verify()).toMatchObject({ intact: true, unchainedRecords: 0 });
    expect(errors).toEqual([]);
  });

  it('starts a new chain if the chain of a restored DATA_DIR was continued elsewhere', async () => {
    const [dir, backup] = [join(place.dataDir, 'now'), join(place.dataDir, 'backup')];
    const first = await open(dir);
    await append(first, 5);
    await first.close();
    await cp(dir, backup, { recursive: true });
    const later = await open(dir);
    await append(later, 5);
    await later.close();

    const restored = await open(backup);
    await append(restored, 5);
    await restored.close();
    const again = await open(backup);
    await append(again, 2);
    await again.close();
    const report = await verify();
    expect(forked).toEqual([report.origins.find(({ records }) => records === 20)?.origin]);
    expect(errors).toEqual([]);
    expect(report.findings).toEqual([]);
    expect(report.origins.map(({ records }) => records).sort((a, b) => a - b)).toEqual([14, 20]);
  });

  it('ships neither records nor links while the server refuses links', async () => {
    await sql`alter table audit_links add constraint refused check (seq < 0)`.execute(database.db);
    const audit = await open(place.dataDir);
    await append(audit, 3);
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), { timeout: 50_000 });
    expect(await verify()).toMatchObject({ origins: [], unchainedRecords: 0 });
    expect(audit.ledger.stats()).toMatchObject({ outbox: 6, deadLetters: 0 });
    await sql`alter table audit_links drop constraint refused`.execute(database.db);
    await vi.waitFor(() => expect(audit.ledger.stats().outbox).toBe(0), { timeout: 50_000 });
    expect(await separated()).toEqual([]);
    await audit.close();
    expect(await verify()).toMatchObject({ intact: true, origins: [{ records: 6 }] });
  });

  it('ships a link without those of its records that the server refuses', async () => {
    await sql`alter table audit_records add check (tool <> 'refused')`.execute(database.db);
    const audit = await open(place.dataDir);
    const bad = [makeRecord({ tool: 'refused' }), makeRecord({ tool: 'refused' })];
    await Promise.all([makeRecord(), ...bad, makeRecord()].map(audit.ledger.append));
    await audit.close();
    expect(audit.ledger.stats()).toMatchObject({ outbox: 0, deadLetters: 2 });
    const deadLetters = async () => new Set(bad.map(({ auditId }) => auditId));
    expect(await verifyChain({ db: database.db, deadLetters, settleMs: 0 })).toMatchObject({
      intact: true,
      origins: [{ records: 4, deadLettered: 2 }],
    });
    expect(errors).toEqual([]);
  });

  it.each([
    ['records without their links, as earlier versions did', ['audit_records']],
    ['links without their records', ['audit_links']],
    ['both, as after a commit whose outcome was lost', ['audit_records', 'audit_links']],
  ] as const)('continues if an earlier process shipped %s', async (_, tables) => {
    await leaveBehind(5);
    await onFile(async (file) => {
      for (const table of tables) {
        const rows = await file.db.selectFrom(table).selectAll().execute();
        await database.db
          .insertInto(table)
          .values(rows.map(({ mac: _mac, ...row }: Record<string, unknown>) => row) as never)
          .execute();
      }
      if (tables.length === 1 && tables[0] === 'audit_records') {
        file.writer.exec('DELETE FROM audit_records');
      }
    });
    const audit = await open(place.dataDir);
    await append(audit, 2);
    await audit.close();
    expect(errors).toEqual([]);
    expect(audit.ledger.stats().outbox).toBe(0);
    expect(await separated()).toEqual([]);
    expect(await verify()).toMatchObject({ intact: true, origins: [{ records: 14 }] });
  });

  it('starts a new chain for records that an earlier version shipped before it noticed', async () => {
    await leaveBehind(700);
    await onFile(async ({ db, writer }) => {
      const { origin, seq } = await db
        .selectFrom('audit_links')
        .select(['origin', 'seq'])
        .where('kind', '=', 'records')
        .orderBy('seq')
        .limit(1)
        .executeTakeFirstOrThrow();
      const other = { origin, seq, kind: 'records' as const, made_at_ms: 0, detail: '', hash: '' };
      const rest = { record_count: 0, records_total: 0, records_hash: '', prev_hash: '' };
      await database.db
        .insertInto('audit_links')
        .values({ ...other, ...rest })
        .execute();
      const [shipped] = await db.selectFrom('audit_records').selectAll().limit(1).execute();
      if (shipped) await database.db.insertInto('audit_records').values(shipped).execute();
      writer.exec('DELETE FROM audit_records WHERE rowid = 1');
    });
    const audit = await open(place.dataDir);
    await append(audit, 1);
    await audit.close();
    expect(errors).toEqual([]);
    expect(forked).toHaveLength(1);
    expect(await separated()).toEqual([]);
    const { origins } = await verify();
    expect(Math.max(...origins.map(({ records }) => records))).toBe(1402);
  });
});
