import { appendAdminEntry, type RegistrationAction } from '../../access/trail/admin-trail.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { StoreDeps } from './store-deps.ts';

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
