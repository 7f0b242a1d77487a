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

/** The options that a version of a registration is compiled with. */
export interface VersionOptions {
  /** In place of `servers[0]` of the description. */
  readonly baseUrl: string | null;
  /** Null = all operations. */
  readonly include: readonly OperationFilter[] | null;
  readonly exclude: readonly OperationFilter[];
}

/** What a tenant says about its API besides the description. Stored with the registration. */
export interface RegistrationOptions extends VersionOptions {
  readonly visibility: Visibility;
  readonly category: string | null;
  readonly description: string | null;
}

/** Where the description is, or the description itself: one of the two. */
export interface DescriptionSource {
  readonly descriptionUrl: string | null;
  readonly document: Uint8Array | null;
}

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

/** A valid request to refresh a registration. */
export interface RefreshRequest {
  /** With neither, the description is fetched again from its address. */
  readonly source: DescriptionSource;
  readonly isDryRun: boolean;
  /** Origins to which the credential may be sent. */
  readonly confirmedOrigins: readonly string[];
}

/** What a tenant may change of a registration. Null removes a text. */
export interface RegistrationPatch {
  readonly name?: string;
  readonly authentication?: Authentication;
  readonly visibility?: Visibility;
  readonly category?: string | null;
  readonly description?: string | null;
  /** Texts by the name of the tool as it is listed; null returns to the text of the description. */
  readonly descriptions?: ReadonlyMap<string, string | null>;
  /** Null = all operations. To select other operations, the description is compiled again. */
  readonly include?: readonly OperationFilter[] | null;
  readonly exclude?: readonly OperationFilter[];
}

/** A change for which nothing is compiled. */
export type StoredPatch = RegistrationPatch & {
  readonly include?: never;
  readonly exclude?: never;
};

export const isStoredPatch = (patch: RegistrationPatch): patch is StoredPatch =>
  patch.include === undefined && patch.exclude === undefined;
