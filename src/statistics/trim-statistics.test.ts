import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores, openTestDatabase, type TestPlace } from '../../test/support/databases.ts';
import { openAuditFile } from '../audit/record/audit-file.ts';
import type { StatisticsTable, Tables } from '../platform/database/tables.ts';
import { packLatencies } from './latencies.ts';
import { newTally } from './tally.ts';
import { trimStatistics, trimWaiting } from './trim-statistics.ts';

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
    const { latencies, ...counts } = newTally();
    const stored = { ...counts, latencies: packLatencies(latencies) };
    const row = { scope: '*', kind: 'all', subject: '', ...stored } as const;
    await db
      .insertInto('statistics')
      .values(rows.map((change) => ({ ...row, step: 'hour', bucket_ms: 0, ...change })))
      .execute();
  };
  const left = async () => {
    const rows = await db.selectFrom('statistics').selectAll().orderBy('bucket_ms').execute();
    return rows.map(({ step, kind, bucket_ms }) => `${step} ${kind} ${(NOW - bucket_ms) / HOUR}`);
  };

  it('keeps minutes and uses for two days, and hours and days as long as their records', async () => {
    await add([
      { step: 'minute', bucket_ms: NOW - 49 * HOUR },
      { step: 'minute', bucket_ms: NOW - 47 * HOUR },
      { step: 'hour', bucket_ms: NOW - 20 * DAY },
      { step: 'hour', bucket_ms: NOW - 5 * DAY },
      { step: 'day', bucket_ms: MIDNIGHT - 3 * DAY, kind: 'use', subject: 'a' },
      { step: 'day', bucket_ms: MIDNIGHT, kind: 'use', subject: 'a' },
      { step: 'day', bucket_ms: MIDNIGHT - 10 * DAY },
      { step: 'day', bucket_ms: MIDNIGHT - 30 * DAY },
    ]);
    while ((await trimStatistics(db, NOW)) > 0);
    expect(await left()).toHaveLength(6);
    await db
      .updateTable('audit_sweeps')
      .set({ swept_before_ms: MIDNIGHT - 10 * DAY + HOUR })
      .execute();
    while ((await trimStatistics(db, NOW)) > 0);
    expect(await left()).toEqual(['day all 252', 'hour all 120', 'minute all 47', 'day use 12']);
  });

  it.runIf(backend.name === 'postgres')(
    'deletes records that wait to be counted once retention has deleted them',
    async () => {
      const waiting = {
        audit_id: 'aud_1',
        tenant_id: 'ten_a',
        api_key_id: 'key_a',
        tool_id: 'a',
        upstream_url: null,
        cache_status: null,
        outcome: 'ok',
        error_code: null,
        duration_ms: 1,
        response_bytes: 0,
      } as const;
      await db
        .insertInto('statistics_waiting')
        .values(
          [20 * DAY, 11 * DAY, 9 * DAY].map((ageMs) => ({ ...waiting, timestamp_ms: NOW - ageMs })),
        )
        .execute();
      expect(await trimWaiting(db)).toBe(0);
      await db
        .updateTable('audit_sweeps')
        .set({ swept_before_ms: NOW - 10 * DAY })
        .execute();
      expect(await trimWaiting(db)).toBe(2);
      const left = await db.selectFrom('statistics_waiting').select('timestamp_ms').execute();
      expect(left.map(({ timestamp_ms }) => Number(timestamp_ms))).toEqual([NOW - 9 * DAY]);
    },
  );

  it('deletes at most 300 rows at once', async () => {
    await add(Array.from({ length: 500 }, (_, n) => ({ step: 'minute', subject: `s${n}` })));
    expect(await trimStatistics(db, NOW)).toBe(300);
    expect(await trimStatistics(db, NOW)).toBe(200);
    expect(await trimStatistics(db, NOW)).toBe(0);
  });
});
