import type { Kysely, Selectable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AdminEventsTable, Tables } from '../../platform/database/tables.ts';
import { newAdminEventId } from '../../platform/kernel/ids.ts';

/** Entries that are kept; the oldest make room. */
export const MAX_ENTRIES = 100_000;
/** Length of an entry's details as JSON, in characters; of longer ones the beginning is kept. */
export const MAX_DETAILS = 4096;

export type AdminAction =
  | 'tenant.created'
  | 'key.created'
  | 'key.changed'
  | 'key.revoked'
  | 'retention.swept';

/** One administrative change. */
export interface AdminEntry {
  readonly timestampMs: number;
  /** Null for what concerns every tenant. */
  readonly tenantId: string | null;
  /** Who did it: `cli`, `start`, `retention`. */
  readonly actor: string;
  readonly action: AdminAction;
  /** Id of what was changed. */
  readonly subjectId: string;
  /** Never with a key or another secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AdminEvent extends Omit<AdminEntry, 'action' | 'details'> {
  readonly id: string;
  readonly action: string;
  readonly details: unknown;
}

/** Appends an entry; in the transaction of the change itself, neither is ever without the other. */
export async function appendAdminEntry(db: Kysely<Tables>, entry: AdminEntry): Promise<void> {
  await db
    .insertInto('admin_events')
    .values({
      id: newAdminEventId(),
      timestamp_ms: entry.timestampMs,
      tenant_id: entry.tenantId,
      actor: entry.actor,
      action: entry.action,
      subject_id: entry.subjectId,
      details: encodeDetails(entry.details),
    })
    .execute();
  await db
    .deleteFrom('admin_events')
    .where('id', '<', (query) =>
      query
        .selectFrom('admin_events')
        .select('id')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(MAX_ENTRIES - 1),
    )
    .execute();
}

/** The newest entries first, of one tenant with those that concern every tenant, or of all. */
export function listAdminEvents(
  db: Kysely<Tables>,
  { tenantId, limit }: { readonly tenantId?: string | undefined; readonly limit: number },
): Promise<readonly AdminEvent[]> {
  const newest = db.selectFrom('admin_events').selectAll().orderBy('id', 'desc').limit(limit);
  return runQuery(async () => {
    const rows = await (tenantId === undefined
      ? newest
      : newest.where(({ or, eb }) =>
          or([eb('tenant_id', '=', tenantId), eb('tenant_id', 'is', null)]),
        )
    ).execute();
    return rows.map(toEvent);
  });
}

function encodeDetails(details: AdminEntry['details']): string {
  const text = JSON.stringify(details);
  if (text.length <= MAX_DETAILS) return text;
  // Encoding the beginning again adds a backslash to every quote.
  return JSON.stringify({ isCut: true, beginning: text.slice(0, MAX_DETAILS / 4) });
}

const toEvent = (row: Selectable<AdminEventsTable>): AdminEvent => ({
  id: row.id,
  timestampMs: row.timestamp_ms,
  tenantId: row.tenant_id,
  actor: row.actor,
  action: row.action,
  subjectId: row.subject_id,
  details: JSON.parse(row.details),
});
