import { Command } from 'commander';
import { type ApiKeyRecord, createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { parseDuration } from '../shared/duration.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';

interface CreateOptions {
  readonly tenant: string;
  readonly name: string;
  readonly expires?: number;
  readonly tools?: string;
}

export function keysCommand(): Command {
  const keys = new Command('keys').description('API keys, which callers show the gateway.');
  keys
    .command('create')
    .description('Make a key and print it, alone, on standard output. It is never shown again.')
    .requiredOption('--tenant <slug>', 'owner of the key; made if there is none of this name')
    .option('--name <text>', 'what the key is for', 'unnamed')
    .option('--expires <duration>', 'for example 12h, 90d, 1y; never when left out', parseDuration)
    .option(
      '--tools <names>',
      'comma-separated tool names or patterns such as kma_*; all when left out',
    )
    .action(createKey);
  keys
    .command('list')
    .description('List keys; of each only the beginning is known.')
    .option('--tenant <slug>', 'only keys of this tenant')
    .action(listKeys);
  keys
    .command('revoke')
    .description('Revoke a key. Running gateways refuse it within a second.')
    .argument('<id>', 'the key id, as keys list shows it')
    .action(revokeKey);
  keys
    .command('allow')
    .description('Change the tools a key may use. Running gateways follow within a second.')
    .argument('<id>', 'the key id, as keys list shows it')
    .option('--tools <names>', 'comma-separated tool names or patterns such as kma_*')
    .option('--all', 'all tools of the tenant')
    .action(allowTools);
  return keys;
}

const storesOf = (db: Database['db']) => ({ db, clock: systemClock, actor: 'cli' });

const splitNames = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

async function createKey(options: CreateOptions): Promise<void> {
  await withDatabase(async ({ db }) => {
    const tenant = await createTenantStore(storesOf(db)).ensure(options.tenant);
    const expires = options.expires;
    const tools = options.tools === undefined ? undefined : splitNames(options.tools);
    const { text } = await createApiKeyStore(storesOf(db)).create({
      tenantId: tenant.id,
      name: options.name,
      ...(expires ? { expiresAtMs: systemClock.now() + expires } : {}),
      ...(tools ? { allowedTools: tools } : {}),
    });
    process.stdout.write(`${text.reveal()}\n`);
  });
}

async function listKeys({ tenant: slug }: { tenant?: string }): Promise<void> {
  await withDatabase(async ({ db }) => {
    const keys = await createApiKeyStore(storesOf(db)).list();
    const wanted = keys.filter((key) => slug === undefined || key.tenantSlug === slug);
    process.stdout.write(
      formatTable(
        ['ID', 'TENANT', 'PREFIX', 'NAME', 'STATE', 'EXPIRES', 'TOOLS'],
        wanted.map((key) => [
          key.id,
          key.tenantSlug,
          key.prefix,
          key.name,
          stateOf(key),
          key.expiresAtMs === null ? 'never' : new Date(key.expiresAtMs).toISOString(),
          key.allowedTools?.join(',') ?? 'all',
        ]),
      ),
    );
  });
}

function stateOf({ revokedAtMs, expiresAtMs }: ApiKeyRecord): string {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= systemClock.now() ? 'expired' : 'active';
}

async function revokeKey(id: string): Promise<void> {
  await withDatabase(async ({ db }) => {
    await createApiKeyStore(storesOf(db)).revoke(id);
    process.stdout.write(`Revoked ${id}.\n`);
  });
}

async function allowTools(id: string, options: { tools?: string; all?: true }): Promise<void> {
  if ((options.tools === undefined) === (options.all === undefined)) {
    throw new StartupError('Give either --tools with a list of names, or --all.');
  }
  const tools = options.tools === undefined ? null : splitNames(options.tools);
  await withDatabase(async ({ db }) => {
    const key = await createApiKeyStore(storesOf(db)).allow(id, tools);
    if (key.revokedAtMs !== null) throw new StartupError(`The key ${id} is revoked.`);
    process.stdout.write(
      `${id} may use ${tools?.join(', ') || (tools ? 'no tool' : 'all tools')}.\n`,
    );
  });
}
