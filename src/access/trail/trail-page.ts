import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { AdminEvent } from './admin-trail.ts';

export interface TrailFilter {
  /** Of one tenant; without it, all entries. */
  readonly tenantId?: string | undefined;
  readonly action?: string | undefined;
  /** `cli`, `start`, `retention`, or the id of a person or an API key. */
  readonly actor?: string | undefined;
}

/** An entry with what people know its actor, subject and tenant by; null for what no longer exists or is no person. */
export interface TrailEntry extends AdminEvent {
  readonly actorEmail: string | null;
  readonly subjectEmail: string | null;
  readonly tenantSlug: string | null;
}

export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Continues after the oldest entry of this page; null on the last page. */
  readonly nextCursor: string | null;
}

/** Entries of the trail, newest first. Rejects with `unavailable` while the database is away. */
export async function listTrail(
  db: Kysely<Tables>,
  { tenantId, action, actor }: TrailFilter,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<TrailPage> {
  let query = db
    .selectFrom('admin_events as entry')
    .leftJoin('people_users as actor', 'actor.id', 'entry.actor')
    .leftJoin('people_users as subject', 'subject.id', 'entry.subject_id')
    .leftJoin('tenants', 'tenants.id', 'entry.tenant_id')
    .selectAll('entry')
    .select(({ fn }) => [
      fn.coalesce('actor.claimed_email', 'actor.email').as('actor_email'),
      fn.coalesce('subject.claimed_email', 'subject.email').as('subject_email'),
      'tenants.slug as tenant_slug',
    ])
    .orderBy('entry.id', 'desc')
    .limit(limit + 1);
  if (tenantId !== undefined) query = query.where('entry.tenant_id', '=', tenantId);
  if (action !== undefined) query = query.where('entry.action', '=', action);
  if (actor !== undefined) query = query.where('entry.actor', '=', actor);
  if (cursor !== undefined) query = query.where('entry.id', '<', cursor);
  const rows = await runQuery(() => query.execute());
  const entries = rows.slice(0, limit).map((row) => ({
    id: row.id,
    timestampMs: row.timestamp_ms,
    tenantId: row.tenant_id,
    actor: row.actor,
    action: row.action,
    subjectId: row.subject_id,
    details: JSON.parse(row.details) as unknown,
    actorEmail: row.actor_email,
    subjectEmail: row.subject_email,
    tenantSlug: row.tenant_slug,
  }));
  return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}
