import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { openTestDatabase, postgres, type TestPlace } from '../../../test/support/databases.ts';
import type { AuditRecord } from '../../audit/record/audit-record.ts';
import { toRow } from '../../audit/record/audit-row.ts';
import { insertWaiting } from '../../audit/shipping/insert-waiting.ts';
import type { Database } from '../../platform/database/database.ts';
import { countRecords } from '../tally/count-records.ts';
import { STEPS } from '../tally/steps.ts';
import { countOldRecords, countWaiting } from './count-waiting.ts';
import { addToPostgres } from './postgres-rows.ts';

const NOW = Date.UTC(2026, 10, 21, 3);
const MINUTE = 60_000;

describe.runIf(postgres)('counting the records that are shipped', () => {
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
    Array.from({ length: count }, () => makeRecord(change, NOW - MINUTE));
  const calls = async () => {
    const { rows } = await sql<{ step: string; n: number }>`
      select step, sum(calls)::bigint as n from statistics
      where scope = 'ten_a' and kind = 'tool' group by step`.execute(database.db);
    const of = (step: string) => rows.find((row) => row.step === step)?.n ?? 0;
    return [of('minute'), of('hour'), of('day')];
  };
  /** Inserts records as the shipper does, without an outbox. */
  const ship = async (records: readonly AuditRecord[]) => {
    const table = { name: 'audit_records', key: 'audit_id', read: () => records.map(toRow) };
    expect(await insertWaiting(database.db, table as never, [])).toBeNull();
  };
  const countAll = async () => {
    while ((await countWaiting(database.db, 0)).hasMore);
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
    await expect(countWaiting(database.db, 0)).rejects.toThrow('check constraint');
    expect(await calls()).toEqual([0, 0, 0]);
    await sql`alter table statistics drop constraint statistics_calls_check`.execute(database.db);
    await countAll();
    expect(await calls()).toEqual([5, 5, 5]);
  });

  it('counts all of several gateways that ship and count at the same time', async () => {
    const gateways = Array.from({ length: 4 }, async () => {
      for (let batch = 0; batch < 5; batch++) {
        await ship(
          Array.from({ length: 30 }, (_, n) => makeRecord({ toolId: `tool-${n}` }, NOW - MINUTE)),
        );
        await countWaiting(database.db, 0);
      }
    });
    await Promise.all(gateways);
    await countAll();
    expect(await calls()).toEqual([600, 600, 600]);
  });

  it('counts records that are older than the statistics, and those shipped late among them', async () => {
    const records = Array.from({ length: 4500 }, (_, n) => makeRecord({}, NOW - 3 * MINUTE + n));
    const late = records.filter((_, n) => n % 500 === 7);
    const old = records.filter((record) => !late.includes(record));
    for (let n = 0; n < old.length; n += 500) {
      await database.db
        .insertInto('audit_records')
        .values(old.slice(n, n + 500).map(toRow))
        .execute();
    }
    await database.db
      .updateTable('statistics_progress')
      .set({ until_audit_id: records.at(-1)?.auditId ?? '' })
      .execute();
    const [early, ...others] = late;
    await ship(early ? [early] : []);
    await countAll();
    expect(await calls()).toEqual([0, 0, 0]);
    expect((await countOldRecords(database.db, 0)).hasMore).toBe(true);
    await ship([...others, ...make(4)]);
    await countAll();
    while ((await countOldRecords(database.db, 0)).hasMore);
    await ship(make(1));
    await countAll();
    expect(await calls()).toEqual([4505, 4505, 4505]);
    expect(await countOldRecords(database.db, 0)).toEqual({ records: 0, hasMore: false });
  });

  it('adds calls to rows whose subjects are too many', async () => {
    const rows = Array.from({ length: 120 }, (_, n) =>
      toRow(makeRecord({ toolId: `tool-${n}` }, NOW)),
    );
    for (const some of [rows.slice(0, 60), rows.slice(60)]) {
      await database.db.transaction().execute(async (transaction) => {
        await addToPostgres(transaction, countRecords(some, 0, STEPS));
      });
    }
    expect(await calls()).toEqual([120, 120, 120]);
    const { rows: other } = await sql<{ calls: number }>`
      select calls from statistics
      where step = 'minute' and scope = 'ten_a' and kind = 'tool' and subject = '(other)'`.execute(
      database.db,
    );
    expect(other).toEqual([{ calls: 20 }]);
  });
});
