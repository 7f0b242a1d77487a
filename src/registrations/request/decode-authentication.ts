import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { isHttpToken, isReservedHeader } from '../../tools/compile/http-names.ts';
import type { UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { type FieldReader, readFields } from './field-reader.ts';
import type { Authentication, AuthScheme, CredentialField } from './registration-request.ts';
import { MAX_CREDENTIAL_LENGTH, MAX_KEY_NAME_LENGTH } from './request-bounds.ts';

/** The members of `auth` besides `type`. */
const MEMBERS = {
  none: [],
  bearer: ['token'],
  basic: ['username', 'password'],
  api_key: ['in', 'key_name', 'token'],
  oauth2_client_credentials: ['token_url', 'client_id', 'client_secret', 'scope'],
} as const satisfies Record<AuthScheme['type'], readonly string[]>;

const TYPES = Object.keys(MEMBERS) as readonly AuthScheme['type'][];

const NO_AUTHENTICATION: Authentication = { scheme: { type: 'none' }, credentials: {} };

/** Reads the member `auth` of a registration; none is `{"type": "none"}`. The credentials become secrets at once. */
export function decodeAuthentication(
  value: unknown,
  issues: ArgumentIssue[],
  policy: UrlPolicy,
): Authentication {
  if (value === undefined) return NO_AUTHENTICATION;
  if (!isObject(value)) {
    issues.push({ path: '/auth', message: 'must be an object with the member `type`.' });
    return NO_AUTHENTICATION;
  }
  const fields = readFields(value, issues, '/auth');
  const type = fields.oneOf('type', TYPES);
  if (type === undefined) {
    if (fields.value('type') === undefined) fields.note('type', 'is required.');
    return NO_AUTHENTICATION;
  }
  fields.allowOnly(['type', ...MEMBERS[type]], `auth of type ${type}`);
  return DECODERS[type](fields, policy);
}

const DECODERS: Readonly<
  Record<AuthScheme['type'], (fields: FieldReader, policy: UrlPolicy) => Authentication>
> = {
  none: () => NO_AUTHENTICATION,
  bearer: (fields) => ({
    scheme: { type: 'bearer' },
    credentials: { token: headerSecret(fields, 'token') },
  }),
  basic: (fields) => ({
    scheme: { type: 'basic' },
    // Some APIs take a key as one of the two and leave the other empty, so both are secrets and both may be empty.
    credentials: {
      username: secret(fields, 'username', {
        pattern: /^[^:]*$/,
        otherwise: 'must not contain a colon.',
        mayBeEmpty: true,
      }),
      password: secret(fields, 'password', { mayBeEmpty: true }),
    },
  }),
  api_key: decodeApiKey,
  oauth2_client_credentials: (fields, policy) => {
    return {
      scheme: {
        type: 'oauth2_client_credentials',
        tokenUrl: readTokenUrl(fields, policy),
        clientId: fields.requiredText('client_id', { maxLength: MAX_CREDENTIAL_LENGTH }),
        scope: fields.text('scope', { maxLength: MAX_CREDENTIAL_LENGTH }) ?? null,
      },
      credentials: { client_secret: secret(fields, 'client_secret') },
    };
  },
};

/** RFC 6749 section 3.2 requires TLS: every request there contains the client secret. */
function readTokenUrl(fields: FieldReader, policy: UrlPolicy): string {
  if (fields.value('token_url') === undefined) fields.note('token_url', 'is required.');
  const url = fields.url('token_url', policy) ?? '';
  if (!policy.allowPrivate && /^http:/i.test(url)) {
    fields.note('token_url', 'must start with https://: the client secret is sent there.');
  }
  return url;
}

const PLACES = ['header', 'query', 'cookie'] as const;

function decodeApiKey(fields: FieldReader): Authentication {
  const place = fields.oneOf('in', PLACES);
  if (fields.value('in') === undefined) fields.note('in', 'is required.');
  const keyName = fields.requiredText('key_name', {
    maxLength: MAX_KEY_NAME_LENGTH,
  });
  if (place !== 'query' && keyName !== '' && !isHttpToken(keyName)) {
    fields.note('key_name', 'must be a name that HTTP allows.');
  }
  if (place === 'header' && isReservedHeader(keyName)) {
    fields.note('key_name', 'must not be a header that the gateway itself sends.');
  }
  const token = place === 'query' ? secret(fields, 'token') : headerSecret(fields, 'token');
  return {
    scheme: { type: 'api_key', in: place ?? 'header', keyName },
    credentials: { token },
  };
}

type SecretRule = Omit<Parameters<FieldReader['requiredText']>[1], 'maxLength'>;

const secret = (fields: FieldReader, name: CredentialField, rule: SecretRule = {}): Secret =>
  new Secret(fields.requiredText(name, { maxLength: MAX_CREDENTIAL_LENGTH, ...rule }));

/** A secret that is sent in a header, where other characters would be altered on the way. */
const headerSecret = (fields: FieldReader, name: CredentialField): Secret =>
  secret(fields, name, {
    pattern: /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/,
    otherwise: 'must consist of ASCII characters, without spaces around them.',
  });
