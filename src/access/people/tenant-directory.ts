import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { assertSlug, insertTenant } from '../tenants/tenant-store.ts';
import { changePeople, countRows, type PeopleDeps } from './change-people.ts';
import { normalName } from './person.ts';

/** Tenants of a gateway in which operators may create further ones. */
export const MAX_TENANTS = 1000;

/** The tenants, sorted by slug. `nextCursor` continues after the last of this page; null on the last page. */
export async function listTenants(
  { db }: PeopleDeps,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
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
    /** Keys that are not revoked. */
    keys: row.keys ?? 0,
    registrations: row.registrations ?? 0,
  }));
  return { tenants, nextCursor: rows.length > limit ? (tenants.at(-1)?.slug ?? null) : null };
}

interface NamedTenant {
  readonly slug: string;
  readonly name: string;
  readonly actor: string;
}

/** Creates a tenant. Rejects with `conflict` for a slug that is taken, or if the gateway has too many tenants. */
export async function createTenant(
  deps: PeopleDeps,
  { slug, actor, name: text }: NamedTenant,
): Promise<void> {
  assertSlug(slug);
  const name = normalName(text);
  return changePeople(deps, async ({ db, nowMs }) => {
    if ((await countRows(db.selectFrom('tenants'))) >= MAX_TENANTS) {
      throw new GatewayError(
        'conflict',
        `The gateway has ${MAX_TENANTS} tenants, the most it allows.`,
      );
    }
    if (await insertTenant(db, { slug, name, actor, nowMs })) return;
    throw new GatewayError('conflict', `Tenant "${slug}" already exists.`);
  });
}

/** Changes the name of a tenant; its slug stays, because tools are named after it. Rejects with `not_found`. */
export async function renameTenant(
  deps: PeopleDeps,
  { slug, actor, name: text }: NamedTenant,
): Promise<void> {
  const name = normalName(text);
  return changePeople(deps, async ({ db, append }) => {
    const renamed = await db
      .updateTable('tenants')
      .set({ name })
      .where('slug', '=', slug)
      .returning('id')
      .executeTakeFirst();
    if (!renamed) throw new GatewayError('not_found', 'This tenant does not exist.');
    await append(actor, 'tenant.renamed', renamed.id, { tenantId: renamed.id, details: { name } });
  });
}
