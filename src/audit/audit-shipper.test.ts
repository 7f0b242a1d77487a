import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import { openTestDatabase, postgres, type TestPlace } from '../../test/support/databases.ts';
import { type FlakyProxy, startFlakyProxy } from '../../test/support/flaky-proxy.ts';
import { createApiKeyStore } from '../api-keys/api-key-store.ts';
import { createAuthenticator } from '../api-keys/authenticator.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { newApiKeyText } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { type Audit, openAudit } from './audit.ts';
import type { AuditRecord } from './audit-record.ts';
import { toRow } from './audit-row.ts';

const clock = { now: () => 1_764_000_000_000 };

describe.runIf(postgres)('the way of audit records to PostgreSQL', () => {
  let place: TestPlace;
  /** Straight to the server. */
  let direct: Database;
  let proxy: FlakyProxy;
  /** By way of the proxy, as the gateway has it. */
  let database: Database;
  let faults: number;

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    place = await postgres.makePlace();
    direct = await openTestDatabase(place);
    const url = new URL(place.databaseUrl?.reveal() ?? '');
    proxy = await startFlakyProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    database = openDatabase({ dataDir: place.dataDir, databaseUrl: new Secret(url.href) });
    faults = 0;
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
      onFault: () => faults++,
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
    await vi.waitFor(async () => expect(await shipped()).toEqual(idsOf(records)));
    await vi.waitFor(() => expect(audit.ledger.stats().outbox).toBe(0));
    await audit.close();
    expect(faults).toBe(0);
  });

  it('keeps records while the server is away, and loses none when it returns', async () => {
    const audit = await open();
    const before = makeRecords(10);
    await append(audit, before);
    proxy.cut();
    const during = makeRecords(700);
    await append(audit, during);
    await vi.waitFor(() => expect(faults).toBeGreaterThan(0));
    expect(audit.ledger.stats()).toMatchObject({ calls: 710, records: 710, missing: 0 });
    expect(audit.ledger.stats().outbox).toBeGreaterThanOrEqual(700);
    audit.ledger.assertWritable();
    await expect(audit.store.list({ tenantId: 'ten_a', limit: 1 })).rejects.toMatchObject({
      code: 'unavailable',
    });

    proxy.mend();
    await vi.waitFor(async () => expect(await shipped()).toEqual(idsOf([...before, ...during])), {
      timeout: 15_000,
    });
    await vi.waitFor(() => expect(audit.ledger.stats().outbox).toBe(0));
    await audit.close();
  });

  it('ships at the next start what an earlier process left behind', async () => {
    proxy.cut();
    const first = await open();
    const records = makeRecords(20);
    await append(first, records);
    await first.close();
    expect(await shipped()).toEqual(new Set());
    proxy.mend();
    const second = await open();
    await vi.waitFor(async () => expect(await shipped()).toEqual(idsOf(records)));
    await second.close();
  });

  it('takes a record for shipped that the server had before the connection broke', async () => {
    const audit = await open();
    proxy.cut();
    const [record = makeRecord()] = makeRecords(1);
    await append(audit, [record]);
    await direct.db.insertInto('audit_records').values(toRow(record)).execute();
    proxy.mend();
    await vi.waitFor(() => expect(audit.ledger.stats().outbox).toBe(0), { timeout: 15_000 });
    expect(await shipped()).toEqual(idsOf([record]));
    await audit.close();
  });

  it('does not let one record that the server refuses hold up the others', async () => {
    await sql`alter table audit_records add check (tool <> 'refused')`.execute(direct.db);
    const audit = await open();
    const good = makeRecords(5);
    await append(audit, [...good.slice(0, 2), makeRecord({ tool: 'refused' }), ...good.slice(2)]);
    await vi.waitFor(async () => expect(await shipped()).toEqual(idsOf(good)));
    const later = makeRecords(3);
    await append(audit, later);
    await vi.waitFor(async () => expect(await shipped()).toEqual(idsOf([...good, ...later])));
    expect(audit.ledger.stats().outbox).toBe(1);
    expect(faults).toBe(1);
    await audit.close();
  });

  it('keeps known keys working while the server is away, and looks up others when it is back', async () => {
    const store = createApiKeyStore({ db: database.db, clock });
    const { id: tenantId } = await createTenantStore({ db: database.db, clock }).ensure('default');
    const known = (await store.create({ tenantId, name: 'known' })).text.reveal();
    const unknown = (await store.create({ tenantId, name: 'unknown' })).text.reveal();
    const authenticator = createAuthenticator({
      store,
      clock,
      pollMs: 20,
      onRevoked: () => undefined,
      onChanged: () => undefined,
    });
    await authenticator.authenticate(known);
    proxy.cut();
    expect(await authenticator.authenticate(known)).toMatchObject({ tenantId });
    for (const text of [unknown, newApiKeyText()]) {
      await expect(authenticator.authenticate(text)).rejects.toMatchObject({ code: 'unavailable' });
    }
    await expect(database.ping()).rejects.toMatchObject({ code: 'unavailable' });
    proxy.mend();
    expect(await authenticator.authenticate(unknown)).toMatchObject({ tenantId });
    await database.ping();
    await authenticator.close();
  });
});
