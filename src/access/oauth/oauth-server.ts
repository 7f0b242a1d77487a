import { GatewayError } from '../../platform/kernel/error.ts';
import { newConnectionId } from '../../platform/kernel/ids.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import {
  type AuthorizationRequest,
  assertResources,
  readRequest,
  readReturnTarget,
  responseAddress,
  sealRequest,
  unsealRequest,
} from './authorization-request.ts';
import { authenticateClient, type Form } from './client-authentication.ts';
import { createClientDocuments, isKnownDocument } from './client-documents.ts';
import { createGrants, type GrantChoice, type GrantsDeps, type Tokens } from './grants.ts';
import { createKeySets, type FetchJson } from './key-sets.ts';
import type { OAuthAddresses } from './oauth-addresses.ts';
import { type OAuthClient, openClient, registerClient, unknownClient } from './oauth-clients.ts';
import { OAuthError } from './oauth-error.ts';
import { findCreatedClient } from './operations.ts';
import { MAX_SEALED } from './sealed-request.ts';

/** Which clients may ask: all, those that operators created or whose site is known, or only the former. */
export type ClientPolicy = 'any' | 'known' | 'off';

export interface OAuthServerDeps extends GrantsDeps {
  readonly vault: Vault;
  readonly addresses: OAuthAddresses;
  readonly policy: ClientPolicy;
  /** Undefined if clients may not be known by a document. */
  readonly fetchJson: FetchJson | undefined;
}

/** What a person chose on the consent page. */
export type Consent = Pick<
  GrantChoice,
  'personId' | 'tenantId' | 'role' | 'allowedTools' | 'dailyLimit' | 'expiresAtMs'
>;

/** The authorization server (docs/decisions/0025-sign-in-from-hosts.md), loaded with the first request of a host. */
export type OAuthServer = ReturnType<typeof createOAuthServer>;

export function createOAuthServer(deps: OAuthServerDeps) {
  const { vault, clock, addresses, policy } = deps;
  const { isOwnResource, issuer } = addresses;
  const grants = createGrants(deps);
  const findClient = createFindClient(deps, grants.lastDocument);
  const authenticate = authenticateClient.bind(null, {
    findClient,
    keySets: createKeySets({ fetchJson: deps.fetchJson ?? noDocuments, clock }),
    clock,
    audiences: () => [issuer(), `${issuer()}/token`],
    rememberAssertion: grants.rememberAssertion,
  });
  const open = (id: string, sealed: string) => openLiving(vault, clock.now(), id, sealed);
  const respond = (request: AuthorizationRequest, result: { code: string } | OAuthError): string =>
    responseAddress(request, issuer(), result);

  return {
    /** RFC 7591. Throws an OAuthError. */
    register: (body: Readonly<Record<string, unknown>>) => {
      if (policy === 'any') return registerClient(vault, body, clock.now());
      throw new OAuthError('access_denied', 'This gateway takes no registrations.');
    },
    /**
     * A request for access as the page for a person, or an error and the address that it is for. Rejects with an OAuthError
     * that must be shown, because it is not certain where an error may go.
     */
    authorize: async (query: Readonly<Record<string, unknown>>) => {
      const client = await findClient(singleText(query['client_id']));
      const target = readReturnTarget(query, client);
      try {
        const request = readRequest(query, client, target, { isOwnResource, nowMs: clock.now() });
        const id = newConnectionId();
        const sealed = sealRequest(vault, id, request);
        // Control characters take six times their length.
        if (sealed.length <= MAX_SEALED) return { id, sealed };
        throw new OAuthError('invalid_request', 'The request is too long.');
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        const location = responseAddress(target, issuer(), error);
        return { error, location, isSentOn: isVouchedFor(client) };
      }
    },
    /** RFC 6749 sections 4.1.3 and 6. The client is authenticated before its code is taken. Rejects with an OAuthError. */
    token: async (form: Form, authorization: string | undefined): Promise<Tokens> => {
      const { key: clientKey } = await authenticate(form, authorization);
      assertResources(form.get('resource'), isOwnResource);
      const text = (name: string): string => form.get(name) ?? '';
      switch (form.get('grant_type')) {
        case 'authorization_code':
          return grants.redeem({
            code: text('code'),
            verifier: text('code_verifier'),
            redirectUri: text('redirect_uri'),
            clientKey,
          });
        case 'refresh_token':
          return grants.refresh(text('refresh_token'), clientKey);
        default:
          throw new OAuthError(
            'unsupported_grant_type',
            'grant_type is authorization_code or refresh_token.',
          );
      }
    },
    /** RFC 7009. Rejects with an OAuthError. */
    revoke: async (form: Form, authorization: string | undefined): Promise<void> => {
      const { key } = await authenticate(form, authorization);
      await grants.revoke(form.get('token') ?? '', key);
    },
    request: open,
    /** Where the browser goes once a person has allowed the request. Rejects with `conflict` if it was answered before. */
    allow: async (id: string, sealed: string, consent: Consent): Promise<string> => {
      const request = open(id, sealed);
      const { clientKey, clientName, redirectUri, challenge } = request;
      const ofClient = { clientKey, clientName, redirectUri, challenge };
      const clientDocument = await documentOf(findClient, request);
      const choice = { ...consent, ...ofClient, clientDocument, requestId: id };
      return respond(request, { code: await grants.issueCode(choice) });
    },
    /** Where the browser goes once a person has refused the request. */
    deny: (id: string, sealed: string): string =>
      respond(open(id, sealed), new OAuthError('access_denied', 'The person refused.')),
  };
}

/**
 * Whether the operator or the gateway itself knows the client, so that errors go to it without a person. Every stranger
 * can register a client or publish a document, and the gateway would lead people wherever it says (RFC 9700 section 4.11.2).
 */
const isVouchedFor = ({ key, identity }: OAuthClient): boolean =>
  identity.kind === 'operator' || (identity.kind === 'verified' && isKnownDocument(key));

const singleText = (value: unknown): string => (typeof value === 'string' ? value : '');

const noDocuments: FetchJson = () => Promise.reject(unknownClient());

type FindClient = (id: string) => Promise<OAuthClient>;

/** Finds a client by its id: a document, one that an operator created, or one that registered itself. */
function createFindClient(
  { vault, db, clock, policy, fetchJson }: OAuthServerDeps,
  lastGood: (id: string) => Promise<string | undefined>,
): FindClient {
  const byDocument = fetchJson && createClientDocuments({ fetchJson, clock, lastGood });
  return async (id) => {
    const created = id.startsWith('oac_') ? await findCreatedClient(db, id) : undefined;
    if (created) return created;
    const isKnown = policy === 'any' || (policy === 'known' && isKnownDocument(id));
    if (byDocument && isKnown && id.startsWith('https://')) return byDocument(id);
    if (policy === 'any') return openClient(vault, id);
    throw unknownClient();
  };
}

/** The document of the client that a person has just seen, which is remembered for an hour. */
const documentOf = async (
  findClient: FindClient,
  { clientKey, clientIdentity }: AuthorizationRequest,
): Promise<string | undefined> =>
  clientIdentity.kind === 'verified' ? (await findClient(clientKey)).document : undefined;

/** The request of a consent page. Throws `not_found` once it has expired, or for text of another page. */
function openLiving(vault: Vault, nowMs: number, id: string, sealed: string): AuthorizationRequest {
  const request = unsealRequest(vault, id, sealed);
  if (request && request.expiresAtMs > nowMs) return request;
  throw new GatewayError(
    'not_found',
    'This request has expired, or was made in another browser. Return to the program, and connect it again.',
  );
}
