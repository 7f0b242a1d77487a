import type { Secret } from '../../platform/kernel/secret.ts';

/** One version of the OAuth client credentials of a registration (RFC 6749 section 4.4). */
export interface OauthCredential {
  /** Unique over all registrations, and different after every change of the credential. */
  readonly version: string;
  readonly tenantId: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope: string | null;
}
