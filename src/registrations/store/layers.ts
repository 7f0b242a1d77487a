import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { repeat } from '../../platform/kernel/time.ts';
import { createVersionFollower } from '../../platform/kernel/version-follower.ts';

/**
 * Increments the version of all registrations. Call it first in every transaction that changes one or submits a job: the
 * counter's row lock makes these transactions run one after another, in all processes.
 */
export async function raiseVersion(transaction: Kysely<Tables>): Promise<number> {
  const { version } = await transaction
    .updateTable('changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('topic', '=', 'registrations')
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

/** Notes that a version changed the layer of a tenant. */
export async function touchLayer(
  transaction: Kysely<Tables>,
  changed_version: number,
  tenant_id: string,
): Promise<void> {
  await transaction
    .insertInto('registration_layers')
    .values({ tenant_id, changed_version })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ changed_version }))
    .execute();
}

/** The current version of all registrations. */
export async function readVersion(db: Kysely<Tables>): Promise<number> {
  const topic = db.selectFrom('changes').where('topic', '=', 'registrations');
  return (await runQuery(() => topic.select('version').executeTakeFirstOrThrow())).version;
}

/** Tenants whose registrations were changed last, newest first. */
export const recentLayers = (db: Kysely<Tables>, limit: number): Promise<readonly string[]> =>
  readLayers(selectLayers(db).orderBy('changed_version', 'desc').limit(limit));

const selectLayers = (db: Kysely<Tables>) =>
  db.selectFrom('registration_layers').select('tenant_id');

const readLayers = async (query: ReturnType<typeof selectLayers>): Promise<readonly string[]> =>
  (await runQuery(() => query.execute())).map(({ tenant_id }) => tenant_id);

export interface LayerFollowerDeps {
  readonly db: Kysely<Tables>;
  /** Half the time within which every process must notice a change (docs/contract.md#registration). */
  readonly pollMs: number;
  /** Called with the tenants whose layers changed, some perhaps twice. Must not throw. */
  readonly onChanged: (tenantIds: readonly string[]) => void;
  /** Called when nothing known about layers can be relied on: the database was restored from a backup. */
  readonly onReset: () => void;
}

/**
 * Follows the changes of registrations, whichever process makes them. Resolves once the version to start from is known: what
 * changes later is reported.
 */
export async function followLayers({ db, pollMs, ...handlers }: LayerFollowerDeps) {
  const { start, refresh } = createVersionFollower({
    readVersion: () => readVersion(db),
    changesSince: (version) => readLayers(selectLayers(db).where('changed_version', '>', version)),
    ...handlers,
  });
  await start();
  // While the database is away, known layers keep working.
  const stop = repeat(
    () => refresh().catch(() => undefined),
    () => pollMs,
  );
  /** `refresh` reads new changes now, and rejects with `unavailable` while the database is away. */
  return { refresh, close: async () => stop() };
}
