import { Command } from 'commander';
import { MAX_VALUE_LENGTH } from '../../access/provider-keys/provider-key-store.ts';
import { assertKnown } from '../../access/provider-keys/provider-keys.ts';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { addKeyToFile } from '../../platform/vault/key-file.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { createVault, openVault, type Vault } from '../../platform/vault/vault.ts';
import { addOperation, type OperationRun } from '../operations/add-operation.ts';
import type { OutputOf } from '../operations/operation-runner.ts';
import { onlyHere } from '../operations/with-operations.ts';
import { count } from '../shared/count.ts';
import { printList } from '../shared/print-list.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';
import { withDatabase } from '../shared/with-database.ts';
import { PROVIDER_KEYS, type ProviderKeyTable } from './provider-key-feature.ts';

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
  return onlyHere(secrets);
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

/** A character has at most 4 bytes. */
const MAX_VALUE_BYTES = 4 * MAX_VALUE_LENGTH;

/** Adds `secrets list`, `secrets set` and `secrets remove`. */
function addProviderKeyCommands(secrets: Command): void {
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'GET /provider-keys',
    description: 'List the provider keys that presets name in x-secret. Values are never shown.',
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: listKeys,
  });
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'POST /provider-keys/:name',
    description:
      'Store a provider key, encrypted. It is read as one line from standard input; a terminal asks and does not show it. Running gateways use it within a second, unless their environment has a value.',
    example: 'PUBLIC_DATA_SERVICE_KEY < service-key.txt',
    access: 'create',
    only: [],
    members: {
      name: { help: 'name that presets give in x-secret, such as PUBLIC_DATA_SERVICE_KEY' },
    },
    run: setKey,
  });
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'DELETE /provider-keys/:name',
    description: 'Remove a stored provider key. Running gateways follow within a second.',
    example: 'PUBLIC_DATA_SERVICE_KEY',
    members: { name: { help: 'name of the key, as shown by secrets list' } },
    run: async ({ input, send }) => {
      await send();
      process.stdout.write(`Removed ${input.name}.\n`);
    },
  });
}

type KeyRun<P extends keyof ProviderKeyTable> = OperationRun<ProviderKeyTable, P>;

const listKeys = async ({ options, send }: KeyRun<'GET /provider-keys'>): Promise<void> =>
  printList(
    (await send()).keys.map(viewState),
    options,
    ['NAME', 'STATE', 'TOOLS', 'CHANGED', 'BY'],
    ({ name, state, tools, changedAt, changedBy }) => [
      ...[name, state, String(tools), changedAt ?? '-', changedBy ?? '-'],
    ],
  );

type ListedKey = OutputOf<ProviderKeyTable, 'GET /provider-keys'>['keys'][number];

/** A provider key as `--json` prints it (docs/contract.md#command-line). */
const viewState = (key: ListedKey) => ({
  name: key.name,
  state: describeState(key),
  tools: key.servers.flatMap(({ tools }) => tools).length,
  changedAt: key.changedAt,
  changedBy: key.changedByEmail ?? key.changedBy,
});

function describeState({ origin, isStored }: ListedKey): string {
  if (origin === 'environment') return isStored ? 'environment (also stored)' : 'environment';
  if (origin === 'missing') return isStored ? 'stored, not needed' : 'not set';
  return origin;
}

async function setKey({ runner, input, send }: KeyRun<'POST /provider-keys/:name'>): Promise<void> {
  const { name } = input;
  // Before the value is asked for.
  const { keys } = await runner.run('GET /provider-keys', {});
  const needed = keys.filter(({ servers }) => servers.length > 0);
  assertKnown(
    name,
    needed.map((key) => key.name),
  );
  const value = await readSecretLine({ label: name, maxBytes: MAX_VALUE_BYTES });
  if (!value) throw new StartupError(`Write the value of ${name} as one line to standard input.`);
  const { origin } = await send({ value });
  process.stdout.write(`Stored ${name}.\n`);
  if (origin === 'environment') {
    process.stderr.write(
      `${name} is also set in the environment, which wins. Unset it there and restart the gateway to use the stored value.\n`,
    );
  }
}
