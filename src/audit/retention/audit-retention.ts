import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditRetentionTable, Tables } from '../../platform/database/tables.ts';
import { repeat } from '../../platform/kernel/time.ts';

const HOUR_MS = 3_600_000;
/** Small enough that the embedded database, which runs on the event loop, does not noticeably delay a call. */
const BATCH_SIZE = 500;

export interface AuditRetentionDeps {
  readonly db: Kysely<Tables>;
  readonly now: () => Promise<number>;
  /** The age at which records are deleted; 0 = never. */
  readonly retentionDays: number;
  readonly onError: (error: unknown) => void;
  /** Called after each batch of deletions. */
  readonly onDeleted?: (() => void) | undefined;
  /** Called with the number of records that a sweep deleted, unless it is 0. */
  readonly onSwept?: ((records: number) => void) | undefined;
}

export type AuditRetention = ReturnType<typeof createAuditRetention>;

/** Deletes whole seals that are too old, with their records: at start and every hour. */
export function createAuditRetention(deps: AuditRetentionDeps) {
  const { retentionDays, onError, onSwept } = deps;
  const readCutoff = createCutoff(deps);
  let deleted = 0;
  let closed = false;

  const sweepOnce = async (): Promise<void> => {
    if (retentionDays === 0 || closed) return;
    const before = deleted;
    try {
      for await (const count of deleteSealed(deps, await readCutoff())) {
        deleted += count;
        if (closed) return;
      }
    } finally {
      if (deleted > before) onSwept?.(deleted - before);
    }
  };

  let underWay: Promise<void> = Promise.resolve();
  const sweep = (): Promise<void> => {
    underWay = underWay.then(sweepOnce, sweepOnce);
    return underWay;
  };
  const stop =
    retentionDays > 0
      ? repeat(
          () => sweep().catch(onError),
          () => HOUR_MS,
          0,
        )
      : undefined;
  return {
    /** Deletes what is too old now. Runs after any sweep in progress. */
    sweep,
    /** Records deleted since start. */
    stats: () => ({ deleted }),
    /** Ends a sweep in progress early. */
    close: async (): Promise<void> => {
      stop?.();
      closed = true;
      await underWay.catch(() => undefined);
    },
  };
}

/** Reads the cut-off, and moves it if it is time. */
function createCutoff({ db, now, retentionDays }: AuditRetentionDeps): () => Promise<number> {
  const retentionMs = retentionDays * DAY_MS;
  /** The last move that this process saw happen: a clock that jumps ahead by days allows no second one. */
  let seen: { readonly movedAtMs: number | undefined; readonly atMs: number } | undefined;

  return async () => {
    const nowMs = await now();
    const last = await readLast(db);
    if (seen?.movedAtMs !== last?.moved_at_ms) {
      seen = { movedAtMs: last?.moved_at_ms, atMs: seen ? performance.now() : -DAY_MS };
    }
    const isEarly =
      last && nowMs >= last.moved_at_ms && performance.now() - (seen?.atMs ?? 0) < DAY_MS;
    let cutoff = last;
    if (!isEarly) {
      cutoff = moveCutoff(last, {
        nowMs,
        retentionMs,
        oldestMs: last ? null : await readOldest(db),
      });
      if (cutoff !== last) {
        if (!(await storeCutoff(db, last, cutoff))) return Number.NEGATIVE_INFINITY;
        seen = { movedAtMs: cutoff.moved_at_ms, atMs: performance.now() };
      }
    }
    // Whatever was stored, and whatever the retention was before: nothing is deleted before its time.
    return Math.min(cutoff?.cutoff_ms ?? Number.NEGATIVE_INFINITY, nowMs - retentionMs);
  };
}

const readLast = (db: Kysely<Tables>): Promise<Cutoff | undefined> =>
  runQuery(() =>
    db
      .selectFrom('audit_retention')
      .select(['cutoff_ms', 'moved_at_ms'])
      .where('id', '=', 1)
      .executeTakeFirst(),
  );

/** Resolves with false if another gateway has moved it meanwhile. */
async function storeCutoff(
  db: Kysely<Tables>,
  last: Cutoff | undefined,
  next: Cutoff,
): Promise<boolean> {
  if (last) {
    const { numUpdatedRows } = await runQuery(() =>
      db
        .updateTable('audit_retention')
        .set(next)
        .where('id', '=', 1)
        .where('moved_at_ms', '=', last.moved_at_ms)
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }
  const { numInsertedOrUpdatedRows = 0n } = await runQuery(() =>
    db
      .insertInto('audit_retention')
      .values({ id: 1, ...next })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst(),
  );
  return numInsertedOrUpdatedRows > 0n;
}

/** When the oldest seal that still has records was made. */
async function readOldest(db: Kysely<Tables>): Promise<number | null> {
  const seal = await runQuery(() =>
    db
      .selectFrom('audit_seals')
      .select('sealed_at_ms')
      .where('up_to', '>=', ({ selectFrom }) =>
        selectFrom('audit_records').select((eb) => eb.fn.min<number>('n').as('n')),
      )
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst(),
  );
  return seal?.sealed_at_ms ?? null;
}

/**
 * Deletes the oldest seals, up to the first that is not older, and their records. Yields the number of each batch of records.
 * The last of these seals stays without its records: with the next one it proves when they were sealed.
 */
async function* deleteSealed({ db, onDeleted }: AuditRetentionDeps, cutoffMs: number) {
  const last = await findLast(db, cutoffMs);
  if (!last) return;
  for (;;) {
    const { numDeletedRows } = await runQuery(() =>
      db
        .deleteFrom('audit_records')
        .where('n', 'in', ({ selectFrom }) =>
          selectFrom('audit_records')
            .select('n')
            .where('n', '<=', last.up_to)
            .orderBy('n')
            .limit(BATCH_SIZE),
        )
        .executeTakeFirst(),
    );
    if (numDeletedRows === 0n) break;
    onDeleted?.();
    yield Number(numDeletedRows);
    await nextTurn();
  }
  await runQuery(() => db.deleteFrom('audit_seals').where('seq', '<', last.seq).execute());
}

/** The last seal before the first one that is not older than the cut-off. */
async function findLast(db: Kysely<Tables>, cutoffMs: number) {
  const kept = await runQuery(() =>
    db
      .selectFrom('audit_seals')
      .select('seq')
      .where('sealed_at_ms', '>=', cutoffMs)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst(),
  );
  return runQuery(() =>
    db
      .selectFrom('audit_seals')
      .select(['seq', 'up_to'])
      .where('seq', '<', kept?.seq ?? Number.MAX_SAFE_INTEGER)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
}

export const DAY_MS = 86_400_000;
/** Twice as fast as time passes, so that retention catches up. */
const STEP_MS = 2 * DAY_MS;

/** Up to when retention deletes, and when that was last moved. */
export type Cutoff = Omit<AuditRetentionTable, 'id'>;

interface CutoffFacts {
  readonly nowMs: number;
  readonly retentionMs: number;
  /** When the oldest seal with records was made; null without one. Only the first cut-off depends on it. */
  readonly oldestMs: number | null;
}

/**
 * Moves the cut-off to the time that is as old as the retention, but at most two days beyond the last cut-off, and at most once
 * a day: whatever the clock says, a day costs no more than two days of records. The first cut-off is not beyond the oldest
 * record. A clock that was set back moves it no further.
 */
export function moveCutoff(
  last: Cutoff | undefined,
  { nowMs, retentionMs, oldestMs }: CutoffFacts,
): Cutoff {
  const wantedMs = nowMs - retentionMs;
  if (last && nowMs < last.moved_at_ms) {
    return { cutoff_ms: Math.min(last.cutoff_ms, wantedMs), moved_at_ms: nowMs };
  }
  if (last && nowMs - last.moved_at_ms < DAY_MS) return last;
  const mostMs = last ? last.cutoff_ms + STEP_MS : (oldestMs ?? wantedMs);
  return { cutoff_ms: Math.min(wantedMs, mostMs), moved_at_ms: nowMs };
}
