import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import {
  describeStores,
  openTestDatabase,
  postgres,
  type TestPlace,
} from '../../test/support/databases.ts';
import { openAuditFile } from '../audit/record/audit-file.ts';
import { toRow } from '../audit/record/audit-row.ts';
import { LATENCY_COLUMNS, type StatisticsTable, type Tables } from '../platform/database/tables.ts';
import { type Cell, createCells, OTHER } from './cells.ts';
import { latencyColumn } from './latencies.ts';
import type { RefusalCell } from './refusals.ts';
import {
  addRefusals,
  addRows,
  createRowNames,
  MAX_NAMES,
  MAX_SUBJECTS,
  refusalRowsOf,
  rowsOf,
  trimStatistics,
} from './statistics-rows.ts';
import { MINUTES_KEPT_MS, STEPS, type Step } from './steps.ts';
import { newTally } from './tally.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 3);

const toolIds = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `tool-${from + n}`);

/** The cells of one call of each tool. */
const cellsOf = (ids: readonly string[]): readonly Cell[] => {
  const cells = createCells();
  for (const toolId of ids) cells.add(toRow(makeRecord({ toolId, durationMs: 5 }, NOON_MS)));
  return cells.take();
};

describeStores('rows of statistics', (backend) => {
  let place: TestPlace;
  let db: Kysely<Tables>;
  let close: () => Promise<void>;
  let rowFor: ReturnType<typeof createRowNames>;

  beforeEach(async () => {
    place = await backend.makePlace();
    rowFor = createRowNames();
    ({ db, close } =
      backend.name === 'postgres'
        ? await openTestDatabase(place)
        : await openAuditFile({ dataDir: place.dataDir, fsync: false }));
  });
  afterEach(async () => {
    await close();
    await place.remove();
  });

  /** Adds one call of each tool. */
  const addCalls = (ids: readonly string[], nowMs = NOON_MS): Promise<void> =>
    addRows(db, rowsOf(cellsOf(ids), rowFor, nowMs));
  const rowsIn = (step: Step, kind: StatisticsTable['kind'] = 'tool') =>
    db
      .selectFrom('statistics')
      .selectAll()
      .where('step', '=', step)
      .where('scope', '=', 'ten_a')
      .where('kind', '=', kind)
      .execute();
  const callsOf = async (step: Step, toolId: string) =>
    (await rowsIn(step)).find(({ subject }) => subject === toolId)?.calls;

  it('are sums, and have the time of the latest call', async () => {
    const of = (durationMs: number, ms: number) =>
      toRow(makeRecord({ durationMs, responseBytes: 2 ** 40 }, ms));
    for (const rows of [[of(5, NOON_MS + 2000), of(5, NOON_MS)], [of(900, NOON_MS + 1000)]]) {
      const cells = createCells();
      for (const row of rows) cells.add(row);
      await addRows(db, rowsOf(cells.take(), rowFor, NOON_MS));
    }
    for (const step of STEPS) {
      const [row, ...others] = await rowsIn(step, 'all');
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        calls: 3,
        response_bytes: 3 * 2 ** 40,
        last_ms: NOON_MS + 2000,
        [latencyColumn(5)]: 2,
        [latencyColumn(900)]: 1,
      });
      expect(LATENCY_COLUMNS.reduce((sum, column) => sum + (row?.[column] ?? 0), 0)).toBe(3);
    }
  });

  it('change together or not at all', async () => {
    await addCalls(['a']);
    const rows = rowsOf(cellsOf(['a']), rowFor, NOON_MS);
    const broken = rows.map((row, n) => (n < rows.length - 1 ? row : { ...row, step: null }));
    await expect(addRows(db, broken as unknown as typeof rows)).rejects.toThrow();
    expect(await callsOf('minute', 'a')).toBe(1);
    expect(await callsOf('day', 'a')).toBe(1);
  });

  it('have the calls of too many subjects in one of them, and none is lost', async () => {
    await addCalls(toolIds(150));
    const minutes = await rowsIn('minute');
    expect(minutes).toHaveLength(MAX_SUBJECTS.minute + 1);
    expect(await callsOf('minute', OTHER)).toBe(50);
    expect(minutes.reduce((sum, { calls }) => sum + calls, 0)).toBe(150);
  });

  it('have too many pairs of a key and a tool in one of them', async () => {
    await addCalls(toolIds(MAX_SUBJECTS.hour + 30));
    const pairs = await rowsIn('hour', 'key_tool');
    expect(pairs).toHaveLength(MAX_SUBJECTS.hour + 1);
    expect(pairs.find(({ subject }) => subject === OTHER)?.calls).toBe(30);
    expect(await rowsIn('minute', 'key_tool')).toEqual([]);
  });

  it('have the refused requests of too many keys in one of them, by reason', async () => {
    const cells = Array.from({ length: 103 }, (_, n): RefusalCell => {
      const reason = n % 2 === 0 ? 'rate_limit' : 'unknown_tool';
      const of = { tenantId: 'ten_a', apiKeyId: `key_${n}`, reason } as const;
      return { ...of, minuteMs: NOON_MS, count: 2, lastMs: NOON_MS };
    });
    for (let n = 0; n < 2; n++) {
      await addRefusals(db, refusalRowsOf(cells, rowFor, NOON_MS));
    }
    const rows = await db
      .selectFrom('refusals')
      .select(['subject', 'reason', 'count'])
      .where('step', '=', 'minute')
      .where('scope', '=', 'ten_a')
      .execute();
    expect(rows).toHaveLength(MAX_SUBJECTS.minute + 2);
    expect(
      rows
        .filter(({ subject }) => subject === OTHER)
        .map(({ count }) => count)
        .sort(),
    ).toEqual([4, 8]);
  });

  it('have the calls of a tool of the same name there, too', async () => {
    await addCalls([...toolIds(110), OTHER, 'tool-200']);
    expect(await callsOf('minute', OTHER)).toBe(12);
  });

  it('count towards the bound once they have a name, and are still added to', async () => {
    await addCalls(toolIds(90));
    await addCalls(toolIds(40, 80));
    expect(await callsOf('minute', 'tool-85')).toBe(2);
    expect(await callsOf('minute', OTHER)).toBe(20);
    expect(await rowsIn('minute')).toHaveLength(101);
    await addCalls(toolIds(40, 80));
    expect(await callsOf('minute', 'tool-85')).toBe(3);
    expect(await callsOf('minute', OTHER)).toBe(40);
  });

  it('are at most 500 subjects in an hour and 2,000 in a day', async () => {
    await addCalls(toolIds(2100));
    const others = await Promise.all(STEPS.map((step) => callsOf(step, OTHER)));
    expect(others).toEqual([2000, 1600, 100]);
  });

  it('have no minutes that would be deleted again', async () => {
    await addCalls(['a'], NOON_MS + MINUTES_KEPT_MS + 60_000);
    const calls = await Promise.all(STEPS.map((step) => callsOf(step, 'a')));
    expect(calls).toEqual([undefined, 1, 1]);
  });
});

describe('names of rows', () => {
  const keyOf = (n: number, scope = `ten_${n % 1000}`) =>
    ({ step: 'day', scope, kind: 'tool', bucket_ms: 0, subject: `tool-${n}` }) as const;

  it('are forgotten together once there are too many, and each subject has room again', () => {
    const rowFor = createRowNames();
    for (let n = 0; n < MAX_SUBJECTS.day; n++) rowFor(keyOf(n, 'ten_a'));
    expect(rowFor(keyOf(MAX_SUBJECTS.day, 'ten_a')).subject).toBe(OTHER);
    for (let n = MAX_SUBJECTS.day; n <= MAX_NAMES; n++) rowFor(keyOf(n));
    expect(rowFor(keyOf(MAX_SUBJECTS.day, 'ten_a')).subject).not.toBe(OTHER);
  });
});

it.runIf(postgres)('are added by several gateways at once without a deadlock', async () => {
  const place = await postgres?.makePlace();
  if (!place) return;
  const { db, close } = await openTestDatabase(place);
  const rowFor = createRowNames();
  const rows = Array.from({ length: 40 }, (_, n) =>
    toRow(makeRecord({ tenantId: `ten_${n}` }, NOON_MS)),
  );
  const add = async (n: number) => {
    for (let turn = 0; turn < 10; turn++) {
      const cells = createCells();
      for (const row of n % 2 === 0 ? rows : rows.toReversed()) cells.add(row);
      await addRows(db, rowsOf(cells.take(), rowFor, NOON_MS));
    }
  };
  await Promise.all([0, 1, 2, 3].map(add));
  const { calls } = await db
    .selectFrom('statistics')
    .select(({ fn }) => fn.sum<number>('calls').as('calls'))
    .where('step', '=', 'day')
    .where('scope', '=', '*')
    .where('kind', '=', 'tenant')
    .executeTakeFirstOrThrow();
  expect(Number(calls)).toBe(4 * 10 * rows.length);
  await close();
  await place.remove();
});

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

  it('deletes refused requests that are as old', async () => {
    const rowFor = createRowNames();
    const at = (minuteMs: number): RefusalCell => ({
      ...{ minuteMs, tenantId: 'ten_a', apiKeyId: 'key_a', reason: 'rate_limit' },
      ...{ count: 1, lastMs: minuteMs },
    });
    // When they were counted, their minute was still kept.
    for (const ms of [NOW - 3 * DAY, NOW - HOUR]) {
      await addRefusals(db, refusalRowsOf([at(ms)], rowFor, ms));
    }
    expect(await trimStatistics(db, NOW)).toBe(2);
    expect(await trimStatistics(db, NOW)).toBe(0);
    const rows = await db.selectFrom('refusals').select(['step', 'scope']).execute();
    expect(rows.map(({ step, scope }) => `${step} ${scope}`).sort()).toEqual([
      'day *',
      'day *',
      'day ten_a',
      'day ten_a',
      'hour *',
      'hour *',
      'hour ten_a',
      'hour ten_a',
      'minute *',
      'minute ten_a',
    ]);
  });

  it('deletes at most 300 rows at once', async () => {
    await add(Array.from({ length: 500 }, (_, n) => ({ step: 'minute', subject: `s${n}` })));
    expect(await trimStatistics(db, NOW)).toBe(300);
    expect(await trimStatistics(db, NOW)).toBe(200);
    expect(await trimStatistics(db, NOW)).toBe(0);
  });
});
