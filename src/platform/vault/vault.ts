import type { Kysely } from 'kysely';
import type { Settings } from '../config/settings.ts';
import type { Tables } from '../database/tables.ts';
import { GatewayError } from '../kernel/error.ts';
import type { Secret } from '../kernel/secret.ts';
import {
  decrypt,
  type EncryptionKey,
  encrypt,
  keyIdOf,
  readEncryptionKey,
  type SecretOwner,
} from './cipher.ts';
import { openKeyFile } from './key-file.ts';

const NO_KEY =
  'This gateway cannot store credentials: ENCRYPTION_KEY is not set. The operator must set it to the output of "openssl rand -base64 32", the same on every gateway, and restart them.';
const UNREADABLE =
  'A stored credential cannot be decrypted with ENCRYPTION_KEY. The operator must restore the key.';

export type Vault = ReturnType<typeof createVault>;

/**
 * Encrypts secrets at rest. The first key encrypts; all of them decrypt. The keys are loaded again when a value names an unknown one, so that they
 * can be rotated while the gateway runs.
 */
export function createVault(loadKeys: () => readonly EncryptionKey[]) {
  let keys = loadKeys();
  const find = (id: string) => keys.find((key) => key.id === id);
  return {
    /** Id of the key that encrypts; null without one. */
    get keyId(): string | null {
      return keys[0]?.id ?? null;
    },
    /** Throws GatewayError `unavailable` without a key. */
    encrypt: (secret: Secret, owner: SecretOwner): string => {
      const [current] = keys;
      if (!current) throw new GatewayError('unavailable', NO_KEY);
      return encrypt(current, secret, owner);
    },
    /** Throws GatewayError `missing_secret` if no key of the vault decrypts the value for this owner. */
    decrypt: (encrypted: string, owner: SecretOwner): Secret => {
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

/**
 * The vault with the keys of the settings. An embedded gateway keeps a key in DATA_DIR if none is set; gateways that
 * share a PostgreSQL server must be given one, since each would create its own. Rejects with StartupError, also if the
 * file with the key of this database is lost.
 */
export async function openVault(
  settings: Pick<
    Settings,
    'ENCRYPTION_KEY' | 'ENCRYPTION_KEY_PREVIOUS' | 'DATABASE_URL' | 'DATA_DIR'
  >,
  db: Kysely<Tables>,
): Promise<Vault> {
  const { ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS, DATABASE_URL, DATA_DIR } = settings;
  if (ENCRYPTION_KEY) {
    const keys = [ENCRYPTION_KEY, ...ENCRYPTION_KEY_PREVIOUS].map(readEncryptionKey);
    return createVault(() => keys);
  }
  if (DATABASE_URL) return createVault(() => []);
  let hasSecrets = (await db.selectFrom('secrets').select('key_id').limit(1).execute()).length > 0;
  return createVault(() => {
    const keys = openKeyFile(DATA_DIR, { hasSecrets });
    hasSecrets = true;
    return keys;
  });
}
