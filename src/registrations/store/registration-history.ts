import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** Entries of the trail that are shown of one registration. */
export const MAX_HISTORY = 20;

/** A change of a registration, as the trail has it. */
export interface HistoryEntry {
  readonly timestampMs: number;
  readonly actor: string;
  readonly action: string;
  readonly details: unknown;
}

/** The latest changes of a registration, newest first. */
export async function readHistory(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<readonly HistoryEntry[]> {
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
