import { Command } from 'commander';
import type { Kysely } from 'kysely';
import { openKeyDatasets } from '../../access/provider-keys/key-datasets.ts';
import { createProviderKeySource } from '../../access/provider-keys/provider-key-source.ts';
import {
  createProviderKeyStore,
  MAX_VALUE_LENGTH,
  openFingerprints,
} from '../../access/provider-keys/provider-key-store.ts';
import { assertKnown, openProviderKeys } from '../../access/provider-keys/provider-keys.ts';
import { createKeyOf } from '../../calls/provider-keys/connections.ts';
import { keyNamesOf } from '../../calls/provider-keys/key-users.ts';
import { createOperatorKeys } from '../../calls/provider-keys/observe-key.ts';
import {
  createProviderKeyOperations,
  type ProviderKeyOperationsDeps,
} from '../../calls/provider-keys/operations.ts';
import { createMaySend } from '../../calls/provider-keys/tool-readiness.ts';
import { createBuckets } from '../../calls/quotas/quota-bucket.ts';
import { createQuotaStore } from '../../calls/quotas/quota-store.ts';
import {
  readSettings,
  type Settings,
  secretsFromEnvironment,
} from '../../platform/config/settings.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { addKeyToFile } from '../../platform/vault/key-file.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { createVault, openVault, type Vault } from '../../platform/vault/vault.ts';
import { decodeProviderKey } from '../../public-data/service-key.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { readKeyOrigins } from '../../registrations/store/registration-record.ts';
import { addList, addOperation } from '../operations/add-operation.ts';
import type { Feature, LocalContext, OutputOf } from '../operations/operation-runner.ts';
import { count } from '../shared/output.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';
import { loadPresetCatalog } from '../shared/tool-source.ts';
import { withDatabase } from '../shared/with-database.ts';

type ProviderKeyTable = ReturnType<typeof createProviderKeyOperations>;

/** The keys of providers that the presets on this machine name, or the presets of a gateway. */
const PROVIDER_KEYS: Feature<ProviderKeyTable> = {
  declared: createProviderKeyOperations({} as ProviderKeyOperationsDeps),
  open: async (context) => createProviderKeyOperations(await openParts(context)),
};

async function openParts({ database, settings, parts }: LocalContext) {
  const { db } = database;
  const vault = await openVault(settings, db);
  const catalog = await loadPresetCatalog(settings);
  const fingerprint = await openFingerprints(db);
  const source = createProviderKeySource({
    names: keyNamesOf(catalog),
    environment: secretsFromEnvironment(process.env),
    decode: decodeProviderKey,
  });
  const providerKeys = await openProviderKeys({
    store: createProviderKeyStore({ db, vault, clock }),
    ...{ source, fingerprint, pollMs: POLL_MS },
    onUnreadable: () => undefined,
  });
  parts.push(providerKeys);
  const keyDatasets = await openKeyDatasets({
    ...{ db, clock, pollMs: POLL_MS },
    onChanged: () => undefined,
  });
  parts.push(keyDatasets);
  const keyInUse = createOperatorKeys(source.secretOf, fingerprint);
  const { read } = createQuotaStore({ database, clock });
  const quotas = { bucketOf: createBuckets(providerKeys.quotaOf), read };
  return {
    ...{ providerKeys, catalog, keyDatasets, keyInUse, quotas },
    keyOf: createKeyOf(keyInUse, providerKeys),
    maySend: createMaySend(catalog, PUBLIC_DATA_TOOLS.families),
    keyOrigins: (tenantId: string) => readKeyOrigins(db, tenantId),
  };
}

/** A command ends before it has to poll. */
const POLL_MS = 60_000;

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
        const rotated = await createSecretStore({ db, vault, clock }).rotate();
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
async function openNewVault(settings: Settings, db: Kysely<Tables>): Promise<Vault> {
  if (settings.ENCRYPTION_KEY) return openVault(settings, db);
  const keys = addKeyToFile(settings.DATA_DIR);
  return createVault(() => keys);
}

/** Adds the commands that manage provider keys. */
function addProviderKeyCommands(secrets: Command): void {
  addList(secrets, PROVIDER_KEYS, {
    operation: 'GET /provider-keys',
    rows: (output) => output.keys,
    columns: {
      NAME: ({ name }) => name,
      STATE: describeState,
      TOOLS: ({ servers }) => String(servers.flatMap(({ tools }) => tools).length),
      CHANGED: ({ changedAt }) => changedAt ?? '-',
      BY: ({ changedByEmail, changedBy }) => changedByEmail ?? changedBy ?? '-',
    },
  });
  addOperation(secrets, PROVIDER_KEYS, {
    operation: 'POST /provider-keys/:name',
    description: `Store a provider key, encrypted. ${HOW_VALUES_ARE_READ}, unless their environment has a value.`,
    example: 'PUBLIC_DATA_SERVICE_KEY < service-key.txt',
    createsDatabase: true,
    options: { value: false },
    run: async ({ runner, input, send }) => {
      const { keys } = await runner.run('GET /provider-keys', {});
      const needed = keys.filter(({ servers }) => servers.length > 0);
      const stored = await send({ value: await readValue(input.name, needed) });
      if (stored.origin === 'environment') {
        process.stderr.write(
          `${input.name} is also set in the environment, which wins. Unset it there and restart the gateway to use the stored value.\n`,
        );
      }
      return stored;
    },
    print: (_key, { name }) => `Stored ${name}.`,
  });
  addOperation(secrets, PROVIDER_KEYS, {
    operation: 'DELETE /provider-keys/:name',
    example: 'PUBLIC_DATA_SERVICE_KEY',
    print: (_key, { name }) => `Removed ${name}.`,
  });
  addDatasetCommands(secrets);
}

/** Adds the commands that concern the datasets of provider keys. */
function addDatasetCommands(secrets: Command): void {
  addList(secrets, PROVIDER_KEYS, {
    operation: 'GET /provider-keys',
    name: 'readiness',
    description:
      'List the datasets of each provider key, and whether the key can be used for them, as learned from responses.',
    rows: (output) =>
      output.keys.flatMap(({ name, datasets }) => datasets.map((each) => ({ name, ...each }))),
    columns: {
      NAME: ({ name }) => name,
      DATASET: ({ id }) => id,
      STATE: ({ state }) => state,
      SINCE: ({ since }) => since ?? '-',
      TITLE: ({ title }) => title,
    },
  });
  addOperation(secrets, PROVIDER_KEYS, {
    operation: 'POST /provider-keys/:name/applied',
    example: 'PUBLIC_DATA_SERVICE_KEY 15084084',
    positional: ['name', 'dataset'],
    print: ({ id, state }, { name }) => `Noted that ${id} was applied for with ${name}: ${state}.`,
  });
  addOperation(secrets, PROVIDER_KEYS, {
    operation: 'POST /provider-keys/:name/quota',
    example: 'PUBLIC_DATA_SERVICE_KEY 15084084 100000',
    positional: ['name', 'dataset', 'calls'],
    print: ({ id }, { name, calls }) =>
      `Quota of ${name} for ${id}: ${calls === 0 ? 'as the preset says' : `${calls} requests a day`}.`,
  });
}

/** Adds the commands for keys that tenants bring. */
function addTenantKeyCommands(secrets: Command): void {
  addOperation(secrets, PROVIDER_KEYS, {
    operation: 'POST /provider-keys/:name/policy',
    example: 'PUBLIC_DATA_SERVICE_KEY own',
    positional: ['name', 'policy'],
    print: ({ name, policy }) => `Policy of ${name}: ${policy}.`,
  });
  const own = secrets
    .command('own')
    .description(
      "Manage the provider keys of a tenant, which its calls send before the operator's.",
    );
  addList(own, PROVIDER_KEYS, {
    operation: 'GET /tenants/:tenant/provider-keys',
    example: '--tenant weather',
    rows: (output) => output.providerKeys,
    columns: {
      NAME: ({ name }) => name,
      OWNER: ({ owner }) => owner,
      SET: ({ isSet }) => (isSet ? 'yes' : 'no'),
      POLICY: ({ policy }) => policy,
      CHANGED: ({ changedAt }) => changedAt ?? '-',
      WAITING: ({ waiting }) => waiting.join(' ') || '-',
    },
  });
  addOperation(own, PROVIDER_KEYS, {
    operation: 'PUT /tenants/:tenant/provider-keys/:name',
    description: `Store a provider key of a tenant, encrypted. ${HOW_VALUES_ARE_READ}.`,
    example: 'PUBLIC_DATA_SERVICE_KEY --tenant weather < service-key.txt',
    createsDatabase: true,
    options: { value: false },
    run: async ({ runner, input: { name, tenant }, send }) => {
      const { providerKeys } = await runner.run('GET /tenants/:tenant/provider-keys', { tenant });
      return send({ value: await readValue(name, providerKeys) });
    },
    print: (_key, { name }) => `Stored ${name}.`,
  });
  addOperation(own, PROVIDER_KEYS, {
    operation: 'POST /tenants/:tenant/provider-keys/:name/origins',
    example: 'PUBLIC_DATA_SERVICE_KEY --tenant weather --origins https://api.example.com',
    print: ({ name, origins }) => `Origins of ${name}: ${origins.join(', ') || 'none'}.`,
  });
  addOperation(own, PROVIDER_KEYS, {
    operation: 'DELETE /tenants/:tenant/provider-keys/:name',
    example: 'PUBLIC_DATA_SERVICE_KEY --tenant weather',
    print: (_nothing, { name }) => `Removed ${name}.`,
  });
}

const HOW_VALUES_ARE_READ =
  'It is read as one line from standard input; a terminal asks and does not show it. Running gateways use it within a second';

type ListedKey = OutputOf<ProviderKeyTable, 'GET /provider-keys'>['keys'][number];

function describeState({ origin, isStored }: ListedKey): string {
  if (origin === 'environment') return isStored ? 'environment (also stored)' : 'environment';
  if (origin === 'missing') return isStored ? 'stored, not needed' : 'not set';
  return origin;
}

/** A character has at most 4 bytes. */
const MAX_VALUE_BYTES = 4 * MAX_VALUE_LENGTH;

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
