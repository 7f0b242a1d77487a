import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Closeable } from '../kernel/closing.ts';
import { newReplicaId } from '../kernel/ids.ts';
import { repeat } from '../kernel/time.ts';
import { VERSION } from '../kernel/version.ts';
import { replacePrivateFile } from './data-dir.ts';
import type { Database } from './database.ts';
import { runQuery } from './database-error.ts';
import type { Tables } from './tables.ts';

/** The file in DATA_DIR that names its replica, so that a restart takes the row of the process before over. */
const REPLICA_FILE_NAME = 'replica.id';
const RENEW_INTERVAL_MS = 5000;
/** Six renewals have been missed. */
const LOST_AFTER_SECONDS = 30;
const FORGET_AFTER_DAYS = 30;
const MAX_REPLICAS = 1000;

/** A gateway that has not reported for 30 seconds and has not ended in order. */
export interface LostReplica {
  readonly id: string;
  readonly host: string;
  readonly dataDir: string;
  /** Audit records that waited in its DATA_DIR when it last reported. */
  readonly waiting: number;
  /** When it last reported. ISO 8601, UTC. */
  readonly seenAt: string;
}

/** The gateways that share a database: itself alone on the embedded one. */
export interface ReplicaRegistry extends Closeable {
  /** Reports this replica now and every five seconds. `waiting` counts its audit records that PostgreSQL does not have. */
  report(waiting: () => number): Promise<void>;
  /** At least 1. While PostgreSQL is away, what was known last. */
  living(): number;
  lost(): readonly LostReplica[];
}

interface ReplicaRegistryDeps {
  readonly database: Pick<Database, 'db' | 'backend'>;
  readonly dataDir: string;
  /** Called while the replica cannot report. */
  readonly onError: (error: unknown) => void;
  /** Called when it can report again. */
  readonly onRecovered: () => void;
}

/** Does not use PostgreSQL before `report`. `close` removes this replica, unless records still wait in its DATA_DIR. */
export const openReplicaRegistry = (deps: ReplicaRegistryDeps): ReplicaRegistry =>
  deps.database.backend === 'postgres'
    ? openOnPostgres(deps)
    : { report: async () => {}, living: () => 1, lost: () => [], close: async () => {} };

function openOnPostgres(deps: ReplicaRegistryDeps) {
  const { dataDir, onError, onRecovered } = deps;
  const { db } = deps.database;
  let id = readReplicaId(dataDir);
  let living = 1;
  let lost: readonly LostReplica[] = [];
  let isBack = true;
  let waiting: (() => number) | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let stop = (): void => {};

  const renew = async (): Promise<void> => {
    if (id === undefined) {
      id = newReplicaId();
      replacePrivateFile(join(dataDir, REPLICA_FILE_NAME), id, false);
    }
    const seen = await renewRow(db, { id, host: hostname(), dataDir, waiting: waiting?.() ?? 0 });
    // After an outage, the others may not have been able to report either.
    if (isBack) ({ living, lost } = seen);
    else onRecovered();
    isBack = true;
  };

  const tryRenew = (): Promise<void> => {
    underWay = renew().catch((error: unknown) => {
      isBack = false;
      onError(error);
    });
    return underWay;
  };

  return {
    report: async (count: () => number): Promise<void> => {
      waiting = count;
      await tryRenew();
      await forgetOld(db).catch(onError);
      stop = repeat(tryRenew, () => RENEW_INTERVAL_MS);
    },
    living: () => living,
    lost: () => lost,
    close: async (): Promise<void> => {
      stop();
      // It would add the row again.
      await underWay;
      if (!waiting) return;
      if (waiting() > 0) await tryRenew();
      else if (id !== undefined) await removeReplica(db, id).catch(onError);
      waiting = undefined;
    },
  };
}

/** The replica of a DATA_DIR; undefined if it never reported to PostgreSQL. */
export function readReplicaId(dataDir: string): string | undefined {
  try {
    return /^rep_\w{1,64}$/.exec(readFileSync(join(dataDir, REPLICA_FILE_NAME), 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}

/** Removes a replica of whose DATA_DIR no process runs. */
export async function removeReplica(db: Kysely<Tables>, id: string): Promise<void> {
  await runQuery(() => db.deleteFrom('replicas').where('id', '=', id).execute());
}

/** Removes a replica that has been lost. Resolves with false if no lost one has this id. */
export async function forgetReplica(db: Kysely<Tables>, id: string): Promise<boolean> {
  const { numDeletedRows } = await runQuery(() =>
    db.deleteFrom('replicas').where('id', '=', id).where(isLost).executeTakeFirst(),
  );
  return numDeletedRows > 0n;
}

const isLost = sql<boolean>`seen_at < now() - make_interval(secs => ${sql.lit(LOST_AFTER_SECONDS)})`;

type OwnRow = Pick<LostReplica, 'id' | 'host' | 'dataDir' | 'waiting'>;
type LostRow = Omit<LostReplica, 'seenAt'> & { readonly seen_at: string };

/** Renews the own row and reads the others, in one statement. */
async function renewRow(db: Kysely<Tables>, row: OwnRow) {
  const { rows } = await sql<{ living: number; lost: readonly LostRow[] }>`
    with renewed as (
      insert into replicas (id, seen_at, host, data_dir, version, waiting)
      values (${row.id}, now(), ${row.host}, ${row.dataDir}, ${VERSION}, ${row.waiting})
      on conflict (id) do update set seen_at = now(), host = excluded.host,
        data_dir = excluded.data_dir, version = excluded.version, waiting = excluded.waiting
    ), others as (
      select id, host, data_dir as "dataDir", waiting, seen_at, ${isLost} as is_lost
      from replicas where id <> ${row.id} order by seen_at desc limit ${sql.lit(MAX_REPLICAS)}
    )
    select (select 1 + count(*) from others where not is_lost) as living,
      (select coalesce(json_agg(others), '[]') from others where is_lost) as lost`.execute(db);
  const { living = 1, lost = [] } = rows[0] ?? {};
  return {
    living,
    lost: lost.map(({ id, host, dataDir, waiting, seen_at }) => {
      return { id, host, dataDir, waiting, seenAt: new Date(seen_at).toISOString() };
    }),
  };
}

/** Bounds the table by the starts of a month. Nobody misses a replica of which nothing waits. */
const forgetOld = (db: Kysely<Tables>) =>
  sql`delete from replicas where waiting = 0
      and seen_at < now() - make_interval(days => ${sql.lit(FORGET_AFTER_DAYS)})`.execute(db);
