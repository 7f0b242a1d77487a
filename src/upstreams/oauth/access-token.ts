import type { ByteBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import { USER_AGENT } from '../../tools/request/request-encoder.ts';
import type { HiddenSecrets, RawResponse, RequestSender } from '../../tools/tool-connection.ts';

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

export interface AccessToken {
  readonly value: Secret;
  /** For how long the token server promises it, in milliseconds. */
  readonly lifetimeMs: number;
  /** What a response must not repeat while this token is used. Always the same object, for which a redactor is prepared. */
  readonly hidden: HiddenSecrets;
}

export interface TokenRequestDeps {
  /** The guarded client. */
  readonly client: RequestSender;
  /** Throws `upstream_blocked` for an address that may not be requested. */
  readonly checkUrl: (text: string) => URL;
  readonly budget: ByteBudget;
}

/** Independent of the calls that wait for the token, each of which has its own deadline. */
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Requests an access token. RFC 6749 section 2.3.1 prefers the credential in a header, but some servers accept it in the
 * body only. Throws `missing_secret` if the token server refuses it in both places.
 */
export async function requestToken(
  deps: TokenRequestDeps,
  credential: OauthCredential,
): Promise<AccessToken> {
  const url = deps.checkUrl(credential.tokenUrl);
  const deadline = Deadline.in(TIMEOUT_MS);
  const ask = (place: 'header' | 'body'): Promise<RawResponse> =>
    send(deps, tokenRequest(url, credential, place), credential, deadline);
  let response = await ask('header');
  if (isRefusal(response)) response = await ask('body');
  if (isRefusal(response)) throw refused(response);
  if (response.status !== 200) {
    throw new GatewayError(
      'upstream_unreachable',
      `The token server responded with status ${response.status}.`,
    );
  }
  return readAccessToken(response, credential);
}

const isRefusal = ({ status }: RawResponse): boolean =>
  status === 400 || status === 401 || status === 403;

async function send(
  { client, budget }: TokenRequestDeps,
  request: UpstreamRequest,
  { tenantId }: OauthCredential,
  deadline: Deadline,
): Promise<RawResponse> {
  const memory = budget.open(tenantId);
  try {
    return await client.send(request, {
      deadline,
      tenantId,
      memory,
      idempotent: true,
      maxBytes: MAX_RESPONSE_BYTES,
    });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, details, cause } = error;
    const message = `No access token could be obtained from the token server. ${error.message}`;
    throw new GatewayError(code, message, { details, cause });
  } finally {
    memory.close();
  }
}

function tokenRequest(
  { origin, pathname, search }: URL,
  { clientId, clientSecret, scope }: OauthCredential,
  place: 'header' | 'body',
): UpstreamRequest {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope) form.set('scope', scope);
  const headers: Record<string, string> = {
    'user-agent': USER_AGENT,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (place === 'header') {
    const pair = `${formEncode(clientId)}:${formEncode(clientSecret.reveal())}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret.reveal());
  }
  return {
    method: 'POST',
    origin,
    path: pathname + search,
    headers,
    body: Buffer.from(form.toString()),
    redactedUrl: origin,
  };
}

/** RFC 6749 appendix B. */
const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** The codes of RFC 6749 section 5.2. Nothing else of the response is repeated. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

function refused(response: RawResponse): GatewayError {
  const { error } = membersOf(response);
  const reason = REFUSALS.has(error) ? `${error}` : `status ${response.status}`;
  return new GatewayError(
    'missing_secret',
    `The token server refused the OAuth credential of this API (${reason}). Check token_url, client_id, client_secret and scope of its registration.`,
  );
}

/** Larger ones do not fit in the headers that servers accept. */
const MAX_CHARACTERS = 8192;
/** Characters of a token that need no quoting in a header (RFC 6750 section 2.1 allows fewer). */
const TOKEN = /^[\u0021-\u007e]+$/;

/** Used if the token server names no lifetime, and for a longer one. */
const DEFAULT_LIFETIME_S = 300;
const MAX_LIFETIME_S = 86_400;

/** Reads a successful response of a token server (RFC 6749 section 5.1). Its text never reaches a message. */
function readAccessToken(response: RawResponse, credential: OauthCredential): AccessToken {
  const { access_token: token, token_type: type, expires_in: expiresIn } = membersOf(response);
  if (typeof token !== 'string' || token === '') {
    throw unusable('has no access_token.');
  }
  if (token.length > MAX_CHARACTERS) {
    throw unusable(`has an access_token of more than ${MAX_CHARACTERS} characters.`);
  }
  if (!TOKEN.test(token)) throw unusable('has an access_token with invalid characters.');
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    throw unusable('has a token_type other than Bearer, which the gateway does not support.');
  }
  return {
    value: new Secret(token),
    lifetimeMs: lifetimeSeconds(expiresIn) * 1000,
    hidden: hiddenSecrets(token, credential),
  };
}

/** The members of a JSON object; none if the body is something else. */
function membersOf({ body }: RawResponse): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Some servers send the number as a string. */
function lifetimeSeconds(expiresIn: unknown): number {
  const isSent = typeof expiresIn === 'number' || typeof expiresIn === 'string';
  const seconds = isSent ? Number(expiresIn) : Number.NaN;
  return seconds > 0 ? Math.min(seconds, MAX_LIFETIME_S) : DEFAULT_LIFETIME_S;
}

function hiddenSecrets(token: string, { clientId, clientSecret }: OauthCredential): HiddenSecrets {
  const secret = clientSecret.reveal();
  return [
    { value: token, name: 'authorization', in: 'header', prefix: 'Bearer ' },
    { value: secret, name: 'client_secret', in: 'query', prefix: '' },
    { value: `${clientId}:${secret}`, name: 'authorization', in: 'header', prefix: 'Basic ' },
  ];
}

const unusable = (issue: string): GatewayError =>
  new GatewayError('upstream_bad_payload', `The response of the token server ${issue}`);
