import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Audit, type AuditReader, openAudit, openAuditReader } from '../audit.ts';
import type { AuditRecord } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import { type Anchor, formatAnchor, hashRecords, hashSeal, type Seal } from './seal.ts';
import { verifySeals } from './verify-seals.ts';

const NOW = 1_764_000_000_000;
const HOUR_MS = 3_600_000;
/** Nothing is that old, unless a test says so. */
const NEVER = 0;

describeStores('seals', (backend) => {
  let place: TestPlace;
  let database: Database;
  let audit: Audit;
  let reader: AuditReader;
  let nowMs: number;
  let errors: unknown[];

  beforeEach(async () => {
    nowMs = NOW;
    errors = [];
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    audit = await open();
    reader = await openAuditReader({ dataDir: place.dataDir, database });
  });
  afterEach(async () => {
    await reader.close();
    await audit.close();
    await database.close();
    await place.remove();
    expect(errors).toEqual([]);
  });

  const open = (onAnchor?: (seal: Seal) => void, dataDir = place.dataDir): Promise<Audit> =>
    openAudit({
      dataDir,
      database,
      clock: { now: () => nowMs },
      fsync: false,
      retentionDays: 0,
      maxOutboxRecords: 1_000_000,
      onError: (error) => errors.push(error),
      onAnchor,
    });
  /** Appends records one after the other, and seals them. */
  const add = async (...records: readonly AuditRecord[]): Promise<Seal> => {
    for (const record of records) await audit.ledger.append(record);
    await until(() => audit.ledger.stats().outbox === 0);
    const seal = await audit.seal();
    nowMs += HOUR_MS;
    return seal as Seal;
  };
  const some = (count: number) => Array.from({ length: count }, () => makeRecord());
  const verify = (anchors: readonly Anchor[] = [], expiredBeforeMs = NEVER) =>
    verifySeals({ db: reader.db, anchors, expiredBeforeMs });
  const change = (auditId: string, columns: object) =>
    reader.db.updateTable('audit_records').set(columns).where('audit_id', '=', auditId).execute();
  const remove = (auditId: string) =>
    reader.db.deleteFrom('audit_records').where('audit_id', '=', auditId).execute();

  /** Seals everything again, as someone who knows this program would. */
  const sealAgain = async (): Promise<void> => {
    const seals = await reader.db.selectFrom('audit_seals').selectAll().orderBy('seq').execute();
    let previous: Seal | undefined;
    for (const old of seals) {
      const { count, recordsHash } = await hashRecords(reader.db, previous?.up_to ?? 0, old.up_to);
      const prev_hash = previous?.hash ?? '';
      const seal = { ...old, count, records_hash: recordsHash, prev_hash };
      previous = { ...seal, hash: hashSeal(seal) };
      const { seq, ...columns } = previous;
      await reader.db.updateTable('audit_seals').set(columns).where('seq', '=', seq).execute();
    }
  };

  it('cover every record once, in the order of insertion', async () => {
    const first = await add(...some(3));
    const second = await add(...some(2), makeRecord({ clientName: '', cause: null }));
    expect([first, second]).toMatchObject([
      { seq: 1, count: 3, sealed_at_ms: NOW, prev_hash: '' },
      { seq: 2, count: 3, sealed_at_ms: NOW + HOUR_MS, prev_hash: first.hash },
    ]);
    expect(await add()).toEqual(second);
    await audit.ledger.append(makeRecord());
    await until(() => audit.ledger.stats().outbox === 0);
    expect(await verify([first, second])).toEqual({
      intact: true,
      seals: 2,
      records: 6,
      expiredSeals: 0,
      unsealedRecords: 1,
      anchor: formatAnchor(second),
      finding: null,
    });
  });

  it('are made on close, and the newest is logged as an anchor', async () => {
    await audit.close();
    const anchors: Seal[] = [];
    audit = await open((seal) => anchors.push(seal));
    await audit.ledger.append(makeRecord());
    await audit.close();
    expect(anchors).toMatchObject([{ seq: 1, count: 1 }]);
    expect(await verify(anchors)).toMatchObject({ intact: true, unsealedRecords: 0 });
  });

  it('show the first seal with a record that was changed, deleted or added, and its time', async () => {
    await add(...some(2));
    const records = some(3);
    const { seq, up_to: upTo } = await add(...records);
    await add(...some(1));
    const [a, b, c] = records.map(({ auditId }) => auditId) as [string, string, string];
    const span = { from: new Date(NOW).toISOString(), to: new Date(NOW + HOUR_MS).toISOString() };

    await change(b, { tool: 'other' });
    const changed = { seq, ...span, text: 'A record was changed.' };
    expect(await verify()).toMatchObject({ intact: false, finding: changed });
    await change(b, { tool: records[1]?.tool });
    expect((await verify()).intact).toBe(true);

    await change(a, { client_name: '' });
    expect((await verify()).finding).toEqual(changed);
    await change(a, { client_name: null });

    await change(a, { request_id: 'x' });
    await change(c, { request_id: 'y' });
    expect((await verify()).finding?.seq).toBe(seq);
    await change(a, { request_id: 'req_a' });
    await change(c, { request_id: 'req_a' });

    await remove(b);
    expect((await verify()).finding).toMatchObject({
      seq,
      text: expect.stringContaining('deleted'),
    });
    const [other] = some(1).map(toRow);
    if (!other) return;
    await reader.db
      .insertInto('audit_records')
      .values({ ...other, n: upTo - 1 })
      .execute();
    expect((await verify()).finding).toEqual(changed);
    await remove(other.audit_id);
    await reader.db
      .insertInto('audit_records')
      .values(
        [records[1], makeRecord()].flatMap((record, i) =>
          record ? [{ ...toRow(record), n: i === 0 ? upTo - 1 : -1 }] : [],
        ),
      )
      .execute();
    expect((await verify()).intact).toBe(true);
  });

  it('show records that changed places', async () => {
    const records = some(2);
    const { up_to: upTo } = await add(...records);
    const [a, b] = records.map(({ auditId }) => auditId) as [string, string];
    await change(a, { n: upTo + 7 });
    await change(b, { n: upTo - 1 });
    await change(a, { n: upTo });
    expect((await verify()).finding).toMatchObject({ seq: 1, text: 'A record was changed.' });
  });

  it('show a seal that was changed or deleted', async () => {
    for (let i = 0; i < 3; i++) await add(...some(1));
    const second = reader.db.updateTable('audit_seals').where('seq', '=', 2);
    await second.set({ sealed_at_ms: 5 }).execute();
    expect((await verify()).finding).toMatchObject({ seq: 2, text: 'The seal was changed.' });
    await reader.db.deleteFrom('audit_seals').where('seq', '=', 2).execute();
    expect((await verify()).finding?.seq).toBe(3);
    await reader.db.deleteFrom('audit_seals').where('seq', '=', 1).execute();
    expect((await verify()).finding?.seq).toBe(3);
  });

  it('prove with an anchor that nothing was sealed again, and that the end is there', async () => {
    const records = some(2);
    const first = await add(...records);
    const second = await add(...some(1));
    await remove(records[0]?.auditId ?? '');
    await sealAgain();
    expect((await verify()).intact).toBe(true);
    expect((await verify([first])).finding?.seq).toBe(1);
    expect((await verify([second])).finding?.seq).toBe(2);
    await reader.db.deleteFrom('audit_seals').where('seq', '=', 2).execute();
    expect((await verify([second])).finding).toMatchObject({
      seq: 2,
      text: expect.stringContaining('its end was deleted'),
    });
    await reader.db.deleteFrom('audit_seals').execute();
    expect((await verify([second])).finding?.seq).toBe(2);
  });

  it('accept that the records of expired seals were deleted, but not that younger ones were', async () => {
    const seals: Seal[] = [];
    for (let i = 0; i < 4; i++) seals.push(await add(...some(2)));
    const [, second, third] = seals as [Seal, Seal, Seal];
    const deleteUpTo = async ({ seq, up_to }: Seal) => {
      await reader.db.deleteFrom('audit_records').where('n', '<=', up_to).execute();
      await reader.db.deleteFrom('audit_seals').where('seq', '<', seq).execute();
    };
    await deleteUpTo(second);
    expect(await verify(seals, third.sealed_at_ms)).toMatchObject({
      intact: true,
      seals: 3,
      expiredSeals: 1,
      records: 4,
    });
    expect((await verify(seals, second.sealed_at_ms)).finding?.seq).toBe(2);
    await deleteUpTo(third);
    expect((await verify([], third.sealed_at_ms)).finding?.seq).toBe(3);
    // Someone pretends that a record of today is as old.
    const added = toRow(makeRecord());
    await reader.db
      .insertInto('audit_records')
      .values({ ...added, n: 1 })
      .execute();
    expect((await verify([], third.sealed_at_ms + 1)).finding).toMatchObject({
      seq: 3,
      text: expect.stringContaining('added'),
    });
  });

  if (backend.name === 'embedded') return;

  it('wait for a transaction that commits later than others with larger numbers', async () => {
    await add(...some(1));
    const late = await database.db.startTransaction().execute();
    await late.insertInto('audit_records').values(toRow(makeRecord())).execute();
    await database.db.insertInto('audit_records').values(toRow(makeRecord())).execute();
    expect(await audit.seal()).toMatchObject({ seq: 1 });
    const sealed = audit.seal();
    await late.commit().execute();
    await sealed;
    expect(await audit.seal()).toMatchObject({ seq: 2, count: 2 });
    expect(await verify()).toMatchObject({ intact: true, unsealedRecords: 0 });
  });

  it('are those of one sealer, even if several gateways seal at once', async () => {
    const others = await Promise.all(
      ['a', 'b'].map((name) => open(undefined, `${place.dataDir}/${name}`)),
    );
    for (let round = 0; round < 10; round++) {
      await Promise.all(others.flatMap(({ ledger }) => some(5).map(ledger.append)));
      await Promise.all(others.map(({ seal }) => seal()));
    }
    for (const other of others) await other.close();
    await audit.seal();
    expect(await verify()).toMatchObject({ intact: true, records: 100, unsealedRecords: 0 });
  });
});
