import { Command } from 'commander';
import { GatewayError } from '../../platform/kernel/error.ts';
import { addOperation } from '../operations/add-operation.ts';
import type { OperationRunner, OutputOf } from '../operations/operation-runner.ts';
import { jsonLines } from '../shared/output.ts';
import { printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';
import { PEOPLE, type PeopleTable } from './people-feature.ts';

export function tenantsCommand(): Command {
  const tenants = new Command('tenants').description(
    'Create and show the tenants, which own keys and audit records.',
  );
  addOperation(tenants, PEOPLE, {
    place: 'GET /tenants',
    description: 'List all tenants.',
    example: '--json',
    only: [],
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: async ({ runner, options }) =>
      printList(
        (await allTenants(runner)).map(viewTenant),
        options,
        ['SLUG', 'NAME', 'CREATED', 'ID'],
        ({ slug, name, createdAt, id }) => [slug, name, createdAt, id],
      ),
  });
  addOperation(tenants, PEOPLE, {
    place: 'POST /tenants',
    description: 'Create a tenant, and the database if it does not exist yet.',
    example: 'acme --name "Acme Ltd."',
    access: 'create',
    words: ['slug'],
    members: {
      slug: { help: '1 to 40 lower-case letters, digits and single hyphens' },
      name: { help: 'name; by default, the slug', isOptional: true },
    },
    addOptions: (command) => command.option('--json', 'print the tenant as JSON'),
    run: async ({ runner, input: { slug, name = slug }, options, send }) => {
      await send({ name });
      const tenant = (await allTenants(runner)).find((each) => each.slug === slug);
      if (!tenant) throw new GatewayError('internal');
      process.stdout.write(
        options.json ? jsonLines([viewTenant(tenant)]) : `Created ${slug} (${tenant.id}).\n`,
      );
    },
  });
  return tenants;
}

type Tenant = OutputOf<PeopleTable, 'GET /tenants'>['tenants'][number];

const allTenants = ({ run }: OperationRunner<PeopleTable>): Promise<readonly Tenant[]> =>
  Array.fromAsync(readPages((page) => run('GET /tenants', page), 'tenants'));

/** A tenant as `--json` prints it (docs/contract.md#command-line). */
const viewTenant = ({ id, slug, name, createdAt }: Tenant) => ({ id, slug, name, createdAt });
