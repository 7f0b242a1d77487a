import { timingSafeEqual } from 'node:crypto';
import { decodeJwt, errors } from 'jose';
import type { Clock } from '../../platform/kernel/time.ts';
import { digestOf } from '../keys/api-key-record.ts';
import type { KeySets } from './key-sets.ts';
import type { OAuthClient } from './oauth-clients.ts';
import { OAuthError } from './oauth-error.ts';

/** Members of a form, each of them once. */
export type Form = ReadonlyMap<string, string>;

export interface ClientAuthenticationDeps {
  /** Rejects with `invalid_client`. */
  readonly findClient: (id: string) => Promise<OAuthClient>;
  readonly keySets: KeySets;
  readonly clock: Clock;
  /** For whom assertions are: the issuer and its address for tokens. */
  readonly audiences: () => string[];
  /** Remembers an assertion until it expires; false if it was shown before. */
  readonly rememberAssertion: (digest: string, expiresAtMs: number) => Promise<boolean>;
}

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** How far ahead an assertion may expire: it is remembered until then. */
const MAX_ASSERTION_MS = 10 * 60_000;
const MAX_ASSERTION = 8192;

/**
 * Who asks for tokens: by an assertion (RFC 7523 section 2.2), by a secret in the header or in the form (RFC 6749 section
 * 2.3.1), or by its id alone if it has no secret. Rejects with `invalid_client`.
 */
export async function authenticateClient(
  deps: ClientAuthenticationDeps,
  form: Form,
  authorization: string | undefined,
): Promise<OAuthClient> {
  const basic = basicOf(authorization);
  const assertion = assertionIn(form);
  const shown = basic?.id ?? form.get('client_id');
  const id = shown ?? (assertion === undefined ? '' : subjectOf(assertion));
  if (form.has('client_id') && form.get('client_id') !== id) throw notAuthenticated();
  const client = await deps.findClient(id);
  if (assertion !== undefined && client.methods.includes('private_key_jwt')) {
    await checkAssertion(deps, id, client, assertion);
    return client;
  }
  if (client.methods.includes('none')) return client;
  if (client.secretDigest !== undefined) {
    checkSecret(client.secretDigest, basic?.secret ?? form.get('client_secret') ?? '');
    return client;
  }
  throw notAuthenticated();
}

const notAuthenticated = (): OAuthError =>
  new OAuthError(
    'invalid_client',
    'The client did not prove who it is: its secret or assertion is missing or wrong.',
  );

function checkSecret(digest: string, secret: string): void {
  const [expected, actual] = [Buffer.from(digest), Buffer.from(digestOf(secret))];
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw notAuthenticated();
  }
}

/** Both parts are percent-encoded as in a form. */
function basicOf(header: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const decode = (part: string): string => new URLSearchParams(`v=${part}`).get('v') ?? '';
  return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
}

function assertionIn(form: Form): string | undefined {
  const assertion = form.get('client_assertion');
  if (assertion === undefined) return undefined;
  if (form.get('client_assertion_type') === JWT_BEARER && assertion.length <= MAX_ASSERTION) {
    return assertion;
  }
  throw notAuthenticated();
}

function subjectOf(assertion: string): string {
  try {
    return decodeJwt(assertion).sub ?? '';
  } catch {
    throw notAuthenticated();
  }
}

async function checkAssertion(
  { keySets, clock, audiences, rememberAssertion }: ClientAuthenticationDeps,
  id: string,
  { keysUri }: OAuthClient,
  assertion: string,
): Promise<void> {
  if (!keysUri) throw notAuthenticated();
  const expected = { issuer: id, subject: id, audience: audiences() };
  const { payload } = await keySets.verify(assertion, keysUri, expected).catch((error: unknown) => {
    throw error instanceof errors.JOSEError ? notAuthenticated() : error;
  });
  const { exp = 0, jti } = payload;
  const expiresAtMs = exp * 1000;
  if (typeof jti !== 'string' || expiresAtMs > clock.now() + MAX_ASSERTION_MS) {
    throw notAuthenticated();
  }
  if (!(await rememberAssertion(digestOf(JSON.stringify([id, jti])), expiresAtMs))) {
    throw notAuthenticated();
  }
}
