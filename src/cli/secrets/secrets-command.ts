import { Command } from 'commander';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { addKeyToFile } from '../../platform/vault/key-file.ts';
import { openVault } from '../../platform/vault/open-vault.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { createVault, type Vault } from '../../platform/vault/vault.ts';
import { count } from '../shared/count.ts';
import { withDatabase } from '../shared/with-database.ts';
import { addProviderKeyCommands } from './provider-key-commands.ts';

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description(
    'Manage the keys of providers, and the encryption of stored credentials.',
  );
  addProviderKeyCommands(secrets);
  secrets
    .command('rotate')
    .description(
      'Encrypt all stored credentials with a new key: with ENCRYPTION_KEY, if it is set; otherwise with a key that is created in DATA_DIR. The gateway may keep running.',
    )
    .addHelpText('after', '\nExample: tool-gateway secrets rotate')
    .action(async () => {
      const settings = readSettings(process.env);
      assertKeyIsGiven(settings);
      await withDatabase('change', async ({ db }) => {
        const vault = openNewVault(settings);
        const rotated = await createSecretStore({ db, vault, clock: systemClock }).rotate();
        process.stdout.write(
          `Encrypted ${count(rotated, 'stored credential')} with key ${vault.keyId}.\n`,
        );
      });
    });
  return secrets;
}

/** Gateways that share a database must be given the same key. */
function assertKeyIsGiven({ ENCRYPTION_KEY, DATABASE_URL }: Settings): void {
  if (ENCRYPTION_KEY || !DATABASE_URL) return;
  throw new StartupError(
    'ENCRYPTION_KEY is not set. Set it to the new key, and ENCRYPTION_KEY_PREVIOUS to the key in use.',
  );
}

/** A vault whose first key is the new one. */
function openNewVault(settings: Settings): Vault {
  if (settings.ENCRYPTION_KEY) return openVault(settings);
  const keys = addKeyToFile(settings.DATA_DIR);
  return createVault(() => keys);
}
