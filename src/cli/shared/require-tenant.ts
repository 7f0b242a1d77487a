import { createTenantStore, type Tenant } from '../../access/tenants/tenant-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { systemClock } from '../../platform/kernel/time.ts';

/** The tenant with this slug. Throws StartupError for an unknown one, with the slug that it may mean. */
export async function requireTenant(db: Database['db'], slug: string): Promise<Tenant> {
  const store = createTenantStore({ db, clock: systemClock });
  const tenant = await store.findBySlug(slug);
  if (tenant) return tenant;
  const slugs = (await store.list()).map((each) => each.slug);
  const similar = closest(slug, slugs);
  throw new StartupError(
    `There is no tenant ${slug}.${similar ? ` Did you mean ${similar}?` : ''}`,
  );
}
