import type { ByteBudget } from '../../platform/kernel/byte-budget.ts';
import { Deadline } from '../../platform/kernel/deadline.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import { USER_AGENT } from '../../tools/request/request-encoder.ts';
import type { RawResponse } from '../../tools/tool-connection.ts';
import type { UpstreamClient } from '../client/upstream-client.ts';
import { type AccessToken, membersOf, readAccessToken } from './access-token.ts';
import type { OauthCredential } from './oauth-credential.ts';

export interface TokenRequestDeps {
  /** The guarded client. */
  readonly client: Pick<UpstreamClient, 'send'>;
  /** Throws `upstream_blocked` for an address that may not be requested. */
  readonly checkUrl: (text: string) => URL;
  readonly budget: ByteBudget;
}

/** Independent of the calls that wait for the token, each of which has its own deadline. */
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Where the credential is sent. RFC 6749 section 2.3.1 prefers the header, but some servers accept the body only. */
type Placement = 'header' | 'body';

/** Requests an access token. Throws `missing_secret` if the token server refuses the credential. */
export async function requestToken(
  deps: TokenRequestDeps,
  credential: OauthCredential,
): Promise<AccessToken> {
  const url = deps.checkUrl(credential.tokenUrl);
  const deadline = Deadline.in(TIMEOUT_MS);
  let response = await send(deps, tokenRequest(url, credential, 'header'), credential, deadline);
  if (isRefusal(response)) {
    response = await send(deps, tokenRequest(url, credential, 'body'), credential, deadline);
  }
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
  placement: Placement,
): UpstreamRequest {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope) form.set('scope', scope);
  const headers: Record<string, string> = {
    'user-agent': USER_AGENT,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (placement === 'header') {
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
