import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/time.ts';

export interface ResultRoomDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Of all results, compressed. */
  readonly maxBytes: number;
}

/** A tenant with more than this part of all that is kept gives way before the others. */
const PART_OF_TENANT = 1 / 2;
/** After so much of the bound has been written, room is made. */
const TRIM_PART = 1 / 32;
/** Results that are read together, and pieces that are deleted in one turn of the event loop. */
const SWEEP_RESULTS = 500;
const SWEEP_PIECES = 8;

/** Bounds the results in the database. Every method rejects with `unavailable` while that is away. */
export function createResultRoom(deps: ResultRoomDeps) {
  let untrimmedBytes = Number.POSITIVE_INFINITY;
  return {
    /** Counts what is about to be written, and makes room for it. */
    async make(bytes: number): Promise<void> {
      untrimmedBytes += bytes;
      if (untrimmedBytes < deps.maxBytes * TRIM_PART) return;
      untrimmedBytes = bytes;
      await trim(deps, Math.max(bytes, deps.maxBytes * TRIM_PART));
    },
    drop: (id: string): Promise<void> => dropAll(deps.db, [id]),
    /** Deletes what has expired. */
    sweep: (): Promise<void> => sweep(deps),
  };
}

async function sweep({ db, clock }: ResultRoomDeps): Promise<void> {
  for (;;) {
    const expired = await runQuery(() =>
      db
        .selectFrom('results')
        .select('id')
        .where('expires_at_ms', '<=', Math.round(clock.now()))
        .limit(SWEEP_RESULTS)
        .execute(),
    );
    await dropAll(
      db,
      expired.map(({ id }) => id),
    );
    if (expired.length < SWEEP_RESULTS) return;
  }
}

/**
 * Deletes the results that expire first until so many bytes are spare: of a tenant that has more than its share, then of
 * all.
 */
async function trim(deps: ResultRoomDeps, spare: number): Promise<void> {
  const { db, maxBytes } = deps;
  await sweep(deps);
  const sums = await runQuery(() =>
    db
      .selectFrom('results')
      .select(({ fn }) => ['tenant_id as tenant', fn.sum<number>('bytes').as('bytes')])
      .groupBy('tenant_id')
      .execute(),
  );
  let over = sums.reduce((sum, { bytes }) => sum + Number(bytes), 0) - (maxBytes - spare);
  for (const { tenant, bytes } of sums) {
    over -= await dropOldest(db, Number(bytes) - (PART_OF_TENANT * maxBytes - spare), tenant);
  }
  await dropOldest(db, over);
}

/** Deletes at least so many bytes, of one tenant or of all. Resolves with the bytes deleted. */
async function dropOldest(db: Kysely<Tables>, wanted: number, tenant?: string): Promise<number> {
  let freed = 0;
  while (freed < wanted) {
    const oldest = await runQuery(() =>
      db
        .selectFrom('results')
        .select(['id', 'bytes'])
        .$if(tenant !== undefined, (query) => query.where('tenant_id', '=', tenant ?? ''))
        .orderBy('expires_at_ms')
        .limit(SWEEP_RESULTS)
        .execute(),
    );
    const doomed: string[] = [];
    for (const { id, bytes } of oldest) {
      if (freed >= wanted) break;
      doomed.push(id);
      freed += Number(bytes);
    }
    if (doomed.length === 0) break;
    await dropAll(db, doomed);
  }
  return freed;
}

/** Deletes results: nobody finds them from the first step on, and what a killed process leaves, the next sweep deletes. */
async function dropAll(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const marked = db.updateTable('results').set({ expires_at_ms: 0 }).where('id', 'in', ids);
  await runQuery(() => marked.execute());
  const pieces = db
    .selectFrom('result_pieces')
    .select(['result_id', 'n'])
    .where('result_id', 'in', ids)
    .limit(SWEEP_PIECES);
  for (;;) {
    // SQLite frees the pages of a large piece one by one, on the event loop.
    await nextTurn();
    const some = await runQuery(() => pieces.execute());
    if (some.length === 0) break;
    for (const { result_id, n } of some) {
      const piece = db
        .deleteFrom('result_pieces')
        .where('result_id', '=', result_id)
        .where('n', '=', n);
      await runQuery(() => piece.execute());
    }
  }
  const rows = db.deleteFrom('results').where('id', 'in', ids);
  await runQuery(() => rows.execute());
}
