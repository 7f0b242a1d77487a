import type { Secret } from '../kernel/secret.ts';
import { readEncryptionKey } from './encryption-key.ts';
import { openKeyFile } from './key-file.ts';
import { createVault, type Vault } from './vault.ts';

export interface VaultSettings {
  readonly ENCRYPTION_KEY: Secret | undefined;
  readonly ENCRYPTION_KEY_PREVIOUS: readonly Secret[];
  readonly DATABASE_URL: Secret | undefined;
  readonly DATA_DIR: string;
}

/**
 * The vault with the keys of the settings. An embedded gateway keeps a key in DATA_DIR if none is set; gateways that
 * share a PostgreSQL server must be given one, since each would create its own. Throws StartupError.
 */
export function openVault(settings: VaultSettings): Vault {
  const { ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS, DATABASE_URL, DATA_DIR } = settings;
  if (ENCRYPTION_KEY) {
    const keys = [ENCRYPTION_KEY, ...ENCRYPTION_KEY_PREVIOUS].map(readEncryptionKey);
    return createVault(() => keys);
  }
  return createVault(() => (DATABASE_URL ? [] : openKeyFile(DATA_DIR)));
}
