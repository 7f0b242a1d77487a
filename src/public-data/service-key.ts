import type { SecretSource } from '../platform/config/settings.ts';
import { Secret } from '../platform/kernel/secret.ts';

const SERVICE_KEY = 'PUBLIC_DATA_SERVICE_KEY';

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

/** Secrets by name, with the portal's service key in its decoded form; decoded once for each value. */
export function withDecodedServiceKey(secrets: SecretSource): SecretSource {
  const decoded = new WeakMap<Secret, Secret>();
  return (name) => {
    const secret = secrets(name);
    if (!secret || name !== SERVICE_KEY) return secret;
    const known = decoded.get(secret);
    if (known) return known;
    const fresh = decodeServiceKey(secret);
    decoded.set(secret, fresh);
    return fresh;
  };
}
