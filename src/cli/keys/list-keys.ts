import { type ApiKeyRecord, keyStateOf } from '../../access/keys/api-key-record.ts';
import { createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { MAX_KEY_PAGE } from '../../access/keys/list-api-keys.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';

const HEADINGS = [
  'ID',
  'TENANT',
  'PREFIX',
  'NAME',
  'STATE',
  'EXPIRES',
  'TOOLS',
  'LISTS',
  'PER MINUTE',
  'PER DAY',
  'OWNER',
];

/** Prints the keys of a tenant, or of all tenants, newest first. */
export async function listKeys({ tenant: slug }: { tenant?: string }): Promise<void> {
  await withDatabase('read', async ({ db }) => {
    const deps = { db, clock: systemClock };
    const tenant = slug === undefined ? undefined : await createTenantStore(deps).findBySlug(slug);
    const store = createApiKeyStore(deps);
    const keys: ApiKeyRecord[] = [];
    let after: string | undefined;
    while (slug === undefined || tenant) {
      const page = await store.list({ tenantId: tenant?.id, after, limit: MAX_KEY_PAGE });
      keys.push(...page);
      after = page.at(-1)?.id;
      if (page.length < MAX_KEY_PAGE) break;
    }
    process.stdout.write(formatTable(HEADINGS, keys.map(cellsOf)));
  });
}

const cellsOf = (key: ApiKeyRecord): string[] => [
  key.id,
  key.tenantSlug,
  key.prefix,
  key.name,
  keyStateOf(key, systemClock.now()),
  key.expiresAtMs === null ? 'never' : new Date(key.expiresAtMs).toISOString(),
  key.allowedTools?.join(',') ?? 'all',
  key.mode ?? 'all',
  key.rateLimitPerMinute?.toString() ?? 'default',
  key.dailyLimit?.toString() ?? 'unlimited',
  key.owner ?? 'unknown',
];
