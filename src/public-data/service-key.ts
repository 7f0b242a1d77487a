import { Secret } from '../platform/kernel/secret.ts';

/** Name of the secret that gives access to the datasets of data.go.kr. */
export const SERVICE_KEY = 'PUBLIC_DATA_SERVICE_KEY';

const ESCAPED_ASCII = /%([0-7][0-9a-f])/gi;

/**
 * The portal's service key in its decoded form, whichever of its two forms the operator configured: it is then encoded
 * exactly once for the request (docs/contract.md#public-data-middleware). Call this when the secret is read, not for
 * every tool call. A decoded key is base64 or hexadecimal and contains no percent sign, so a `%` that does not start an
 * escape is left unchanged.
 */
export function decodeServiceKey(secret: Secret): Secret {
  const decoded = secret
    .reveal()
    .trim()
    .replace(ESCAPED_ASCII, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return new Secret(decoded);
}

/** A provider key in the form in which it is sent. */
export const decodeProviderKey = (name: string, value: Secret): Secret =>
  name === SERVICE_KEY ? decodeServiceKey(value) : value;
