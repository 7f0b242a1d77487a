import { newClientSecret } from '../../platform/kernel/ids.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { digestOf } from '../keys/api-key-record.ts';
import { OAuthError } from './oauth-error.ts';
import { checkRedirect } from './redirects.ts';
import { seal, unseal } from './sealed-request.ts';

export const MAX_REDIRECTS = 10;
/** Characters of a name, as people see it. */
export const MAX_CLIENT_NAME = 60;
/** Characters of a client id: it is in the address of every request for access. */
export const MAX_CLIENT_ID = 4000;

/** `client_secret_basic` and `client_secret_post` differ only in where hosts send the secret, and some confuse them. */
const REGISTERED_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
type RegisteredMethod = (typeof REGISTERED_METHODS)[number];

/** How a client proves who it is when it asks for tokens. */
export type Method = RegisteredMethod | 'private_key_jwt';

/** Who vouches for the name of a client: only itself, the site that publishes a document about it, or the operator. */
export type ClientIdentity =
  | { readonly kind: 'unverified' | 'operator' }
  | { readonly kind: 'verified'; readonly host: string };

/** A program that people connect. */
export interface OAuthClient {
  /** What grants remember of its id, which may be as long as a registration. */
  readonly key: string;
  /** What it calls itself. */
  readonly name: string;
  readonly identity: ClientIdentity;
  readonly redirectUris: readonly string[];
  readonly methods: readonly Method[];
  /** SHA-256 of its secret, in hex; undefined without one. */
  readonly secretDigest: string | undefined;
  /** Where it publishes its keys, with the method `private_key_jwt`. */
  readonly keysUri?: string | undefined;
  /** What its site publishes about it, as JSON: kept with a grant, in case the site does not respond later. */
  readonly document?: string;
}

/** What the gateway answers to a registration (RFC 7591 section 3.2.1). */
export interface RegisteredClient {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: RegisteredMethod;
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
}

const CLIENT = { subjectId: 'oauth', field: 'client' };
const PREFIX = 'tgc_';

/** What a client id holds. */
interface Sealed {
  readonly name: string;
  readonly redirects: readonly string[];
  readonly method: RegisteredMethod;
  readonly secret?: string;
}

/**
 * Registers a client without storing anything: its id is the sealed registration (RFC 7591 section 5 allows it), so that a
 * flood of registrations leaves nothing, and hosts never meet a registration that was deleted. Members that hosts send and the
 * gateway does not have, such as scopes and other grants, are dropped. Throws an OAuthError.
 */
export function registerClient(
  vault: Pick<Vault, 'encrypt'>,
  body: Readonly<Record<string, unknown>>,
  nowMs: number,
): RegisteredClient {
  const redirects = redirectsIn(body['redirect_uris']);
  // RFC 7591 section 2: without a method, it is `client_secret_basic`.
  const method = methodOf(body['token_endpoint_auth_method'] ?? 'client_secret_basic');
  const name = cleanName(body['client_name']) ?? new URL(redirects[0] ?? '').host;
  const secret = method === 'none' ? undefined : newClientSecret();
  const sealed: Sealed = {
    name,
    redirects,
    method,
    ...(secret !== undefined && { secret: digestOf(secret) }),
  };
  const id = `${PREFIX}${seal(vault, CLIENT, sealed)}`;
  if (id.length > MAX_CLIENT_ID) {
    throw new OAuthError(
      'invalid_client_metadata',
      'The redirect addresses are too long together.',
    );
  }
  return {
    client_id: id,
    client_id_issued_at: Math.floor(nowMs / 1000),
    client_name: name,
    redirect_uris: redirects,
    token_endpoint_auth_method: method,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
  };
}

/** Throws `invalid_redirect_uri`. */
export function redirectsIn(value: unknown): readonly string[] {
  const redirects = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  if (redirects.length === 0 || redirects.length > MAX_REDIRECTS) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris is a list of 1 to ${MAX_REDIRECTS} addresses.`,
    );
  }
  return redirects.map(checkRedirect);
}

function methodOf(value: unknown): RegisteredMethod {
  const method = REGISTERED_METHODS.find((each) => each === value);
  if (method) return method;
  throw new OAuthError(
    'invalid_client_metadata',
    `token_endpoint_auth_method is one of ${REGISTERED_METHODS.join(', ')}.`,
  );
}

/** Control and bidirectional characters could make a name look like another one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name that is safe to show, of at most `MAX_CLIENT_NAME` characters; undefined if nothing is left of it. */
export function cleanName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.slice(0, 1000).replaceAll(HIDDEN, '').trim();
  return [...name].slice(0, MAX_CLIENT_NAME).join('') || undefined;
}

/** The client that registered itself and got this id. Throws `invalid_client`. */
export function openClient(vault: Pick<Vault, 'decrypt'>, id: string): OAuthClient {
  const isSealed = id.length <= MAX_CLIENT_ID && id.startsWith(PREFIX);
  const sealed = isSealed ? unseal<Sealed>(vault, CLIENT, id.slice(PREFIX.length)) : undefined;
  if (!sealed) throw unknownClient();
  return {
    key: digestOf(id),
    name: sealed.name,
    identity: { kind: 'unverified' },
    redirectUris: sealed.redirects,
    methods: [sealed.method],
    secretDigest: sealed.secret,
  };
}

export const unknownClient = (): OAuthError =>
  new OAuthError(
    'invalid_client',
    'The client is not registered with this gateway. Register it again.',
  );
