import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newTenantId } from '../../platform/kernel/ids.ts';
import { assertSlug } from '../tenants/slug.ts';
import { changePeople, type PeopleDeps } from './change-people.ts';
import { normalName } from './person-fields.ts';

/** Tenants of a gateway in which operators may create further ones. */
export const MAX_TENANTS = 1000;

/** A tenant as an operator sees it. */
export interface ListedTenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly members: number;
  /** Keys that are not revoked. */
  readonly keys: number;
  readonly registrations: number;
}

export interface TenantPage {
  readonly tenants: readonly ListedTenant[];
  /** Continues after the last tenant of this page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The tenants, sorted by slug. */
export async function listTenants(
  { db }: PeopleDeps,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<TenantPage> {
  const all = db
    .selectFrom('tenants')
    .selectAll()
    .select((query) => [
      query
        .selectFrom('memberships')
        .whereRef('memberships.tenant_id', '=', 'tenants.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('members'),
      query
        .selectFrom('api_keys')
        .whereRef('api_keys.tenant_id', '=', 'tenants.id')
        .where('revoked_at_ms', 'is', null)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('keys'),
      query
        .selectFrom('registrations')
        .whereRef('registrations.tenant_id', '=', 'tenants.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('registrations'),
    ])
    .orderBy('slug')
    .limit(limit + 1);
  const rows = await runQuery(() =>
    (cursor === undefined ? all : all.where('slug', '>', cursor)).execute(),
  );
  const tenants = rows.slice(0, limit).map((row) => ({
    id: row.id,
    slug: row.slug,
    name: row.name,
    createdAtMs: row.created_at_ms,
    members: row.members ?? 0,
    keys: row.keys ?? 0,
    registrations: row.registrations ?? 0,
  }));
  return { tenants, nextCursor: rows.length > limit ? (tenants.at(-1)?.slug ?? null) : null };
}

/** Creates a tenant. Rejects with `conflict` for a slug that is taken, or if the gateway has too many tenants. */
export async function createTenant(
  deps: PeopleDeps,
  tenant: { readonly slug: string; readonly name: string; readonly actor: string },
): Promise<void> {
  const { slug, actor } = tenant;
  assertSlug(slug);
  const name = normalName(tenant.name);
  return changePeople(deps, async ({ db, nowMs, append }) => {
    const { count } = await db
      .selectFrom('tenants')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= MAX_TENANTS) {
      throw new GatewayError(
        'conflict',
        `The gateway has ${MAX_TENANTS} tenants, the most it allows.`,
      );
    }
    const id = newTenantId();
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('tenants')
      .values({ id, slug, name, created_at_ms: nowMs })
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .executeTakeFirst();
    if (!numInsertedOrUpdatedRows) {
      throw new GatewayError('conflict', `Tenant "${slug}" already exists.`);
    }
    const details = { slug, name };
    await append({ tenantId: id, actor, action: 'tenant.created', subjectId: id, details });
  });
}

/** Changes the name of a tenant; its slug stays, because tools are named after it. Rejects with `not_found`. */
export async function renameTenant(
  deps: PeopleDeps,
  tenant: { readonly slug: string; readonly name: string; readonly actor: string },
): Promise<void> {
  const name = normalName(tenant.name);
  return changePeople(deps, async ({ db, append }) => {
    const renamed = await db
      .updateTable('tenants')
      .set({ name })
      .where('slug', '=', tenant.slug)
      .returning('id')
      .executeTakeFirst();
    if (!renamed) throw new GatewayError('not_found', 'This tenant does not exist.');
    await append({
      tenantId: renamed.id,
      actor: tenant.actor,
      action: 'tenant.renamed',
      subjectId: renamed.id,
      details: { name },
    });
  });
}
