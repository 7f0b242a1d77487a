import type { Kysely, Transaction } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newTenantId } from '../../platform/kernel/ids.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';

/** Owner of API keys, registered APIs, audit records and event streams. */
export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAtMs: number;
}

const MAX_SLUG_LENGTH = 40;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Throws GatewayError `invalid_arguments` unless the text can identify a tenant in addresses and tool ids. */
export function assertSlug(slug: string): void {
  if (slug.length <= MAX_SLUG_LENGTH && SLUG.test(slug)) return;
  throw new GatewayError(
    'invalid_arguments',
    `A tenant's slug is 1 to ${MAX_SLUG_LENGTH} lower-case letters and digits, with single hyphens between them, such as "my-team".`,
  );
}

export type TenantStore = ReturnType<typeof createTenantStore>;

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export function createTenantStore(deps: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Who creates tenants, for the administrative trail. */
  readonly actor?: string;
}) {
  const { db, clock, actor = 'unknown' } = deps;

  const insert = async (slug: string): Promise<Tenant | undefined> => {
    assertSlug(slug);
    const tenant = { slug, name: slug, actor, nowMs: clock.now() };
    return runQuery(() =>
      db.transaction().execute((transaction) => insertTenant(transaction, tenant)),
    );
  };

  const findBySlug = (slug: string): Promise<Tenant | undefined> =>
    runQuery(() => selectTenants(db).where('slug', '=', slug).executeTakeFirst());

  return {
    /**
     * The tenant with this slug, created if necessary. Safe when several processes call it at once. Rejects with
     * `invalid_arguments` for a bad slug.
     */
    ensure: async (slug: string): Promise<Tenant> => {
      const tenant = (await findBySlug(slug)) ?? (await insert(slug)) ?? (await findBySlug(slug));
      if (tenant) return tenant;
      throw new GatewayError('internal');
    },
    findBySlug,
    /** All tenants, sorted by slug. */
    list: (): Promise<readonly Tenant[]> =>
      runQuery(() => selectTenants(db).orderBy('slug').execute()),
  };
}

const COLUMNS = ['id', 'slug', 'name', 'created_at_ms as createdAtMs'] as const;

const selectTenants = (db: Kysely<Tables>) => db.selectFrom('tenants').select(COLUMNS);

/** Inserts a tenant, with its entry in the trail. Resolves to undefined when the slug is taken. */
export async function insertTenant(
  transaction: Transaction<Tables>,
  tenant: { slug: string; name: string; actor: string; nowMs: number },
): Promise<Tenant | undefined> {
  const { slug, name, actor, nowMs } = tenant;
  const created = await transaction
    .insertInto('tenants')
    .values({ id: newTenantId(), slug, name, created_at_ms: nowMs })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!created) return undefined;
  await appendAdminEntry(transaction, {
    timestampMs: nowMs,
    tenantId: created.id,
    actor,
    action: 'tenant.created',
    subjectId: created.id,
    details: { slug, name },
  });
  return created;
}
