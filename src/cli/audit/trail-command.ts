import { Command } from 'commander';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { type AdminEvent, listAdminEvents } from '../../access/trail/admin-trail.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { onlyHere } from '../operations/with-operations.ts';
import { parseCount } from '../shared/parse-count.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

interface ListOptions {
  readonly tenant?: string;
  readonly limit: number;
  readonly json?: true;
}

export function trailCommand(): Command {
  const trail = new Command('trail').description(
    'Show the administrative trail: who created and changed tenants and keys, and what retention deleted.',
  );
  trail
    .command('list')
    .description('List entries, newest first.')
    .option('--tenant <slug>', 'only entries that concern this tenant')
    .option(
      '--limit <number>',
      `number of entries, up to ${MAX_LIMIT}`,
      parseCount(MAX_LIMIT),
      DEFAULT_LIMIT,
    )
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway trail list --tenant acme --limit 20')
    .action(listEntries);
  return onlyHere(trail);
}

async function listEntries({ tenant: slug, limit, json }: ListOptions): Promise<void> {
  await withDatabase('read', async ({ db }) => {
    const tenant = slug === undefined ? undefined : await requireTenant(db, slug);
    const tenants = await createTenantStore({ db, clock: systemClock }).list();
    const slugs = new Map(tenants.map((each) => [each.id, each.slug]));
    const events = await listAdminEvents(db, { tenantId: tenant?.id, limit });
    const slugOf = ({ tenantId }: AdminEvent) => tenantId && (slugs.get(tenantId) ?? tenantId);
    process.stdout.write(json ? formatLines(events, slugOf) : formatEvents(events, slugOf));
  });
}

type SlugOf = (event: AdminEvent) => string | null;

const formatLines = (events: readonly AdminEvent[], slugOf: SlugOf): string =>
  events
    .map((event) => {
      const { timestampMs, ...rest } = event;
      const timestamp = new Date(timestampMs).toISOString();
      return `${JSON.stringify({ timestamp, tenant: slugOf(event), ...rest })}\n`;
    })
    .join('');

const formatEvents = (events: readonly AdminEvent[], slugOf: SlugOf): string =>
  formatTable(
    ['TIME', 'ACTOR', 'ACTION', 'TENANT', 'SUBJECT', 'DETAILS'],
    events.map((event) => [
      new Date(event.timestampMs).toISOString(),
      event.actor,
      event.action,
      slugOf(event) ?? 'all',
      event.subjectId,
      JSON.stringify(event.details),
    ]),
  );
