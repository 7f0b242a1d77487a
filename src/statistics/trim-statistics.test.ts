import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores, openTestDatabase, type TestPlace } from '../../test/support/databases.ts';
import { openAuditFile } from '../audit/record/audit-file.ts';
import type { StatisticsTable, Tables } from '../platform/database/tables.ts';
import { trimStatistics } from './statistics-rows.ts';
import { newTally } from './tally.ts';

const NOW = Date.UTC(2026, 10, 21, 3);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIDNIGHT = NOW - 12 * HOUR;

describeStores('deleting old statistics', (backend) => {
  let place: TestPlace;
  let db: Kysely<Tables>;
  let close: () => Promise<void>;

  beforeEach(async () => {
    place = await backend.makePlace();
    ({ db, close } =
      backend.name === 'postgres'
        ? await openTestDatabase(place)
        : await openAuditFile({ dataDir: place.dataDir, fsync: false }));
  });
  afterEach(async () => {
    await close();
    await place.remove();
  });

  const add = async (rows: readonly Partial<StatisticsTable>[]) => {
    const row = { scope: '*', kind: 'all', subject: '', ...newTally() } as const;
    await db
      .insertInto('statistics')
      .values(rows.map((change) => ({ ...row, step: 'hour', bucket_ms: 0, ...change })))
      .execute();
  };
  const left = async () => {
    const rows = await db.selectFrom('statistics').selectAll().orderBy('bucket_ms').execute();
    return rows.map(({ step, bucket_ms }) => `${step} ${(NOW - bucket_ms) / HOUR}`);
  };

  it('keeps minutes for two days, and hours and days as long as their records', async () => {
    await add([
      { step: 'minute', bucket_ms: NOW - 49 * HOUR },
      { step: 'minute', bucket_ms: NOW - 47 * HOUR },
      { step: 'hour', bucket_ms: NOW - 20 * DAY },
      { step: 'hour', bucket_ms: NOW - 5 * DAY },
      { step: 'day', bucket_ms: MIDNIGHT - 10 * DAY },
      { step: 'day', bucket_ms: MIDNIGHT - 30 * DAY },
    ]);
    while ((await trimStatistics(db, NOW)) > 0);
    expect(await left()).toHaveLength(5);
    await db
      .insertInto('audit_retention')
      .values({ id: 1, cutoff_ms: MIDNIGHT - 10 * DAY + HOUR, moved_at_ms: 0 })
      .execute();
    while ((await trimStatistics(db, NOW)) > 0);
    expect(await left()).toEqual(['day 252', 'hour 120', 'minute 47']);
  });

  it('deletes at most 300 rows at once', async () => {
    await add(Array.from({ length: 500 }, (_, n) => ({ step: 'minute', subject: `s${n}` })));
    expect(await trimStatistics(db, NOW)).toBe(300);
    expect(await trimStatistics(db, NOW)).toBe(200);
    expect(await trimStatistics(db, NOW)).toBe(0);
  });
});
