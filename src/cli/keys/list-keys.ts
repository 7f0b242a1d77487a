import type { ApiKeyRecord } from '../../access/keys/api-key-record.ts';
import { createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { MAX_KEY_PAGE } from '../../access/keys/list-api-keys.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { isoTimeOrNull } from '../../platform/kernel/iso-time.ts';
import { jsonLines } from '../shared/json-lines.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';
import { createKeyView } from './key-view.ts';
import { readUsage } from './read-usage.ts';

interface ListOptions {
  readonly tenant?: string;
  readonly json?: true;
}

/** Prints the keys of a tenant, or of all tenants, newest first. */
export const listKeys = ({ tenant: slug, json }: ListOptions): Promise<void> =>
  withDatabase('read', async (database) => {
    const keys: ApiKeyRecord[] = [];
    for await (const page of readPages(database.db, slug)) keys.push(...page);
    const viewKey = createKeyView();
    const views = (await readUsage(database, keys)).map(({ key, usage }) => ({
      ...viewKey(key),
      lastUsedAt: isoTimeOrNull(usage.lastUsedAtMs),
    }));
    process.stdout.write(json ? jsonLines(views) : formatTable(HEADINGS, views.map(toRow)));
  });

/** Throws StartupError for an unknown tenant. */
async function* readPages(
  db: Database['db'],
  slug: string | undefined,
): AsyncGenerator<readonly ApiKeyRecord[]> {
  const tenant = slug === undefined ? undefined : await requireTenant(db, slug);
  const store = createApiKeyStore({ db, clock: systemClock });
  let after: string | undefined;
  do {
    const page = await store.list({ tenantId: tenant?.id, after, limit: MAX_KEY_PAGE });
    yield page;
    after = page.length < MAX_KEY_PAGE ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
}

const HEADINGS = [
  'ID',
  'TENANT',
  'PREFIX',
  'NAME',
  'STATE',
  'EXPIRES',
  'LAST USED',
  'TOOLS',
  'LISTS',
  'PER MINUTE',
  'PER DAY',
  'OWNER',
];

type KeyView = ReturnType<ReturnType<typeof createKeyView>>;

const toRow = (key: KeyView & { lastUsedAt: string | null }): string[] => [
  key.id,
  key.tenant,
  key.prefix,
  key.name,
  key.state,
  key.expiresAt ?? 'never',
  key.lastUsedAt ?? 'never',
  key.allowedTools?.join(',') ?? 'all',
  key.mode ?? 'all',
  perMinuteOf(key),
  key.dailyLimit?.toString() ?? 'unlimited',
  key.owner ?? 'unknown',
];

/** The limit that the key was given, and what of it applies if that is less. */
function perMinuteOf({ rateLimitPerMinute, effectiveRateLimitPerMinute }: KeyView): string {
  if (rateLimitPerMinute === null) return 'default';
  return rateLimitPerMinute === effectiveRateLimitPerMinute
    ? String(rateLimitPerMinute)
    : `${effectiveRateLimitPerMinute} of ${rateLimitPerMinute}`;
}
