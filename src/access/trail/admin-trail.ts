import type { Kysely, Selectable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AdminEventsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newAdminEventId } from '../../platform/kernel/ids.ts';

/** Entries that are stored. Beyond these, the oldest are deleted. */
export const MAX_ENTRIES = 100_000;
/** Length of an entry's details as JSON, in characters. Of longer ones only the start is stored. */
export const MAX_DETAILS = 4096;

/**
 * Entries about a tenant's registrations that are stored. Beyond these, its oldest are deleted: a tenant writes them with
 * every change, and must not displace the entries of others.
 */
export const MAX_REGISTRATION_ENTRIES = 1_000;

const REGISTRATION_ACTIONS = [
  'registration.created',
  'registration.changed',
  'registration.refreshed',
  'registration.approved',
  'registration.rejected',
  'registration.deleted',
] as const;

export type RegistrationAction = (typeof REGISTRATION_ACTIONS)[number];

/** Entries of one person within 24 hours. A person must not be able to displace the entries of others, nor its own. */
export const MAX_ENTRIES_OF_PERSON = 1_000;

const DAY_MS = 86_400_000;

/** With these, a person stops the use of a stolen session, which may have made all the changes that the person may make. */
const PROTECTIVE_ACTIONS: readonly AdminAction[] = [
  'person.password_changed',
  'person.sessions_ended',
];

export type PeopleAction =
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
  | 'invitation.withdrawn';

export type AdminAction =
  | RegistrationAction
  | PeopleAction
  | 'tenant.created'
  | 'tenant.renamed'
  | 'key.created'
  | 'key.changed'
  | 'key.revoked'
  | 'provider_key.set'
  | 'provider_key.removed'
  | 'provider_key.tested'
  | 'key.rotated'
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

export interface AdminEvent extends Omit<AdminEntry, 'action' | 'details'> {
  readonly id: string;
  readonly action: string;
  readonly details: unknown;
}

/**
 * Appends an entry. Call it in the transaction of the change, so that neither exists without the other. Rejects with
 * `rate_limited` if the actor is a person that has made too many changes.
 */
export async function appendAdminEntry(db: Kysely<Tables>, entry: AdminEntry): Promise<void> {
  const waitMs = entry.actor.startsWith('person_') ? await waitOf(db, entry) : 0;
  if (waitMs <= 0) return insertEntry(db, entry);
  if (!PROTECTIVE_ACTIONS.includes(entry.action)) throw tooManyChanges(waitMs);
  const repeated = await deletePrevious(db, entry);
  return insertEntry(db, { ...entry, details: { ...entry.details, repeated } });
}

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
  if (isRegistrationAction(entry.action)) await deleteRegistrationEntries(db, entry.tenantId);
}

/** How long a person must wait: its changes are refused rather than its entries deleted, as it could hide what it did. */
async function waitOf(db: Kysely<Tables>, { actor, timestampMs }: AdminEntry): Promise<number> {
  const oldest = await db
    .selectFrom('admin_events')
    .select('timestamp_ms')
    .where('actor', '=', actor)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(MAX_ENTRIES_OF_PERSON - 1)
    .executeTakeFirst();
  return oldest ? oldest.timestamp_ms + DAY_MS - timestampMs : 0;
}

const tooManyChanges = (waitMs: number): GatewayError =>
  new GatewayError(
    'rate_limited',
    `You have made ${MAX_ENTRIES_OF_PERSON} changes within 24 hours, the most the gateway allows. Continue later, or on the command line.`,
    { details: { retryAfterSeconds: Math.ceil(waitMs / 1000) } },
  );

/** Deletes the newest entry of this kind, which the next one replaces. Returns how many entries that one then replaces. */
async function deletePrevious(db: Kysely<Tables>, { actor, action }: AdminEntry): Promise<number> {
  const previous = await db
    .selectFrom('admin_events')
    .select(['id', 'details'])
    .where('actor', '=', actor)
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!previous) return 0;
  await db.deleteFrom('admin_events').where('id', '=', previous.id).execute();
  return ((JSON.parse(previous.details) as { repeated?: number }).repeated ?? 0) + 1;
}

const isRegistrationAction = (action: AdminAction): boolean =>
  REGISTRATION_ACTIONS.some((each) => each === action);

async function deleteRegistrationEntries(
  db: Kysely<Tables>,
  tenantId: string | null,
): Promise<void> {
  await db
    .deleteFrom('admin_events')
    .where('tenant_id', '=', tenantId)
    .where('action', 'in', REGISTRATION_ACTIONS)
    .where('id', '<', (query) =>
      query
        .selectFrom('admin_events')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('action', 'in', REGISTRATION_ACTIONS)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(MAX_REGISTRATION_ENTRIES - 1),
    )
    .execute();
}

/** Entries, newest first: those of one tenant and those that concern every tenant, or all. */
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
  // Encoding it again adds a backslash to every quote.
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
