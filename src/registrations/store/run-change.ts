import { appendAdminEntry, type RegistrationAction } from '../../access/trail/admin-trail.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import { raiseVersion, touchLayer } from './layers.ts';
import {
  findRegistration,
  type RegistrationKey,
  type RegistrationRecord,
  selectRegistrations,
  toRegistration,
} from './registration-record.ts';
import { inTransaction, type StoreDeps } from './store-deps.ts';
import { setColumns } from './versions.ts';

/**
 * Runs one change in a transaction, with its entry in the trail, and resolves with the registration after it, or before its
 * deletion. `apply` returns undefined if it changed nothing. Rejects with `not_found`.
 */
export const runChange = <Deps extends StoreDeps>(
  deps: Deps,
  key: RegistrationKey,
  apply: (inside: Deps, current: RegistrationRecord) => Promise<ChangeEntry | undefined>,
): Promise<RegistrationRecord> =>
  inTransaction(deps, async (inside) => {
    const layersVersion = await raiseVersion(inside.db);
    const before = await findRegistration(inside.db, key);
    const entry = await apply(inside, before);
    if (!entry) return before;
    await appendEntry(inside, before, entry);
    await touchLayer(inside.db, layersVersion, before.tenantId);
    return (await raiseRevision(inside, before)) ?? before;
  });

/** Undefined if the registration was deleted. */
async function raiseRevision({ db, clock }: StoreDeps, { id, revision }: RegistrationRecord) {
  await setColumns(db, id, { revision: revision + 1, updated_at_ms: clock.now() });
  const row = await selectRegistrations(db).where('registrations.id', '=', id).executeTakeFirst();
  return row && toRegistration(row);
}

/** What the administrative trail says about a change. Never a credential, nor an address, which may contain one. */
export interface ChangeEntry {
  readonly action: RegistrationAction;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Appends an entry about a registration. Call it in the transaction of the change. */
export const appendEntry = (
  { db, clock, actor = 'unknown' }: StoreDeps,
  { id: subjectId, tenantId }: { readonly id: string; readonly tenantId: string },
  entry: ChangeEntry,
): Promise<void> =>
  appendAdminEntry(db, { timestampMs: clock.now(), tenantId, actor, subjectId, ...entry });

/** Entries of the trail that are shown of one registration. */
const MAX_HISTORY = 20;

export type HistoryEntry = Awaited<ReturnType<typeof readHistory>>[number];

/** The latest changes of a registration, newest first. */
export async function readHistory({ db }: Pick<StoreDeps, 'db'>, tenantId: string, id: string) {
  const rows = await runQuery(() =>
    db
      .selectFrom('admin_events')
      .select(['timestamp_ms as timestampMs', 'actor', 'action', 'details'])
      .where('tenant_id', '=', tenantId)
      .where('subject_id', '=', id)
      .orderBy('id', 'desc')
      .limit(MAX_HISTORY)
      .execute(),
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as unknown }));
}
