import { Command } from 'commander';
import { type ApiKeyStore, createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { parseDuration } from '../shared/duration.ts';
import { withDatabase } from '../shared/with-database.ts';
import {
  addKeyOptions,
  addRemovingOptions,
  type KeyOptions,
  keyChangeOf,
  requireChange,
  splitNames,
} from './key-options.ts';
import { listKeys } from './list-keys.ts';

const ID = ['<id>', 'id of the key, as shown by keys list'] as const;

export function keysCommand(): Command {
  const keys = new Command('keys').description('Manage the API keys of callers.');
  addKeyOptions(
    keys
      .command('create')
      .description(
        'Create a key and print only the key on standard output. It is never shown again.',
      )
      .requiredOption('--tenant <slug>', 'owner of the key; created if it does not exist')
      .option('--name <text>', 'what the key is for', 'unnamed'),
  ).action(createKey);
  keys
    .command('list')
    .description('List keys, newest first. Only the prefix of each key is shown.')
    .option('--tenant <slug>', 'only keys of this tenant')
    .action(listKeys);
  keys
    .command('revoke')
    .description('Revoke a key. Running gateways refuse it within a second.')
    .argument(...ID)
    .action(revokeKey);
  keys
    .command('rotate')
    .description('Replace a key and print only the new key. The old one ends after an overlap.')
    .argument(...ID)
    .option(
      '--overlap <duration>',
      'how long the old key still works: 0 to 7d',
      parseOverlap,
      864e5,
    )
    .action(rotateKey);
  addRemovingOptions(
    addKeyOptions(
      keys
        .command('change')
        .description('Change a key. Running gateways follow within a second.')
        .argument(...ID)
        .option('--name <text>', 'what the key is for'),
    ),
  ).action(changeKey);
  keys
    .command('allow')
    .description('Change which tools a key may use. Running gateways follow within a second.')
    .argument(...ID)
    .option('--tools <names>', 'comma-separated names, patterns and categories of tools')
    .option('--all', 'all tools of the tenant')
    .action(allowTools);
  return keys;
}

const parseOverlap = (text: string): number => (text === '0' ? 0 : parseDuration(text));

/** Prints what `use` returns. */
const withKeys = (use: (store: ApiKeyStore) => Promise<string>): Promise<void> =>
  withDatabase('change', async ({ db }) => {
    const store = createApiKeyStore({ db, clock: systemClock, actor: 'cli' });
    process.stdout.write(`${await use(store)}\n`);
  });

function createKey(options: KeyOptions & { tenant: string; name: string }): Promise<void> {
  return withDatabase('create', async ({ db }) => {
    const deps = { db, clock: systemClock, actor: 'cli' };
    const { id: tenantId } = await createTenantStore(deps).ensure(options.tenant);
    const key = { ...keyChangeOf(options), tenantId, name: options.name };
    const { text } = await createApiKeyStore(deps).create(key);
    process.stdout.write(`${text.reveal()}\n`);
  });
}

const revokeKey = (id: string): Promise<void> =>
  withKeys(async (store) => {
    await store.revoke({ id });
    return `Revoked ${id}.`;
  });

const rotateKey = (id: string, { overlap }: { overlap: number }): Promise<void> =>
  withKeys(async (store) => {
    const { text, record, replaced } = await store.rotate({ id }, overlap);
    const end = replaced.revokedAtMs ?? replaced.expiresAtMs ?? 0;
    process.stderr.write(
      `${record.id} replaces ${id}, which ends at ${new Date(end).toISOString()}.\n`,
    );
    return text.reveal();
  });

const changeKey = (id: string, options: KeyOptions): Promise<void> =>
  withKeys(async (store) => {
    await store.change({ id }, requireChange(keyChangeOf(options)));
    return `Changed ${id}.`;
  });

async function allowTools(id: string, options: { tools?: string; all?: true }): Promise<void> {
  if ((options.tools === undefined) === (options.all === undefined)) {
    throw new StartupError('Give either --tools with a list of names, or --all.');
  }
  const tools = options.tools === undefined ? null : splitNames(options.tools);
  await withKeys(async (store) => {
    await store.change({ id }, { allowedTools: tools });
    return `${id} may use ${tools?.join(', ') || (tools ? 'no tool' : 'all tools')}.`;
  });
}
