import { Secret } from '../kernel/secret.ts';

const ESCAPED_ASCII = /%([0-7][0-9a-f])/gi;

/**
 * The portal's service key in its decoded form, whichever of its two forms the operator configured, so that
 * encoding it once for the wire is right (docs/contract.md#public-data-middleware). Meant for the moment a secret is
 * read, not for every call. A decoded key is base64 or hexadecimal and has no percent sign, so a `%` that
 * begins no escape is kept as it is.
 */
export function decodeServiceKey(secret: Secret): Secret {
  const decoded = secret
    .reveal()
    .trim()
    .replace(ESCAPED_ASCII, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return new Secret(decoded);
}
