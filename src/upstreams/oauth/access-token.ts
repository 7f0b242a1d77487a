import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { HiddenSecrets, RawResponse } from '../../tools/tool-connection.ts';
import type { OauthCredential } from './oauth-credential.ts';

export interface AccessToken {
  readonly value: Secret;
  /** For how long the token server promises it, in milliseconds. */
  readonly lifetimeMs: number;
  /** What a response must not repeat while this token is used. Always the same object, for which a redactor is prepared. */
  readonly hidden: HiddenSecrets;
}

/** Larger ones do not fit in the headers that servers accept. */
const MAX_CHARACTERS = 8192;
/** Characters of a token that need no quoting in a header (RFC 6750 section 2.1 allows fewer). */
const TOKEN = /^[\u0021-\u007e]+$/;

/** Used if the token server names no lifetime, and for a longer one. */
const DEFAULT_LIFETIME_S = 300;
const MAX_LIFETIME_S = 86_400;

/** Reads a successful response of a token server (RFC 6749 section 5.1). Its text never reaches a message. */
export function readAccessToken(response: RawResponse, credential: OauthCredential): AccessToken {
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
export function membersOf({ body }: RawResponse): Record<string, unknown> {
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
