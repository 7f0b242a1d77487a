import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asStored, makeRecord } from '../../../test/support/audit-records.ts';
import { openTestDatabase, postgres, type TestPlace } from '../../../test/support/databases.ts';
import { type FlakyProxy, startFlakyProxy } from '../../../test/support/flaky-proxy.ts';
import { createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { createAuthenticator } from '../../access/keys/authenticator.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { type Audit, openAudit } from '../audit.ts';
import { createBatchWriter } from '../ledger/audit-batch.ts';
import { type AuditFile, openAuditFile } from '../record/audit-file.ts';
import type { AuditRecord, StoredAuditRecord } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import { deadLetterLines } from './dead-letters.ts';

const NOW = 1_764_000_000_000;
let nowMs = NOW;
const clock = { now: () => nowMs };

/** Waits for what is shipped in the background, also on a slow machine. */
const eventually = (check: () => void | Promise<void>, timeout = 50_000) =>
  vi.waitFor(check, { timeout });

const newestFirst = (a: StoredAuditRecord, b: StoredAuditRecord) =>
  b.timestamp.localeCompare(a.timestamp) || b.auditId.localeCompare(a.auditId);

describe.runIf(postgres)('shipping audit records to PostgreSQL', () => {
  let place: TestPlace;
  /** Connects directly to the server. */
  let direct: Database;
  let proxy: FlakyProxy;
  /** Connects through the proxy, as the gateway does. */
  let database: Database;
  let errors: number;
  let reasons: string[];
  /** As last reported. */
  let waitSeconds: number;

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    place = await postgres.makePlace();
    direct = await openTestDatabase(place);
    const url = new URL(place.databaseUrl?.reveal() ?? '');
    proxy = await startFlakyProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    database = openDatabase({ dataDir: place.dataDir, databaseUrl: new Secret(url.href) });
    nowMs = NOW;
    errors = 0;
    reasons = [];
    waitSeconds = 0;
  });
  afterEach(async () => {
    await database.close();
    await proxy.close();
    await direct.close();
    await place.remove();
  });

  const open = (): Promise<Audit> =>
    openAudit({
      dataDir: place.dataDir,
      database,
      clock,
      fsync: false,
      retentionDays: 0,
      maxOutboxRecords: 1_000_000,
      onError: () => errors++,
      onBuried: (reason) => reasons.push(reason),
      onWaiting: (seconds) => {
        waitSeconds = seconds;
      },
    });
  /** Uses `audit.db` while no gateway runs. */
  const onFile = async <T>(use: (file: AuditFile) => T | Promise<T>): Promise<T> => {
    const file = await openAuditFile({ dataDir: place.dataDir, fsync: false });
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  };
  /** Leaves rows as a gateway without DATABASE_URL does, some of which it would not write. */
  const leaveBehind = (rows: readonly AuditRecordsTable[]) =>
    onFile((file) => createBatchWriter(file.writer)(rows.map((row) => ({ row }))));
  const deadLetters = () =>
    onFile(async (file) => {
      const lines = await Array.fromAsync(deadLetterLines(file.db));
      return lines.map((line) => JSON.parse(line));
    });
  const makeRecords = (count: number) => Array.from({ length: count }, () => makeRecord());
  const append = (audit: Audit, records: readonly AuditRecord[]) =>
    Promise.all(records.map((record) => audit.ledger.append(record)));
  const shipped = async () => {
    const rows = await direct.db.selectFrom('audit_records').select('audit_id').execute();
    return new Set(rows.map((row) => row.audit_id));
  };
  const idsOf = (records: readonly AuditRecord[]) =>
    new Set(records.map((record) => record.auditId));

  it('ships every record once and empties the outbox', async () => {
    const audit = await open();
    const records = makeRecords(1234);
    await append(audit, records);
    await eventually(async () => expect(await shipped()).toEqual(idsOf(records)));
    await eventually(() => expect(audit.ledger.stats().outbox).toBe(0));
    await audit.close();
    expect(errors).toBe(0);
  });

  it('stores records while the server is down, and ships all of them when it is back', async () => {
    const audit = await open();
    const before = makeRecords(10);
    await append(audit, before);
    proxy.cut();
    const during = makeRecords(700);
    await append(audit, during);
    await eventually(() => expect(errors).toBeGreaterThan(0));
    expect(audit.ledger.stats()).toMatchObject({ calls: 710, records: 710, missing: 0 });
    expect(audit.ledger.stats().outbox).toBeGreaterThanOrEqual(700);
    audit.ledger.assertWritable();
    await expect(audit.store.list({ tenantId: 'ten_a', limit: 1 })).rejects.toMatchObject({
      code: 'unavailable',
    });

    proxy.mend();
    await eventually(async () => expect(await shipped()).toEqual(idsOf([...before, ...during])));
    await eventually(() => expect(audit.ledger.stats().outbox).toBe(0));
    await audit.close();
  });

  it('ships at start what an earlier process left behind', async () => {
    proxy.cut();
    const first = await open();
    const records = makeRecords(20);
    await append(first, records);
    await first.close();
    expect(await shipped()).toEqual(new Set());
    proxy.mend();
    const second = await open();
    await eventually(async () => expect(await shipped()).toEqual(idsOf(records)));
    await second.close();
  });

  it('treats a record as shipped if the server already has it', async () => {
    const audit = await open();
    proxy.cut();
    const [record = makeRecord()] = makeRecords(1);
    await append(audit, [record]);
    await direct.db.insertInto('audit_records').values(toRow(record)).execute();
    proxy.mend();
    await eventually(() => expect(audit.ledger.stats().outbox).toBe(0));
    expect(await shipped()).toEqual(idsOf([record]));
    await audit.close();
  });

  it('turns the one record that the server refuses into a dead letter, and ships the others', async () => {
    await sql`alter table audit_records add check (tool <> 'refused')`.execute(direct.db);
    const audit = await open();
    const good = makeRecords(5);
    const bad = makeRecord({ tool: 'refused' });
    await append(audit, [...good.slice(0, 2), bad, ...good.slice(2)]);
    await eventually(async () => expect(await shipped()).toEqual(idsOf(good)));
    const later = makeRecords(3);
    await append(audit, later);
    await eventually(async () => expect(await shipped()).toEqual(idsOf([...good, ...later])));
    await eventually(() => expect(audit.ledger.stats().outbox).toBe(0));
    expect(audit.ledger.stats()).toMatchObject({ deadLetters: 1, degraded: null });
    await audit.close();
    expect(errors).toBe(0);
    expect(reasons).toEqual([expect.stringMatching(/^23514: .*check constraint/)]);
    expect(await deadLetters()).toEqual([
      {
        id: 1,
        at: '2025-11-24T16:00:00.000Z',
        source: 'audit_records',
        reason: reasons[0],
        row: toRow(bad),
      },
    ]);
  });

  it('ships a record whose texts PostgreSQL would refuse unchanged', async () => {
    const audit = await open();
    const odd = 'a\ud800b\0c';
    const record = makeRecord({
      requestId: odd,
      clientName: odd,
      tool: odd,
      toolId: odd,
      arguments: { odd },
      upstream: { method: 'GET', url: odd, status: 200 },
      publicData: { code: odd, message: odd },
      error: { code: 'internal', message: odd },
      clientIp: odd,
    });
    await append(audit, [record]);
    await eventually(async () => expect(await shipped()).toEqual(idsOf([record])));
    expect(await audit.store.get('ten_a', record.auditId)).toMatchObject({
      clientName: 'a\uFFFDb\uFFFDc',
      tool: 'a\uFFFDb\uFFFDc',
      arguments: { odd },
    });
    expect(audit.ledger.stats().deadLetters).toBe(0);
    await audit.close();
  });

  it('ships what a gateway without DATABASE_URL wrote, but for what PostgreSQL refuses', async () => {
    const bad = [
      { duration_ms: Number.POSITIVE_INFINITY },
      { upstream_status: 3_000_000_000 },
      { client_name: 'a\0b' },
      // Too long for an index entry, even when compressed.
      { tool: randomBytes(8000).toString('base64') },
    ];
    const good = makeRecords(250);
    await leaveBehind([
      ...good.slice(0, 120).map(toRow),
      ...bad.map((change) => ({ ...toRow(makeRecord()), ...change })),
      ...good.slice(120).map(toRow),
    ]);
    const audit = await open();
    await eventually(async () => expect(await shipped()).toEqual(idsOf(good)));
    await eventually(() => expect(audit.ledger.stats().outbox).toBe(0));
    await audit.close();
    expect(reasons).toHaveLength(bad.length);
    const buried = await deadLetters();
    expect(buried).toHaveLength(bad.length);
    expect(JSON.stringify(buried).length).toBeLessThan(100_000);
  });

  it('creates no dead letters while the server, and not a record, is the cause', async () => {
    await sql`alter table audit_records rename to elsewhere`.execute(direct.db);
    const audit = await open();
    const records = makeRecords(20);
    await append(audit, records);
    await eventually(() => expect(errors).toBeGreaterThan(1));
    expect(audit.ledger.stats()).toMatchObject({ outbox: 20, deadLetters: 0 });
    await sql`alter table elsewhere rename to audit_records`.execute(direct.db);
    await eventually(async () => expect(await shipped()).toEqual(idsOf(records)));
    await audit.close();
  });

  it('is degraded while the oldest record has been waiting for over a minute', async () => {
    proxy.cut();
    const audit = await open();
    await append(audit, makeRecords(1));
    nowMs += 61_000;
    expect(audit.ledger.stats()).toMatchObject({
      oldestWaitingSeconds: 61,
      degraded: 'records have been waiting for PostgreSQL for over a minute',
    });
    audit.ledger.assertWritable();
    await eventually(() => expect(waitSeconds).toBeGreaterThan(60));
    proxy.mend();
    await eventually(() =>
      expect(audit.ledger.stats()).toMatchObject({ oldestWaitingSeconds: 0, degraded: null }),
    );
    await audit.close();
  });

  it('answers a page while records wait, and does not say that one of them is unknown', async () => {
    const audit = await open();
    const [first = makeRecord(), second = makeRecord()] = makeRecords(2);
    await append(audit, [first]);
    const list = () => audit.store.list({ tenantId: 'ten_a', limit: 10 });
    expect(await list()).toEqual({ records: [asStored(first)], nextCursor: null });
    await sql`
      create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'as a standby does' using errcode = '25006'; end $$`.execute(
      direct.db,
    );
    await sql`
      create trigger refuse before insert on audit_records execute function refuse()`.execute(
      direct.db,
    );
    await append(audit, [second, makeRecord({ tenantId: 'ten_b' })]);
    expect(await list()).toEqual({
      records: [asStored(first)],
      nextCursor: null,
    });
    expect(audit.ledger.stats()).toMatchObject({
      outbox: 2,
      deadLetters: 0,
      degraded: 'PostgreSQL is read-only',
    });
    expect(await audit.store.get('ten_a', first.auditId)).toEqual(asStored(first));
    await expect(audit.store.get('ten_a', second.auditId)).rejects.toMatchObject({
      code: 'unavailable',
    });

    await sql`drop trigger refuse on audit_records`.execute(direct.db);
    expect(await list()).toEqual({
      records: [second, first].map(asStored).toSorted(newestFirst),
      nextCursor: null,
    });
    expect(await audit.store.get('ten_a', second.auditId)).toEqual(asStored(second));
    expect(await audit.store.get('ten_b', second.auditId)).toBeUndefined();
    expect(audit.ledger.stats().degraded).toBeNull();
    await audit.close();
  });

  it('accepts known keys while the server is down, and looks up others when it is back', async () => {
    const store = createApiKeyStore({ db: database.db, clock });
    const { id: tenantId } = await createTenantStore({ db: database.db, clock }).ensure('default');
    const known = (await store.create({ tenantId, name: 'known' })).text.reveal();
    const unknown = (await store.create({ tenantId, name: 'unknown' })).text.reveal();
    const authenticator = createAuthenticator({
      store,
      clock,
      pollMs: 20,
      onRevoked: () => undefined,
      onForgotten: () => undefined,
      onChanged: () => undefined,
      onCreated: () => undefined,
    });
    const origin = { source: 'here' };
    await authenticator.authenticate(known, origin);
    proxy.cut();
    expect(await authenticator.authenticate(known, origin)).toMatchObject({ tenantId });
    for (const text of [unknown, newApiKeyText()]) {
      await expect(authenticator.authenticate(text, origin)).rejects.toMatchObject({
        code: 'unavailable',
      });
    }
    await expect(database.ping()).rejects.toMatchObject({ code: 'unavailable' });
    proxy.mend();
    expect(await authenticator.authenticate(unknown, origin)).toMatchObject({ tenantId });
    await database.ping();
    await authenticator.close();
  });
});
