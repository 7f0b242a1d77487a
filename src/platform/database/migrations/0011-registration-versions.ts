import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** A registration may have a version that waits for approval, so that what differs between versions belongs to them. */
export async function up(db: Kysely<Tables>): Promise<void> {
  // SQLite adds one column in a statement.
  await db.schema
    .alterTable('registrations')
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('registrations').addColumn('pending_version', 'integer').execute();
  await addVersionColumn(db, 'base_url', '');
  await addVersionColumn(db, 'origins', '[]');
  await addVersionColumn(db, 'descriptions', '{}');
  await db.schema.alterTable('registration_versions').addColumn('spec_url', 'text').execute();
  await fillVersions(db);
  await db.schema.alterTable('registrations').dropColumn('base_url').execute();
}

const addVersionColumn = (db: Kysely<Tables>, name: string, initial: string): Promise<void> =>
  db.schema
    .alterTable('registration_versions')
    .addColumn(name, 'text', (column) => column.notNull().defaultTo(initial))
    .execute();

/** Versions that were stored before: their addresses are those of the registration and of its job. */
async function fillVersions(db: Kysely<Tables>): Promise<void> {
  const rows = await (db as unknown as Kysely<EarlierTables>)
    .selectFrom('registrations')
    .leftJoin('registration_jobs', 'registration_jobs.registration_id', 'registrations.id')
    .select(['registrations.id', 'registrations.base_url', 'registration_jobs.request'])
    .execute();
  for (const { id, base_url, request } of rows) {
    const spec_url: string | null = request === null ? null : JSON.parse(request).url;
    await db
      .updateTable('registration_versions')
      .set({ base_url, origins: JSON.stringify([new URL(base_url).origin]), spec_url })
      .where('registration_id', '=', id)
      .execute();
  }
}

interface EarlierTables {
  registrations: { id: string; base_url: string };
  registration_jobs: { registration_id: string; request: string };
}
