import { LRUCache } from 'lru-cache';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Auth } from './auth.ts';
import type { IdentifiedSession, Person } from './person.ts';
import { cookieValue, type SessionCookie } from './session-cookie.ts';

/** Sessions that are remembered. A further one replaces the least recently used. */
export const MAX_KNOWN_SESSIONS = 1000;
/** How long. With the query before it, a change in another process takes effect within a second. */
const KNOWN_MS = 800;

export interface KnownSessionsDeps {
  readonly cookie: SessionCookie;
  readonly auth: () => Promise<Auth>;
  readonly findPerson: (id: string) => Promise<Person | undefined>;
}

type Found = IdentifiedSession | undefined;

/** Finds the person of a session cookie, and remembers it for less than a second. */
export interface KnownSessions {
  identify(cookieHeader: string | undefined): Promise<Found>;
  /** Forgets all sessions: something about people has changed in this process. */
  forget(): void;
}

export function createKnownSessions(deps: KnownSessionsDeps): KnownSessions {
  const known = new LRUCache<string, Promise<Found>>({ max: MAX_KNOWN_SESSIONS, ttl: KNOWN_MS });

  const look = async (name: string, value: string): Promise<Found> => {
    const auth = await deps.auth();
    // Only the one cookie: better-auth would also read others.
    const session = await runQuery(() => auth.findSession(`${name}=${value}`));
    const person = session && (await deps.findPerson(session.personId));
    if (!person) return undefined;
    return { person, sessionId: session.sessionId, cookies: session.cookies };
  };

  return {
    async identify(cookieHeader) {
      const { name } = deps.cookie;
      const value = cookieValue(cookieHeader, name);
      if (!value) return undefined;
      const earlier = known.get(value);
      if (earlier) return withoutCookies(await earlier);
      const looking = look(name, value);
      known.set(value, looking);
      try {
        return await looking;
      } catch (error) {
        if (known.peek(value) === looking) known.delete(value);
        throw error;
      }
    },
    forget: () => known.clear(),
  };
}

/** The browser gets a prolonged cookie once. */
const withoutCookies = (found: Found): Found =>
  found && { person: found.person, sessionId: found.sessionId };
