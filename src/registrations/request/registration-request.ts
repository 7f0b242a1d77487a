import type { Secret } from '../../platform/kernel/secret.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';

/** How the gateway authenticates at a registered API, without the credentials themselves. */
export type AuthScheme =
  | { readonly type: 'none' | 'bearer' | 'basic' }
  | {
      readonly type: 'api_key';
      readonly in: 'header' | 'query' | 'cookie';
      readonly keyName: string;
    }
  | {
      readonly type: 'oauth2_client_credentials';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly scope: string | null;
    };

export type CredentialField = 'token' | 'username' | 'password' | 'client_secret';

export type Credentials = Readonly<Partial<Record<CredentialField, Secret>>>;

export interface Authentication {
  readonly scheme: AuthScheme;
  readonly credentials: Credentials;
}

export type Visibility = 'private' | 'public';

/** What a tenant says about its API besides the description. Stored with the registration. */
export interface RegistrationOptions {
  readonly visibility: Visibility;
  readonly category: string | null;
  readonly description: string | null;
  /** In place of `servers[0]` of the description. */
  readonly baseUrl: string | null;
  /** Null = all operations. */
  readonly include: readonly OperationFilter[] | null;
  readonly exclude: readonly OperationFilter[];
}

/** The description itself, or where it is. */
export type DescriptionSource = { readonly url: string } | { readonly document: Uint8Array };

/** A valid request to register an API (docs/contract.md#registration). */
export interface RegistrationRequest {
  readonly name: string;
  readonly source: DescriptionSource;
  readonly authentication: Authentication;
  readonly options: RegistrationOptions;
  /** Origins to which the credential may be sent. */
  readonly confirmedOrigins: readonly string[];
  readonly isDryRun: boolean;
}
