import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { COUNTED_COLUMNS, type CountedRecord } from '../audit/record/counted-record.ts';
import type { Tables } from '../platform/database/tables.ts';
import { type Cell, cellOf, createCells, type RecentRecords } from './cells.ts';
import { type Additions, addCell, prepareUpserts, ROWS_OF_CELL } from './statistics-rows.ts';
import { MINUTES_KEPT_MS, STEPS, type Step } from './steps.ts';

const RECORDS_AT_ONCE = 2000;
/** One transaction holds the write lock of `audit.db` for at most some 5 ms, for which a commit of calls may have to wait. */
const ROWS_AT_ONCE = 600;
/** The write lock stays free for this many times as long as a transaction took. */
const FREE_FACTOR = 2;
/** An advisory lock: a number that other users of the PostgreSQL database are unlikely to use. */
const STATISTICS_LOCK = 7_467_002;

/** What has been done at once. */
export interface Counted {
  /** How many records were read for it, each once for every step. */
  readonly records: number;
  /** False once it has counted what it found: records that arrive meanwhile are left for later, to be counted together. */
  readonly hasMore: boolean;
}

interface FileCounting {
  readonly db: Kysely<Tables>;
  readonly nowMs: number;
  readonly recent?: RecentRecords | undefined;
}

/**
 * Counts the next records of `audit.db` by minute, hour and day: one transaction for each is shorter than for all. Its
 * rows and the progress change in one transaction, so each record counts once, whenever the process ends. Everything
 * is read before the transaction: nothing else writes these rows. `recent` are counted without being read, once all
 * records before them are counted.
 */
export async function countFile(counting: FileCounting): Promise<Counted> {
  let [records, hasMore] = [0, false];
  for (const step of STEPS) {
    const progress = await readProgress(counting.db, step);
    const batch = await nextBatch(counting, step, progress.counted);
    if (!batch) continue;
    const { isStored, lockedMs } = await store(counting.db, step, progress, batch);
    records += batch.records;
    hasMore ||= batch.hasMore || !isStored;
    await sleep(lockedMs * FREE_FACTOR);
  }
  return { records, hasMore };
}

const NEWEST = sql`(select coalesce(max(rowid), 0) from audit_records)`;

/**
 * `counted` is the row id of the newest counted record. VACUUM numbers all rows again, in the same order: the audit id
 * finds the place.
 */
const readProgress = (db: Kysely<Tables>, step: Step) =>
  db
    .selectFrom('statistics_progress')
    .select([
      'row_id',
      'audit_id',
      sql<number>`coalesce(
        (select rowid from audit_records where audit_id = statistics_progress.audit_id),
        min(row_id, ${NEWEST}))`.as('counted'),
    ])
    .where('step', '=', step)
    .executeTakeFirstOrThrow();

interface Batch extends Counted {
  readonly additions: Additions;
  readonly last: { readonly row_id: number; readonly audit_id: string };
}

async function nextBatch(
  { db, nowMs, recent }: FileCounting,
  step: Step,
  rowId: number,
): Promise<Batch | undefined> {
  const additions: Additions = new Map();
  if (recent && rowId <= recent.afterRowId) addCells(additions, recent.cells, step, nowMs);
  const isKnown = additions.size > 0 && additions.size <= ROWS_AT_ONCE;
  // Never beyond the recent ones: those that follow are counted without being read.
  const found = await readRecords(db, rowId, isKnown ? recent?.afterRowId : recent?.lastRowId);
  if (found.length > 0) return firstOf(found, step, nowMs, isKnown);
  if (!recent || !isKnown) return undefined;
  const last = { row_id: recent.lastRowId, audit_id: recent.lastAuditId };
  return { additions, last, records: 0, hasMore: false };
}

const readRecords = (db: Kysely<Tables>, afterRowId: number, toRowId = Number.MAX_SAFE_INTEGER) =>
  db
    .selectFrom('audit_records')
    .select([...COUNTED_COLUMNS, sql<number>`rowid`.as('row_id')])
    .where(sql`rowid`, '>', afterRowId)
    .where(sql`rowid`, '<=', toRowId)
    .orderBy(sql`rowid`)
    .limit(RECORDS_AT_ONCE)
    .execute();

type Found = Awaited<ReturnType<typeof readRecords>>;

/** As many of the records as change few enough rows. */
function firstOf(found: Found, step: Step, nowMs: number, areOthersKnown: boolean): Batch {
  const additions: Additions = new Map();
  let last = { row_id: 0, audit_id: '' };
  let records = 0;
  for (const record of found) {
    if (additions.size > ROWS_AT_ONCE - ROWS_OF_CELL) break;
    addCells(additions, [cellOf(record)], step, nowMs);
    last = record;
    records++;
  }
  const hasMore = areOthersKnown || records < found.length || records === RECORDS_AT_ONCE;
  return { additions, last, records, hasMore };
}

/** Adds to the rows of a step, but not to minutes that would be deleted again. */
function addCells(additions: Additions, cells: readonly Cell[], step: Step, nowMs: number): void {
  for (const cell of cells) {
    const isKept = step !== 'minute' || cell.minuteMs >= nowMs - MINUTES_KEPT_MS;
    if (isKept) addCell(additions, cell, step);
  }
}

/** Stores nothing if the progress has changed since it was read: records were deleted meanwhile. */
async function store(
  db: Kysely<Tables>,
  step: Step,
  { row_id, audit_id }: Batch['last'],
  { additions, last }: Batch,
) {
  const upserts = await prepareUpserts(db, additions);
  let startedMs = 0;
  const isStored = await db.transaction().execute(async (transaction) => {
    startedMs = performance.now();
    const { numUpdatedRows } = await transaction
      .updateTable('statistics_progress')
      .set({ row_id: last.row_id, audit_id: last.audit_id })
      .where('step', '=', step)
      .where('row_id', '=', row_id)
      .where('audit_id', '=', audit_id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    for (const upsert of upserts) await transaction.executeQuery(upsert);
    return true;
  });
  return { isStored, lockedMs: performance.now() - startedMs };
}

/**
 * Counts records on PostgreSQL. The statement that inserts a record also makes it wait here, and the transaction that
 * counts it removes it, so each record counts exactly if it was inserted. Does nothing while another gateway counts.
 */
export async function countServer(db: Kysely<Tables>, nowMs: number): Promise<Counted> {
  // Without a transaction, so that a gateway without calls costs one query.
  const waiting = await db.selectFrom('statistics_waiting').select('id').limit(1).execute();
  if (waiting.length === 0) return { records: 0, hasMore: false };
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(STATISTICS_LOCK)}) as locked`.execute(transaction);
    if (!rows[0]?.locked) return { records: 0, hasMore: false };
    const taken = await takeWaiting(transaction);
    const counted = createCells();
    for (const record of taken) counted.add(record);
    const cells = counted.all();
    const additions: Additions = new Map();
    for (const step of STEPS) addCells(additions, cells, step, nowMs);
    for (const upsert of await prepareUpserts(transaction, additions)) {
      await transaction.executeQuery(upsert);
    }
    return { records: taken.length, hasMore: taken.length >= RECORDS_AT_ONCE };
  });
}

/**
 * Up to an id, and not by a list of ids: whatever PostgreSQL expects of a table that is filled and emptied all the time, no
 * plan for it reads more than the table. Lower ids that are committed meanwhile wait for the next time.
 */
const takeWaiting = (db: Kysely<Tables>): Promise<CountedRecord[]> =>
  db
    .deleteFrom('statistics_waiting')
    .where('id', '<=', ({ selectFrom }) => {
      const oldest = selectFrom('statistics_waiting').select('id').orderBy('id');
      return selectFrom(oldest.limit(RECORDS_AT_ONCE).as('oldest')).select(({ fn }) =>
        fn.max('id').as('id'),
      );
    })
    .returning(COUNTED_COLUMNS)
    .execute();
