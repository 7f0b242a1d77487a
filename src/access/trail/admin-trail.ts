import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newAdminEventId } from '../../platform/kernel/ids.ts';
import { type Clock, isoTime } from '../../platform/kernel/time.ts';
import type { SecurityLog } from './security-log.ts';

const DAY_MS = 86_400_000;

/** How long an entry is kept, in days. */
const KEPT_DAYS = 365;
/** Older entries that a new one deletes: a clock that is wrong for a moment deletes no more. */
const MAX_DELETED = 10;
/** Length of an entry's details as JSON, in characters. Of longer ones only the start is stored. */
export const MAX_DETAILS = 4096;

const REGISTRATION_ACTIONS = [
  'registration.created',
  'registration.changed',
  'registration.refreshed',
  'registration.deleted',
] as const;

export type RegistrationAction = (typeof REGISTRATION_ACTIONS)[number];

/** Entries of one person within 24 hours. A person must not be able to displace the entries of others, nor its own. */
export const MAX_ENTRIES_OF_PERSON = 1_000;

/** As many more of those with which a person stops the use of a stolen session, which may have made all the others. */
export const MAX_PROTECTIVE = 100;
const PROTECTIVE_ACTIONS: readonly AdminAction[] = [
  'person.password_changed',
  'person.sessions_ended',
  'app.disconnected',
];

export type AdminAction =
  | RegistrationAction
  | 'person.created'
  | 'person.renamed'
  | 'person.deleted'
  | 'person.password_changed'
  | 'person.password_reset'
  | 'person.sessions_ended'
  | 'person.operator_granted'
  | 'person.operator_revoked'
  | 'member.added'
  | 'member.changed'
  | 'member.removed'
  | 'invitation.created'
  | 'invitation.withdrawn'
  | 'invitation.restored'
  | 'tenant.created'
  | 'tenant.renamed'
  | 'key.created'
  | 'key.changed'
  | 'key.revoked'
  | 'key.rotated'
  | 'app.connected'
  | 'app.disconnected'
  | 'app.reuse_detected'
  | 'oauth_client.created'
  | 'oauth_client.deleted'
  | 'provider_key.set'
  | 'provider_key.removed'
  | 'provider_key.tested'
  | 'provider_key.applied'
  | 'provider_key.policy'
  | 'provider_key.quota'
  | 'own_key.set'
  | 'own_key.removed'
  | 'own_key.origins'
  | 'retention.swept';

/** One administrative change. */
export interface AdminEntry {
  readonly timestampMs: number;
  /** Null for a change that concerns every tenant. */
  readonly tenantId: string | null;
  /** Who made the change: `cli`, `start`, `retention`, or the id of a person or an API key. */
  readonly actor: string;
  readonly action: AdminAction;
  /** Id of the object that was changed. */
  readonly subjectId: string;
  /** Never contains an API key or another secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Appends an entry. Call it in the transaction of the change, so that neither exists without the other. Rejects with
 * `rate_limited` if the actor is a person or a key that has made too many changes.
 */
export async function appendAdminEntry(db: Kysely<Tables>, entry: AdminEntry): Promise<void> {
  const waitMs = isBounded(entry) ? await waitOf(db, entry) : 0;
  if (waitMs > 0) throw tooManyChanges(waitMs);
  await insertEntry(db, entry);
}

/** Keys have bounds of their own for registrations. */
const isBounded = ({ actor, action }: AdminEntry): boolean =>
  actor.startsWith('person_') || (actor.startsWith('key_') && !action.startsWith('registration.'));

async function insertEntry(db: Kysely<Tables>, entry: AdminEntry): Promise<void> {
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
  const oldest = db.selectFrom('admin_events').select(['id', 'timestamp_ms']).orderBy('id');
  const outdated = db
    .selectFrom(oldest.limit(MAX_DELETED).as('oldest'))
    .select('oldest.id')
    .where('oldest.timestamp_ms', '<', entry.timestampMs - KEPT_DAYS * DAY_MS);
  await db.deleteFrom('admin_events').where('id', 'in', outdated).execute();
}

/** How long a person must wait: its changes are refused rather than its entries deleted, as it could hide what it did. */
async function waitOf(
  db: Kysely<Tables>,
  { actor, action, timestampMs }: AdminEntry,
): Promise<number> {
  const more = PROTECTIVE_ACTIONS.includes(action) ? MAX_PROTECTIVE : 0;
  const oldest = await db
    .selectFrom('admin_events')
    .select('timestamp_ms')
    .where('actor', '=', actor)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(MAX_ENTRIES_OF_PERSON + more - 1)
    .executeTakeFirst();
  return oldest ? oldest.timestamp_ms + DAY_MS - timestampMs : 0;
}

const tooManyChanges = (waitMs: number): GatewayError =>
  new GatewayError(
    'rate_limited',
    `You have made ${MAX_ENTRIES_OF_PERSON} changes within 24 hours, the most the gateway allows. Continue later, or on the command line.`,
    { details: { retryAfterSeconds: Math.ceil(waitMs / 1000) } },
  );

function encodeDetails(details: AdminEntry['details']): string {
  const text = JSON.stringify(details);
  if (text.length <= MAX_DETAILS) return text;
  // Encoding it again adds a backslash to every quote.
  return JSON.stringify({ isCut: true, beginning: text.slice(0, MAX_DETAILS / 4) });
}

export interface TrailFilter {
  /** Of one tenant; without it, all entries. */
  readonly tenantId?: string | undefined;
  /** Also those that concern every tenant. */
  readonly gateway?: boolean | undefined;
  readonly action?: string | undefined;
  /** `cli`, `start`, `retention`, or the id of a person or an API key. */
  readonly actor?: string | undefined;
  /** The id of what was changed. */
  readonly subject?: string | undefined;
}

/**
 * Entries of the trail, newest first, with what people know the actor, the subject and the tenant by; null for what no longer
 * exists or is no person. `nextCursor` is null on the last page. Rejects with `unavailable` while the database is away.
 */
export async function listTrail(
  db: Kysely<Tables>,
  { tenantId, gateway = false, action, actor, subject }: TrailFilter,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
) {
  let query = db
    .selectFrom('admin_events as entry')
    .leftJoin('people_users as actor', 'actor.id', 'entry.actor')
    .leftJoin('people_users as subject', 'subject.id', 'entry.subject_id')
    .leftJoin('tenants', 'tenants.id', 'entry.tenant_id')
    .selectAll('entry')
    .select([
      'actor.email as actor_email',
      'subject.email as subject_email',
      'tenants.slug as tenant_slug',
    ])
    .orderBy('entry.id', 'desc')
    .limit(limit + 1);
  if (tenantId !== undefined) {
    query = query.where(({ eb, or }) =>
      or([
        eb('entry.tenant_id', '=', tenantId),
        ...(gateway ? [eb('entry.tenant_id', 'is', null)] : []),
      ]),
    );
  }
  if (action !== undefined) query = query.where('entry.action', '=', action);
  if (actor !== undefined) query = query.where('entry.actor', '=', actor);
  if (subject !== undefined) query = query.where('entry.subject_id', '=', subject);
  if (cursor !== undefined) query = query.where('entry.id', '<', cursor);
  const rows = await runQuery(() => query.execute());
  const entries = rows.slice(0, limit).map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    actor: row.actor,
    action: row.action,
    subjectId: row.subject_id,
    actorEmail: row.actor_email,
    subjectEmail: row.subject_email,
    tenantSlug: row.tenant_slug,
    timestamp: isoTime(row.timestamp_ms),
    details: JSON.parse(row.details) as Readonly<Record<string, unknown>>,
  }));
  return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/**
 * Records a sweep of the audit records of all tenants in the security log, then in the trail. Rejects while the database is
 * away.
 */
export async function reportSweep(
  deps: { db: Kysely<Tables>; clock: Clock; securityLog: Pick<SecurityLog, 'record'> },
  { deleted }: { readonly deleted: number },
): Promise<void> {
  deps.securityLog.record('retention_swept', { deleted });
  await appendAdminEntry(deps.db, {
    timestampMs: deps.clock.now(),
    tenantId: null,
    actor: 'retention',
    action: 'retention.swept',
    subjectId: 'audit_records',
    details: { deleted },
  });
}
