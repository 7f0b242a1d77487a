import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** The layer of the public APIs of all tenants. Every other layer is named by the id of its tenant. */
export const PUBLIC_LAYER = 'public';

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

/** Notes which layers a version changed. */
export async function touchLayers(
  transaction: Kysely<Tables>,
  version: number,
  layers: readonly string[],
): Promise<void> {
  await transaction
    .insertInto('registration_layers')
    .values(layers.map((layer) => ({ layer, changed_version: version })))
    .onConflict((conflict) => conflict.column('layer').doUpdateSet({ changed_version: version }))
    .execute();
}

/** The current version of all registrations. */
export async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { version } = await runQuery(() =>
    db
      .selectFrom('changes')
      .select('version')
      .where('topic', '=', 'registrations')
      .executeTakeFirstOrThrow(),
  );
  return version;
}

/** The layers that changed after a version. */
export async function changedLayers(db: Kysely<Tables>, since: number): Promise<readonly string[]> {
  const rows = await runQuery(() =>
    db
      .selectFrom('registration_layers')
      .select('layer')
      .where('changed_version', '>', since)
      .execute(),
  );
  return rows.map(({ layer }) => layer);
}

/** Tenants whose registrations were changed last, newest first. */
export async function recentLayers(db: Kysely<Tables>, limit: number): Promise<readonly string[]> {
  const rows = await runQuery(() =>
    db
      .selectFrom('registration_layers')
      .select('layer')
      .where('layer', '!=', PUBLIC_LAYER)
      .orderBy('changed_version', 'desc')
      .limit(limit)
      .execute(),
  );
  return rows.map(({ layer }) => layer);
}
