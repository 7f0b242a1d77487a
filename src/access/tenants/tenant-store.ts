import type { Kysely, Selectable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables, TenantsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newTenantId } from '../../platform/kernel/ids.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';
import { assertSlug } from './slug.ts';

/** Owner of API keys, registered APIs, audit records and event streams. */
export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAtMs: number;
}

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export interface TenantStore {
  /** `name` defaults to the slug. Rejects with `invalid_arguments` for a bad slug, `conflict` for one that is taken. */
  create(tenant: { slug: string; name?: string }): Promise<Tenant>;
  /** The tenant with this slug, created if necessary. Safe when several processes call it at once. */
  ensure(slug: string): Promise<Tenant>;
  findBySlug(slug: string): Promise<Tenant | undefined>;
  /** All tenants, sorted by slug. */
  list(): Promise<readonly Tenant[]>;
}

export function createTenantStore(deps: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Who creates tenants, for the administrative trail. */
  readonly actor?: string;
}): TenantStore {
  const { db, clock, actor = 'unknown' } = deps;

  /** Undefined when the slug is taken. */
  const insert = async (slug: string, name: string): Promise<Tenant | undefined> => {
    assertSlug(slug);
    const timestampMs = clock.now();
    const row = await runQuery(() =>
      db.transaction().execute(async (transaction) => {
        const created = await transaction
          .insertInto('tenants')
          .values({ id: newTenantId(), slug, name, created_at_ms: timestampMs })
          .onConflict((conflict) => conflict.column('slug').doNothing())
          .returningAll()
          .executeTakeFirst();
        if (!created) return undefined;
        await appendAdminEntry(transaction, {
          timestampMs,
          tenantId: created.id,
          actor,
          action: 'tenant.created',
          subjectId: created.id,
          details: { slug, name },
        });
        return created;
      }),
    );
    return row && toTenant(row);
  };

  const findBySlug = async (slug: string): Promise<Tenant | undefined> => {
    const row = await runQuery(() =>
      db.selectFrom('tenants').selectAll().where('slug', '=', slug).executeTakeFirst(),
    );
    return row && toTenant(row);
  };

  return {
    create: async ({ slug, name = slug }) => {
      const tenant = await insert(slug, name);
      if (tenant) return tenant;
      throw new GatewayError('conflict', `Tenant "${slug}" already exists.`);
    },
    ensure: async (slug) => {
      const tenant =
        (await findBySlug(slug)) ?? (await insert(slug, slug)) ?? (await findBySlug(slug));
      if (tenant) return tenant;
      throw new GatewayError('internal');
    },
    findBySlug,
    list: async () => {
      const rows = await runQuery(() =>
        db.selectFrom('tenants').selectAll().orderBy('slug').execute(),
      );
      return rows.map(toTenant);
    },
  };
}

function toTenant(row: Selectable<TenantsTable>): Tenant {
  return { id: row.id, slug: row.slug, name: row.name, createdAtMs: row.created_at_ms };
}
