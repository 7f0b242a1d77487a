import { Command } from 'commander';
import { createTenant as insertTenant } from '../../access/people/tenant-directory.ts';
import { createTenantStore, type Tenant } from '../../access/tenants/tenant-store.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { JsonOption } from '../shared/json-option.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';

export function tenantsCommand(): Command {
  const tenants = new Command('tenants').description(
    'Create and show the tenants, which own keys and audit records.',
  );
  tenants
    .command('list')
    .description('List all tenants.')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway tenants list --json')
    .action(listTenants);
  tenants
    .command('create')
    .description('Create a tenant, and the database if it does not exist yet.')
    .argument('<slug>', '1 to 40 lower-case letters, digits and single hyphens')
    .option('--name <text>', 'name; by default, the slug')
    .option('--json', 'print the tenant as JSON')
    .addHelpText('after', '\nExample: tool-gateway tenants create acme --name "Acme Ltd."')
    .action(createTenant);
  return tenants;
}

const listTenants = ({ json }: JsonOption): Promise<void> =>
  withDatabase('read', async ({ db }) => {
    const tenants = await createTenantStore({ db, clock: systemClock }).list();
    process.stdout.write(
      json
        ? tenants.map(toLine).join('')
        : formatTable(
            ['SLUG', 'NAME', 'CREATED', 'ID'],
            tenants.map(({ slug, name, createdAtMs, id }) => [
              slug,
              name,
              new Date(createdAtMs).toISOString(),
              id,
            ]),
          ),
    );
  });

const createTenant = (
  slug: string,
  { name = slug, json }: JsonOption & { readonly name?: string },
): Promise<void> =>
  withDatabase('create', async ({ db }) => {
    const deps = { db, clock: systemClock };
    await insertTenant(deps, { slug, name, actor: 'cli' });
    const tenant = await createTenantStore(deps).findBySlug(slug);
    if (!tenant) throw new GatewayError('internal');
    process.stdout.write(json ? toLine(tenant) : `Created ${slug} (${tenant.id}).\n`);
  });

const toLine = ({ id, slug, name, createdAtMs }: Tenant): string =>
  `${JSON.stringify({ id, slug, name, createdAt: new Date(createdAtMs).toISOString() })}\n`;
