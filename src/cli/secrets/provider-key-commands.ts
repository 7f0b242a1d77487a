import type { Command } from 'commander';
import { createProviderKeySource } from '../../access/provider-keys/provider-key-source.ts';
import {
  createProviderKeyStore,
  MAX_VALUE_LENGTH,
} from '../../access/provider-keys/provider-key-store.ts';
import {
  assertKnown,
  openProviderKeys,
  type ProviderKeyState,
  type ProviderKeys,
} from '../../access/provider-keys/provider-keys.ts';
import { keyNamesOf, serversOf } from '../../calls/provider-keys/key-users.ts';
import { readSettings, secretsFromEnvironment } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { isoTimeOrNull } from '../../platform/kernel/iso-time.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { openVault } from '../../platform/vault/open-vault.ts';
import { decodeProviderKey } from '../../public-data/service-key.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { jsonLines } from '../shared/json-lines.ts';
import type { JsonOption } from '../shared/json-option.ts';
import { loadPresetCatalog } from '../shared/preset-catalog.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';
import { formatTable } from '../shared/table.ts';
import { type DatabaseAccess, withDatabase } from '../shared/with-database.ts';

/** A character has at most 4 bytes. */
const MAX_VALUE_BYTES = 4 * MAX_VALUE_LENGTH;

/** Adds `secrets list`, `secrets set` and `secrets remove`. */
export function addProviderKeyCommands(secrets: Command): void {
  secrets
    .command('list')
    .description('List the provider keys that presets name in x-secret. Values are never shown.')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway secrets list')
    .action(listKeys);
  secrets
    .command('set')
    .description(
      'Store a provider key, encrypted. It is read as one line from standard input; a terminal asks and does not show it. Running gateways use it within a second, unless their environment has a value.',
    )
    .argument('<name>', 'name that presets give in x-secret, such as PUBLIC_DATA_SERVICE_KEY')
    .addHelpText(
      'after',
      '\nExample: tool-gateway secrets set PUBLIC_DATA_SERVICE_KEY < service-key.txt',
    )
    .action(setKey);
  secrets
    .command('remove')
    .description('Remove a stored provider key. Running gateways follow within a second.')
    .argument('<name>', 'name of the key, as shown by secrets list')
    .addHelpText('after', '\nExample: tool-gateway secrets remove PUBLIC_DATA_SERVICE_KEY')
    .action(removeKey);
}

async function listKeys({ json }: JsonOption): Promise<void> {
  await withProviderKeys('read', async (keys, catalog) => {
    const views = (await keys.list()).map((state) => viewState(state, catalog));
    process.stdout.write(
      json
        ? jsonLines(views)
        : formatTable(
            ['NAME', 'STATE', 'TOOLS', 'CHANGED', 'BY'],
            views.map(({ name, state, tools, changedAt, changedBy }) => [
              name,
              state,
              String(tools),
              changedAt ?? '-',
              changedBy ?? '-',
            ]),
          ),
    );
  });
}

/** A provider key as `--json` prints it (docs/contract.md#command-line). */
const viewState = (state: ProviderKeyState, catalog: Catalog) => ({
  name: state.name,
  state: describeState(state),
  tools: serversOf(catalog, state.name).flatMap(({ tools }) => tools).length,
  changedAt: isoTimeOrNull(state.changedAtMs),
  changedBy: state.changedByEmail ?? state.changedBy ?? null,
});

function describeState({ origin, isStored }: ProviderKeyState): string {
  if (origin === 'environment') return isStored ? 'environment (also stored)' : 'environment';
  if (origin === 'missing') return isStored ? 'stored, not needed' : 'not set';
  return origin;
}

async function setKey(name: string): Promise<void> {
  await withProviderKeys('create', async (keys, catalog) => {
    // Before the value is asked for.
    assertKnown(name, keyNamesOf(catalog));
    const value = await readSecretLine({ label: name, maxBytes: MAX_VALUE_BYTES });
    if (!value) throw new StartupError(`Write the value of ${name} as one line to standard input.`);
    const { origin } = await keys.set(name, new Secret(value), 'cli');
    process.stdout.write(`Stored ${name}.\n`);
    if (origin === 'environment') {
      process.stderr.write(
        `${name} is also set in the environment, which wins. Unset it there and restart the gateway to use the stored value.\n`,
      );
    }
  });
}

async function removeKey(name: string): Promise<void> {
  await withProviderKeys('change', async (keys) => {
    await keys.remove(name, 'cli');
    process.stdout.write(`Removed ${name}.\n`);
  });
}

async function withProviderKeys(
  access: DatabaseAccess,
  use: (keys: ProviderKeys, catalog: Catalog) => Promise<void>,
): Promise<void> {
  const settings = readSettings(process.env);
  const catalog = await loadPresetCatalog(settings);
  await withDatabase(access, async ({ db }) => {
    const keys = await openProviderKeys({
      store: createProviderKeyStore({ db, vault: openVault(settings), clock: systemClock }),
      source: createProviderKeySource({
        names: keyNamesOf(catalog),
        environment: secretsFromEnvironment(process.env),
        decode: decodeProviderKey,
      }),
      pollMs: 60_000,
      onChanged: () => undefined,
      onUnreadable: () => undefined,
    });
    try {
      await use(keys, catalog);
    } finally {
      await keys.close();
    }
  });
}
