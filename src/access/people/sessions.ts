import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { changePeople, type PeopleDeps } from './change-people.ts';
import type { IdentifiedSession, Identity } from './person.ts';

/** How the cookie of a session is named and sent. */
export interface SessionCookie {
  readonly name: string;
  readonly isSecure: boolean;
}

/** Over https, the prefix makes browsers refuse the cookie from another host, path or scheme. */
export function sessionCookieFor(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  return { name: `${isSecure ? '__Host-' : ''}tool_gateway_session`, isSecure };
}

/** The value of the first cookie with this name in a `Cookie` header, still encoded. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** A `Set-Cookie` value that removes the session from the browser. */
export const expiredCookie = ({ name, isSecure }: SessionCookie): string =>
  `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** Sessions that are remembered. A further one replaces the least recently used. */
const MAX_KNOWN_SESSIONS = 1000;
/** How long. With the query before it, a change in another process takes effect within a second. */
const KNOWN_MS = 800;

type KnownSession = IdentifiedSession | undefined;

/** Finds the person of a session cookie, and remembers it for less than a second. `look` gets no other cookie. */
export function createKnownSessions(
  { name }: SessionCookie,
  look: (cookieHeader: string) => Promise<KnownSession>,
) {
  const known = new LRUCache<string, Promise<KnownSession>>({
    max: MAX_KNOWN_SESSIONS,
    ttl: KNOWN_MS,
  });
  return {
    async identify(cookieHeader: string | undefined): Promise<KnownSession> {
      const value = cookieValue(cookieHeader, name);
      if (!value) return undefined;
      const earlier = known.get(value);
      if (earlier) return withoutCookies(await earlier);
      const looking = look(`${name}=${value}`);
      known.set(value, looking);
      try {
        return await looking;
      } catch (error) {
        if (known.peek(value) === looking) known.delete(value);
        throw error;
      }
    },
    /** Forgets all sessions: something about people has changed in this process. */
    forget: () => known.clear(),
  };
}

/** The browser gets a prolonged cookie once. */
const withoutCookies = (found: KnownSession): KnownSession =>
  found && { person: found.person, sessionId: found.sessionId };

/** Sessions of one person. A further one ends the oldest. */
export const MAX_SESSIONS = 50;

const toMs = (time: string | Date): number => new Date(time).getTime();

/** The sessions of a person that have not expired, newest first; at most `MAX_SESSIONS`. */
export async function listSessions({ db, clock }: PeopleDeps, { person }: Identity) {
  const rows = await runQuery(() =>
    newestSessions(db, person.id)
      .select(['ip_address', 'user_agent', 'created_at', 'updated_at', 'expires_at'])
      .where('expires_at', '>', new Date(clock.now()).toISOString())
      .execute(),
  );
  return rows.map((row) => ({
    id: row.id,
    clientIp: row.ip_address,
    userAgent: row.user_agent,
    createdAtMs: toMs(row.created_at),
    /** When it was last prolonged: at most a day before it was last used. */
    usedAtMs: toMs(row.updated_at),
    expiresAtMs: toMs(row.expires_at),
  }));
}

const newestSessions = (db: Kysely<Tables>, personId: string) =>
  db
    .selectFrom('people_sessions')
    .select('id')
    .where('user_id', '=', personId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SESSIONS);

/** Deletes the sessions of a person beyond the newest `MAX_SESSIONS`. */
export async function trimSessions(db: Kysely<Tables>, personId: string): Promise<void> {
  await db
    .deleteFrom('people_sessions')
    .where('user_id', '=', personId)
    .where('id', 'not in', newestSessions(db, personId))
    .execute();
}

/** Deletes the sessions of a person, except one, and returns how many that were. */
export async function deleteSessions(
  db: Kysely<Tables>,
  personId: string,
  exceptId = '',
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('people_sessions')
    .where('user_id', '=', personId)
    .where('id', '!=', exceptId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Ends one session of a person. Rejects with `not_found` for a session of another person. */
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
    await append(person.id, 'person.sessions_ended', person.id, { details: { ended: 1 } });
  });
}

/** Ends all sessions of a person except the asking one, and returns how many. */
export function endOtherSessions(
  deps: PeopleDeps,
  { person, sessionId }: Identity,
): Promise<number> {
  return changePeople(deps, async ({ db, append }) => {
    const ended = await deleteSessions(db, person.id, sessionId);
    if (ended > 0) {
      await append(person.id, 'person.sessions_ended', person.id, { details: { ended } });
    }
    return ended;
  });
}
