import { Command } from 'commander';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';

export function tenantsCommand(): Command {
  const tenants = new Command('tenants').description(
    'Show the tenants, which own keys and audit records.',
  );
  tenants
    .command('list')
    .description('List all tenants.')
    .action(() =>
      withDatabase(async ({ db }) => {
        const rows = await createTenantStore({ db, clock: systemClock }).list();
        process.stdout.write(
          formatTable(
            ['SLUG', 'NAME', 'CREATED', 'ID'],
            rows.map(({ slug, name, createdAtMs, id }) => [
              slug,
              name,
              new Date(createdAtMs).toISOString(),
              id,
            ]),
          ),
        );
      }),
    );
  return tenants;
}
