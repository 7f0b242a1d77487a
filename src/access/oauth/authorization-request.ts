import type { Vault } from '../../platform/vault/vault.ts';
import type { ClientIdentity, OAuthClient } from './oauth-clients.ts';
import { OAuthError } from './oauth-error.ts';
import { isRegistered } from './redirects.ts';
import { seal, unseal } from './sealed-request.ts';

/** Characters of the text that a host gets back unchanged. */
export const MAX_STATE = 2048;

/** How long a person may take to sign in and choose. */
export const REQUEST_MS = 10 * 60_000;

/** What a host asks for, once it is certain where the response goes. */
export interface AuthorizationRequest {
  readonly clientKey: string;
  readonly clientName: string;
  readonly clientIdentity: ClientIdentity;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** SHA-256 of the verifier, in base64url (RFC 7636). */
  readonly challenge: string;
  readonly expiresAtMs: number;
}

type Query = Readonly<Record<string, unknown>>;

/** Where errors may go: the address belongs to the client. */
export type ReturnTarget = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

/** A parameter that may not be repeated (RFC 6749 section 3.1). */
function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new OAuthError('invalid_request', `${name} is repeated.`);
}

/**
 * Where the response to a request goes. Throws an OAuthError that must not be sent anywhere but shown: until this is certain,
 * a redirect would make the gateway lead people to any address.
 */
export function readReturnTarget(query: Query, client: OAuthClient): ReturnTarget {
  const redirectUri = single(query, 'redirect_uri');
  if (redirectUri === undefined || !isRegistered(client.redirectUris, redirectUri)) {
    throw new OAuthError(
      'invalid_request',
      'redirect_uri is missing, or is not an address that the client has registered.',
    );
  }
  const state = single(query, 'state');
  if (state !== undefined && state.length > MAX_STATE) {
    throw new OAuthError('invalid_request', `state has more than ${MAX_STATE} characters.`);
  }
  return { redirectUri, state };
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The rest of a request. Throws an OAuthError that the client gets at its redirect address. */
export function readRequest(
  query: Query,
  client: OAuthClient,
  target: ReturnTarget,
  options: { readonly isOwnResource: (resource: string) => boolean; readonly nowMs: number },
): AuthorizationRequest {
  if (single(query, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  }
  const challenge = single(query, 'code_challenge') ?? '';
  if (single(query, 'code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge)) {
    throw new OAuthError(
      'invalid_request',
      'code_challenge with code_challenge_method=S256 is required (RFC 7636).',
    );
  }
  assertResources(query['resource'], options.isOwnResource);
  if (single(query, 'prompt')?.split(' ').includes('none')) {
    throw new OAuthError('interaction_required', 'A person must choose, each time.');
  }
  return {
    clientKey: client.key,
    clientName: client.name,
    clientIdentity: client.identity,
    ...target,
    challenge,
    expiresAtMs: options.nowMs + REQUEST_MS,
  };
}

/** Throws `invalid_target` unless every named resource is this gateway (RFC 8707 section 2). */
export function assertResources(value: unknown, isOwnResource: (resource: string) => boolean) {
  const resources = value === undefined || value === '' ? [] : [value].flat();
  if (resources.every((each) => typeof each === 'string' && isOwnResource(each))) return;
  throw new OAuthError('invalid_target', 'resource is not an address of this gateway.');
}

const sealOf = (id: string) => ({ subjectId: id, field: 'authorization' });

/** The request as text for one consent page. */
export const sealRequest = (
  vault: Pick<Vault, 'encrypt'>,
  id: string,
  request: AuthorizationRequest,
): string => seal(vault, sealOf(id), request);

/** Undefined for text that was not sealed for this page. */
export const unsealRequest = (
  vault: Pick<Vault, 'decrypt'>,
  id: string,
  sealed: string,
): AuthorizationRequest | undefined => unseal(vault, sealOf(id), sealed);

/** The address that a response goes to (RFC 6749 section 4.1.2, RFC 9207). */
export function responseAddress(
  { redirectUri, state }: ReturnTarget,
  issuer: string,
  result: { readonly code: string } | OAuthError,
): string {
  const url = new URL(redirectUri);
  const members =
    result instanceof OAuthError
      ? { error: result.oauthCode, error_description: result.message }
      : { code: result.code };
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  url.searchParams.set('iss', issuer);
  return url.href;
}
