import type { Secret } from '../../platform/kernel/secret.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import type { ChosenExtension } from '../../tools/proposal.ts';
import type { About, AboutChange } from './registration-input.ts';

/** How the gateway authenticates at a registered API, without the credentials themselves. */
export type AuthScheme =
  | { readonly type: 'none' | 'bearer' | 'basic' }
  | {
      readonly type: 'api_key';
      readonly in: 'header' | 'query' | 'cookie';
      readonly keyName: string;
    }
  /** The key of a provider that the tenant has stored for presets, sent where `x-credential` says. */
  | { readonly type: 'provider_key'; readonly name: string }
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

/** The options that a description is compiled with. */
export interface VersionOptions {
  /** In place of `servers[0]` of the description. */
  readonly baseUrl: string | null;
  /** Null = all operations. */
  readonly include: readonly OperationFilter[] | null;
  readonly exclude: readonly OperationFilter[];
  /** What the tenant has chosen beside the description; absent without any. */
  readonly extensions?: readonly ChosenExtension[];
}

/** What a tenant says about its API besides the description. Stored with the registration. */
export interface RegistrationOptions extends VersionOptions {
  readonly about: About;
}

/** Where the description is, or the description itself: one of the two. */
export interface DescriptionSource {
  readonly descriptionUrl: string | null;
  readonly document: Uint8Array | null;
  /** The proposal that has the description; absent without one. */
  readonly proposalId?: string;
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
  readonly about?: AboutChange;
  /** Texts by the name of the tool as it is listed; null returns to the text of the description. */
  readonly descriptions?: ReadonlyMap<string, string | null>;
  /** Null = all operations. To select other operations, the description is compiled again. */
  readonly include?: readonly OperationFilter[] | null;
  readonly exclude?: readonly OperationFilter[];
  readonly extensions?: readonly ChosenExtension[];
}

/** A change for which nothing is compiled. */
export type StoredPatch = RegistrationPatch & {
  readonly include?: never;
  readonly exclude?: never;
  readonly extensions?: never;
};

export const isStoredPatch = (patch: RegistrationPatch): patch is StoredPatch =>
  patch.include === undefined && patch.exclude === undefined && patch.extensions === undefined;

/** What a person pasted: the number or the address of a dataset, the address of a description, or a document. */
export type PastedSource = { readonly text: string } | { readonly document: Uint8Array };

/** A valid request to test an operation of a proposal. */
export interface ProposalTest {
  /** `GET /path`. */
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** In place of the server of the description. */
  readonly baseUrl: string | null;
  readonly authentication: Authentication;
  /** In place of what is proposed. */
  readonly extensions: readonly ChosenExtension[] | undefined;
}

interface OriginChoice {
  /** From where the description was fetched; null if the tenant has sent it. */
  readonly descriptionUrl: string | null;
  readonly scheme: AuthScheme;
  readonly options: Pick<RegistrationOptions, 'baseUrl'>;
}

/** Whether a description that the tenant has not sent says where the credential goes. */
export const mayChooseOrigin = <Api extends OriginChoice>(
  api: Api,
): api is Api & { readonly descriptionUrl: string } =>
  api.scheme.type !== 'none' && api.descriptionUrl !== null && api.options.baseUrl === null;
