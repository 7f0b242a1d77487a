import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { changePeople, type PeopleDeps } from './change-people.ts';
import type { Identity } from './person.ts';

/** Sessions of one person. A further one ends the oldest. */
export const MAX_SESSIONS = 50;

export interface PersonSession {
  readonly id: string;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
  readonly createdAtMs: number;
  /** When it was last prolonged: at most a day before it was last used. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
}

const toMs = (time: string | Date): number => new Date(time).getTime();

/** The sessions of a person that have not expired, newest first; at most `MAX_SESSIONS`. */
export async function listSessions(
  { db, clock }: PeopleDeps,
  personId: string,
): Promise<readonly PersonSession[]> {
  const rows = await runQuery(() =>
    db
      .selectFrom('people_sessions')
      .select(['id', 'ip_address', 'user_agent', 'created_at', 'updated_at', 'expires_at'])
      .where('user_id', '=', personId)
      .where('expires_at', '>', new Date(clock.now()).toISOString())
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_SESSIONS)
      .execute(),
  );
  return rows.map((row) => ({
    id: row.id,
    clientIp: row.ip_address,
    userAgent: row.user_agent,
    createdAtMs: toMs(row.created_at),
    usedAtMs: toMs(row.updated_at),
    expiresAtMs: toMs(row.expires_at),
  }));
}

/** Deletes the sessions of a person beyond the newest `MAX_SESSIONS`. */
export async function trimSessions(db: Kysely<Tables>, personId: string): Promise<void> {
  await db
    .deleteFrom('people_sessions')
    .where('user_id', '=', personId)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('people_sessions')
        .select('id')
        .where('user_id', '=', personId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_SESSIONS),
    )
    .execute();
}

/** Deletes the sessions of a person, except one, and returns how many that were. */
export async function deleteSessions(
  db: Kysely<Tables>,
  personId: string,
  exceptId?: string,
): Promise<number> {
  const all = db.deleteFrom('people_sessions').where('user_id', '=', personId);
  const { numDeletedRows } = await (exceptId === undefined
    ? all
    : all.where('id', '!=', exceptId)
  ).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Ends one session of a person. Rejects with `not_found` for that of another person. */
export function endSession(deps: PeopleDeps, { person }: Identity, id: string): Promise<void> {
  return changePeople(deps, async ({ db, append }) => {
    const { numDeletedRows } = await db
      .deleteFrom('people_sessions')
      .where('id', '=', id)
      .where('user_id', '=', person.id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) {
      throw new GatewayError('not_found', 'This session does not exist or has ended already.');
    }
    await append({
      tenantId: null,
      actor: person.id,
      action: 'person.sessions_ended',
      subjectId: person.id,
      details: { ended: 1 },
    });
  });
}

/** Ends all sessions of a person but the one that asks, and returns how many that were. */
export function endOtherSessions(
  deps: PeopleDeps,
  { person, sessionId }: Identity,
): Promise<number> {
  return changePeople(deps, async ({ db, append }) => {
    const ended = await deleteSessions(db, person.id, sessionId);
    if (ended === 0) return 0;
    await append({
      tenantId: null,
      actor: person.id,
      action: 'person.sessions_ended',
      subjectId: person.id,
      details: { ended },
    });
    return ended;
  });
}
