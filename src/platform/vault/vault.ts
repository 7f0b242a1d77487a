import { GatewayError } from '../kernel/error.ts';
import type { Secret } from '../kernel/secret.ts';
import { decrypt, encrypt, keyIdOf, type SecretOwner } from './cipher.ts';
import type { EncryptionKey } from './encryption-key.ts';

/** Encrypts secrets at rest. */
export interface Vault {
  /** Id of the key that encrypts; null without one. */
  readonly keyId: string | null;
  /** Throws GatewayError `unavailable` without a key. */
  encrypt(secret: Secret, owner: SecretOwner): string;
  /** Throws GatewayError `missing_secret` if no key of the vault decrypts the value for this owner. */
  decrypt(encrypted: string, owner: SecretOwner): Secret;
}

const NO_KEY =
  'This gateway cannot store credentials: ENCRYPTION_KEY is not set. The operator must set it to the output of "openssl rand -base64 32", the same on every gateway, and restart them.';
const UNREADABLE =
  'A stored credential cannot be decrypted with ENCRYPTION_KEY. The operator must restore the key.';

/**
 * The first key encrypts; all of them decrypt. The keys are loaded again when a value names an unknown one, so that they
 * can be rotated while the gateway runs.
 */
export function createVault(loadKeys: () => readonly EncryptionKey[]): Vault {
  let keys = loadKeys();
  const find = (id: string) => keys.find((key) => key.id === id);
  return {
    get keyId() {
      return keys[0]?.id ?? null;
    },
    encrypt: (secret, owner) => {
      const [current] = keys;
      if (!current) throw new GatewayError('unavailable', NO_KEY);
      return encrypt(current, secret, owner);
    },
    decrypt: (encrypted, owner) => {
      const id = keyIdOf(encrypted) ?? '';
      if (!find(id)) keys = loadKeys();
      const key = find(id);
      if (!key) throw new GatewayError('missing_secret', UNREADABLE);
      try {
        return decrypt(key, encrypted, owner);
      } catch (cause) {
        throw new GatewayError('missing_secret', UNREADABLE, { cause });
      }
    },
  };
}
