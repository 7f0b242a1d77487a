import { type Kysely, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Closeable } from '../../platform/kernel/closing.ts';
import { repeat } from '../../platform/kernel/time.ts';
import { hashRecords, hashSeal, type Seal, type SealedRecords } from './seal.ts';

const SEAL_INTERVAL_MS = 60_000;
const ANCHOR_INTERVAL_MS = 3_600_000;
/** Bounds the work of one seal; a minute with more records gets several. */
const MAX_RECORDS = 10_000;
/** Longer than an insert takes. Inserts wait behind the lock, which only delays shipping. */
const LOCK_TIMEOUT_MS = 3000;
/** The advisory lock of the sealer: a number that other users of the PostgreSQL database are unlikely to use. */
const SEAL_LOCK = 7_467_003;

export interface SealerDeps {
  readonly database: Pick<Database, 'backend'>;
  /** The database with the records. */
  readonly db: Kysely<Tables>;
  readonly now: () => Promise<number>;
  /** Hashes records of the embedded database without blocking the event loop. */
  readonly hash?: ((after: number, upTo: number) => Promise<SealedRecords>) | undefined;
  /** Called with the newest seal after the first run, every hour and on close. */
  readonly onAnchor?: ((newest: Seal) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

export interface Sealer extends Closeable {
  /** Seals the records that are there. Resolves with the newest seal, if the log has one. */
  seal(): Promise<Seal | undefined>;
}

/** Seals new records once a minute and on close. With PostgreSQL, the gateways take turns. */
export function createSealer(deps: SealerDeps): Sealer {
  const sealNext = deps.database.backend === 'postgres' ? sealOnPostgres : sealEmbedded;
  let anchoredMs = Number.NEGATIVE_INFINITY;
  let failed = false;

  const seal = async (): Promise<Seal | undefined> => {
    while (await sealNext(deps));
    return readNewest(deps.db);
  };
  const run = async (isLast: boolean): Promise<void> => {
    try {
      const newest = await seal();
      failed = false;
      if (!newest || (!isLast && performance.now() - anchoredMs < ANCHOR_INTERVAL_MS)) return;
      anchoredMs = performance.now();
      deps.onAnchor?.(newest);
    } catch (error) {
      failed = true;
      deps.onError(error);
    }
  };
  let underWay: Promise<unknown> = Promise.resolve();
  const queue = <T>(task: () => Promise<T>): Promise<T> => {
    const result = underWay.then(task);
    underWay = result.catch(() => undefined);
    return result;
  };
  const stop = repeat(
    () => queue(() => run(false)),
    () => SEAL_INTERVAL_MS,
  );
  return {
    seal: () => queue(seal),
    close: async () => {
      stop();
      await underWay;
      if (!failed) await run(true);
    },
  };
}

/** Adds a seal. Resolves with whether there may be more to seal. */
type SealNext = (deps: SealerDeps) => Promise<boolean>;

/** One process inserts, in the order of `n`. */
const sealEmbedded: SealNext = async ({ db, now, hash }) =>
  addSeal({ db, hash, sealedAtMs: await now(), upTo: await newestN(db) });

const sealOnPostgres: SealNext = async ({ db, now }) => {
  const upTo = await runQuery(() => readSettled(db));
  if (upTo === undefined) return false;
  const sealedAtMs = await now();
  return runQuery(() =>
    db
      .transaction()
      .execute(async (transaction) =>
        (await isSealer(transaction)) ? addSeal({ db: transaction, sealedAtMs, upTo }) : false,
      ),
  );
};

/**
 * The largest `n` of which no smaller one can still appear: numbers are given in another order than they are committed. The
 * lock waits for every transaction that has inserted, and none begins meanwhile. Undefined if another process seals, or one
 * of these transactions takes too long.
 */
const readSettled = (db: Kysely<Tables>): Promise<number | undefined> =>
  db
    .transaction()
    .execute(async (transaction) => {
      if (!(await isSealer(transaction))) return undefined;
      const newest = await readNewest(transaction);
      if ((await newestN(transaction)) <= (newest?.up_to ?? 0)) return undefined;
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction);
      await sql`lock table audit_records in share mode`.execute(transaction);
      return newestN(transaction);
    })
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return undefined;
      throw error;
    });

const LOCK_NOT_AVAILABLE = '55P03';

/** Until the transaction ends. */
async function isSealer(transaction: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(SEAL_LOCK)}) as locked`.execute(transaction);
  return rows[0]?.locked === true;
}

interface Unsealed extends Pick<SealerDeps, 'db' | 'hash'> {
  readonly sealedAtMs: number;
  /** The largest `n` that may be sealed. */
  readonly upTo: number;
}

async function addSeal({ db, hash, sealedAtMs, upTo }: Unsealed): Promise<boolean> {
  const newest = await readNewest(db);
  const after = newest?.up_to ?? 0;
  const first = await runQuery(() =>
    db
      .selectFrom('audit_records')
      .select((eb) => eb.fn.min<number | null>('n').as('n'))
      .where('n', '>', after)
      .executeTakeFirst(),
  );
  if (!first?.n || first.n > upTo) return false;
  const last = Math.min(upTo, first.n + MAX_RECORDS - 1);
  const { count, recordsHash } = await (hash?.(after, last) ?? hashRecords(db, after, last));
  const seal = {
    seq: (newest?.seq ?? 0) + 1,
    up_to: last,
    count,
    sealed_at_ms: sealedAtMs,
    records_hash: recordsHash,
    prev_hash: newest?.hash ?? '',
  };
  await runQuery(() =>
    db
      .insertInto('audit_seals')
      .values({ ...seal, hash: hashSeal(seal) })
      .execute(),
  );
  return last < upTo;
}

const readNewest = (db: Kysely<Tables>): Promise<Seal | undefined> =>
  runQuery(() =>
    db.selectFrom('audit_seals').selectAll().orderBy('seq', 'desc').limit(1).executeTakeFirst(),
  );

async function newestN(db: Kysely<Tables>): Promise<number> {
  const row = await runQuery(() =>
    db
      .selectFrom('audit_records')
      .select((eb) => eb.fn.max<number | null>('n').as('n'))
      .executeTakeFirst(),
  );
  return row?.n ?? 0;
}
