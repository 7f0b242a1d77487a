import type { Kysely } from 'kysely';
import { Type } from 'typebox';
import { listKeys } from '../../access/keys/api-key-record.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { containsText } from '../../platform/database/text-match.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { operatorRoute, tenantRoute } from './admin-route.ts';

export interface FindRoutesDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
}

const INPUT = { q: Type.String({ minLength: 1, maxLength: 100 }) };

/** Of each kind. */
const MAX_FOUND = 5;

/** What the search of the dashboard finds by name: of a tenant for its members, of the gateway for operators. */
export const createFindRoutes = ({ db, clock }: FindRoutesDeps) => ({
  'GET /tenants/:tenant/found': tenantRoute('viewer', {
    input: INPUT,
    handle: async ({ tenant }, { q }) => {
      const [keys, apis, people] = await runQuery(() =>
        Promise.all([
          listKeys(db, { tenantId: tenant.id, text: q, limit: MAX_FOUND }, clock.now()),
          findApis(db, tenant.id, q).execute(),
          findPeople(db, q)
            .innerJoin('memberships', 'person_id', 'people_users.id')
            .where('tenant_id', '=', tenant.id)
            .execute(),
        ]),
      );
      return { keys: keys.map(({ id, name, prefix }) => ({ id, name, prefix })), apis, people };
    },
  }),
  'GET /found': operatorRoute({
    input: INPUT,
    handle: async (_context, { q }) => {
      const [tenants, people] = await runQuery(() =>
        Promise.all([findTenants(db, q).execute(), findPeople(db, q).execute()]),
      );
      return { tenants, people };
    },
  }),
});

const findApis = (db: Kysely<Tables>, tenantId: string, q: string) =>
  db
    .selectFrom('registrations')
    .select(['id', 'name', 'slug'])
    .where('tenant_id', '=', tenantId)
    .where(containsText(['name', 'slug'], q))
    .orderBy('name')
    .limit(MAX_FOUND);

const findPeople = (db: Kysely<Tables>, q: string) =>
  db
    .selectFrom('people_users')
    .select(['people_users.id', 'name', 'email'])
    .where(containsText(['name', 'email'], q))
    .orderBy('email')
    .limit(MAX_FOUND);

const findTenants = (db: Kysely<Tables>, q: string) =>
  db
    .selectFrom('tenants')
    .select(['slug', 'name'])
    .where(containsText(['name', 'slug'], q))
    .orderBy('slug')
    .limit(MAX_FOUND);
