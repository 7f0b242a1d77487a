import { Command } from 'commander';
import type { Kysely } from 'kysely';
import { MAX_VALUE_LENGTH } from '../../access/provider-keys/provider-key-store.ts';
import { assertKnown } from '../../access/provider-keys/provider-keys.ts';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { addKeyToFile } from '../../platform/vault/key-file.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { createVault, openVault, type Vault } from '../../platform/vault/vault.ts';
import { addOperation, type OperationRun } from '../operations/add-operation.ts';
import type { OutputOf } from '../operations/operation-runner.ts';
import { onlyHere } from '../operations/with-operations.ts';
import { count } from '../shared/output.ts';
import { printList } from '../shared/print-list.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';
import { withDatabase } from '../shared/with-database.ts';
import { PROVIDER_KEYS, type ProviderKeyTable } from './provider-key-feature.ts';

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description(
    'Manage the keys of providers, and the encryption of stored credentials.',
  );
  addProviderKeyCommands(secrets);
  addTenantKeyCommands(secrets);
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
        const vault = await openNewVault(settings, db);
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
async function openNewVault(settings: Settings, db: Kysely<Tables>): Promise<Vault> {
  if (settings.ENCRYPTION_KEY) return openVault(settings, db);
  const keys = addKeyToFile(settings.DATA_DIR);
  return createVault(() => keys);
}

/** A character has at most 4 bytes. */
const MAX_VALUE_BYTES = 4 * MAX_VALUE_LENGTH;

const NAME_OPTION = { help: 'name of the key, as shown by secrets list' };

/** Adds the commands that manage provider keys. */
function addProviderKeyCommands(secrets: Command): void {
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'GET /provider-keys',
    description: 'List the provider keys that presets name in x-secret. Values are never shown.',
    only: [],
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
    place: 'GET /provider-keys',
    name: 'readiness',
    description:
      'List the datasets of each provider key, and whether the key can be used for them, as learned from responses.',
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: listDatasets,
  });
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'POST /provider-keys/:name/applied',
    description:
      'Note that a dataset was applied for. For 72 hours, its refusals count as not activated yet.',
    example: 'PUBLIC_DATA_SERVICE_KEY 15084084',
    words: ['name', 'dataset'],
    only: [],
    members: { name: NAME_OPTION, dataset: { help: 'id, as shown by secrets readiness' } },
    run: async ({ input, send }) => {
      const { id, state } = await send();
      process.stdout.write(`Noted that ${id} was applied for with ${input.name}: ${state}.\n`);
    },
  });
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'POST /provider-keys/:name/quota',
    description:
      'Say how many requests a day the provider allows your account for a dataset, for each operation where the provider counts so. 0 returns to what the preset says. Running gateways follow within a second.',
    example: 'PUBLIC_DATA_SERVICE_KEY 15084084 100000',
    words: ['name', 'dataset', 'calls'],
    only: [],
    members: {
      name: NAME_OPTION,
      dataset: { help: 'id, as shown by secrets readiness' },
      calls: { help: 'requests a day; 0 = as the preset says' },
    },
    run: async ({ input, send }) => {
      const { id } = await send();
      const told = input.calls === 0 ? 'as the preset says' : `${input.calls} requests a day`;
      process.stdout.write(`Quota of ${input.name} for ${id}: ${told}.\n`);
    },
  });
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'DELETE /provider-keys/:name',
    description: 'Remove a stored provider key. Running gateways follow within a second.',
    example: 'PUBLIC_DATA_SERVICE_KEY',
    members: { name: NAME_OPTION },
    run: removeKey,
  });
}

/** Adds the commands for keys that tenants bring. */
function addTenantKeyCommands(secrets: Command): void {
  addOperation(secrets, PROVIDER_KEYS, {
    place: 'POST /provider-keys/:name/policy',
    description:
      'Choose whether tenants without a key of their own use that of the operator (shared), or each brings its own (own). Running gateways follow within a second.',
    example: 'PUBLIC_DATA_SERVICE_KEY own',
    words: ['name', 'policy'],
    only: [],
    members: { name: NAME_OPTION, policy: { help: 'own or shared' } },
    run: async ({ input, send }) => {
      const { policy } = await send();
      process.stdout.write(`Policy of ${input.name}: ${policy}.\n`);
    },
  });
  const own = secrets
    .command('own')
    .description(
      "Manage the provider keys of a tenant, which its calls send before the operator's.",
    );
  addOperation(own, PROVIDER_KEYS, {
    place: 'GET /tenants/:tenant/provider-keys',
    description: 'List the provider keys that calls of a tenant send. Values are never shown.',
    example: '--tenant weather',
    only: [],
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: listTenantKeys,
  });
  addOperation(own, PROVIDER_KEYS, {
    place: 'PUT /tenants/:tenant/provider-keys/:name',
    description:
      'Store a provider key of a tenant, encrypted. It is read as one line from standard input; a terminal asks and does not show it. Running gateways use it within a second.',
    example: 'PUBLIC_DATA_SERVICE_KEY --tenant weather < service-key.txt',
    access: 'create',
    only: [],
    members: { name: NAME_OPTION },
    run: setTenantKey,
  });
  addOperation(own, PROVIDER_KEYS, {
    place: 'POST /tenants/:tenant/provider-keys/:name/origins',
    description:
      'Say where APIs that a tenant registers may send its key, besides the hosts of presets that name it. Running gateways follow within a second.',
    example: 'PUBLIC_DATA_SERVICE_KEY --tenant weather --origins https://api.example.com',
    members: {
      name: NAME_OPTION,
      origins: {
        flags: '--origins <addresses>',
        help: 'all that are allowed, with commas between them; "" for none',
      },
    },
    run: async ({ input, send }) => {
      const { origins } = await send();
      process.stdout.write(`Origins of ${input.name}: ${origins.join(', ') || 'none'}.\n`);
    },
  });
  addOperation(own, PROVIDER_KEYS, {
    place: 'DELETE /tenants/:tenant/provider-keys/:name',
    description:
      "Remove a provider key of a tenant. Its calls send the operator's again, if that is shared.",
    example: 'PUBLIC_DATA_SERVICE_KEY --tenant weather',
    members: { name: NAME_OPTION },
    run: removeKey,
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

const listTenantKeys = async ({
  options,
  send,
}: KeyRun<'GET /tenants/:tenant/provider-keys'>): Promise<void> =>
  printList(
    // As `--json` prints them (docs/contract.md#command-line).
    (await send()).providerKeys.map(({ datasets: _datasets, ...key }) => key),
    options,
    ['NAME', 'OWNER', 'SET', 'POLICY', 'CHANGED', 'WAITING'],
    ({ name, owner, isSet, policy, changedAt, waiting }) => [
      ...[name, owner, isSet ? 'yes' : 'no', policy, changedAt ?? '-'],
      waiting.join(' ') || '-',
    ],
  );

async function setTenantKey({
  runner,
  input,
  send,
}: KeyRun<'PUT /tenants/:tenant/provider-keys/:name'>): Promise<void> {
  const { name, tenant } = input;
  const { providerKeys } = await runner.run('GET /tenants/:tenant/provider-keys', { tenant });
  await send({ value: await readValue(name, providerKeys) });
  process.stdout.write(`Stored ${name}.\n`);
}

async function removeKey({
  input,
  send,
}: {
  readonly input: { readonly name: string };
  readonly send: () => Promise<unknown>;
}): Promise<void> {
  await send();
  process.stdout.write(`Removed ${input.name}.\n`);
}

const listDatasets = async ({ options, send }: KeyRun<'GET /provider-keys'>): Promise<void> =>
  printList(
    (await send()).keys.flatMap(viewDatasets),
    options,
    ['NAME', 'DATASET', 'STATE', 'SINCE', 'TITLE'],
    ({ name, id, state, since, title }) => [name, id, state, since ?? '-', title],
  );

/** The datasets of a key as `--json` prints them (docs/contract.md#command-line). */
const viewDatasets = ({ name, datasets }: ListedKey) =>
  datasets.map(({ id, state, since, evidence, title, applyUrl }) => ({
    ...{ name, owner: 'operator', id, state, since, title },
    ...{ applyUrl, evidence },
  }));

function describeState({ origin, isStored }: ListedKey): string {
  if (origin === 'environment') return isStored ? 'environment (also stored)' : 'environment';
  if (origin === 'missing') return isStored ? 'stored, not needed' : 'not set';
  return origin;
}

async function setKey({ runner, input, send }: KeyRun<'POST /provider-keys/:name'>): Promise<void> {
  const { name } = input;
  const { keys } = await runner.run('GET /provider-keys', {});
  const needed = keys.filter(({ servers }) => servers.length > 0);
  const { origin } = await send({ value: await readValue(name, needed) });
  process.stdout.write(`Stored ${name}.\n`);
  if (origin === 'environment') {
    process.stderr.write(
      `${name} is also set in the environment, which wins. Unset it there and restart the gateway to use the stored value.\n`,
    );
  }
}

/** Asks for the value of a key, unless no preset needs it. */
async function readValue(
  name: string,
  needed: readonly { readonly name: string }[],
): Promise<string> {
  assertKnown(
    name,
    needed.map((key) => key.name),
  );
  const value = await readSecretLine({ label: name, maxBytes: MAX_VALUE_BYTES });
  if (value) return value;
  throw new StartupError(`Write the value of ${name} as one line to standard input.`);
}
