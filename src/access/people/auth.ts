import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../../platform/database/tables.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { PersonClient } from './person.ts';
import type { SessionCookie } from './session-cookie.ts';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
}

export interface AuthDeps {
  readonly db: Kysely<Tables>;
  readonly backend: 'embedded' | 'postgres';
  readonly secret: Secret;
  readonly baseUrl: string;
  readonly cookie: SessionCookie;
  readonly oidc: OidcSettings | undefined;
  readonly logger: Pick<Logger, 'debug'>;
  /** Whether the identity provider may create a person with this address. */
  readonly mayCreate: (email: string) => Promise<boolean>;
  /** Called when the identity provider vouches for an address, before its person is looked up. */
  readonly onProved: (person: { email: string; name: string }) => Promise<void>;
  /** Called when the identity provider has created a person. */
  readonly onCreated: (person: { id: string; email: string; name: string }) => Promise<void>;
}

export interface FoundSession {
  readonly personId: string;
  readonly sessionId: string;
  readonly cookies: readonly string[];
}

/** What the gateway uses of better-auth: sessions in cookies, and sign-in with an identity provider. */
export interface Auth {
  /** The session of a `Cookie` header, prolonged if it is due. */
  findSession(cookieHeader: string): Promise<FoundSession | undefined>;
  /** Starts a new session. Its id never comes from the request. */
  startSession(personId: string, client: PersonClient): Promise<FoundSession>;
  /** Where to send the browser to sign in with the identity provider. */
  startOidc(
    returnTo: string,
    errorAt: string,
  ): Promise<{ url: string; cookies: readonly string[] }>;
  /** Ends that sign-in: where to send the browser, and the session if it succeeded. */
  finishOidc(
    query: Readonly<Record<string, string>>,
    client: PersonClient & { cookieHeader: string | undefined },
  ): Promise<{ location: string; cookies: readonly string[]; isSignedIn: boolean }>;
}

export const OIDC_PROVIDER = 'oidc';

/** Path below which the identity provider sends the browser back: `<path>/callback/oidc`. */
export const AUTH_PATH = '/admin/api/session';

/** The page that shows why a sign-in failed (`?error=`). */
export const SIGN_IN_PAGE = '/admin/sign-in';
