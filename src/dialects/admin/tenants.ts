import { Type } from 'typebox';
import type { People } from '../../access/people/people.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { operatorRoute } from './admin-route.ts';
import { PAGE_INPUT } from './page-input.ts';

const NAME = Type.String({ maxLength: 1000 });

/** The tenants of the gateway. */
export const createTenantRoutes = (people: People) => ({
  'GET /tenants': operatorRoute({
    input: PAGE_INPUT,
    handle: async (_context, page) => {
      const { tenants, nextCursor } = await people.tenants(page);
      return {
        tenants: tenants.map(({ createdAtMs, ...tenant }) => ({
          ...tenant,
          createdAt: isoTime(createdAtMs),
        })),
        nextCursor,
      };
    },
  }),
  'POST /tenants': operatorRoute({
    input: { slug: Type.String({ maxLength: 100 }), name: NAME },
    handle: ({ person }, tenant) => people.createTenant({ ...tenant, actor: person.id }),
  }),
  'PATCH /tenants/:tenant': operatorRoute({
    input: { name: NAME },
    handle: ({ person, request }, { name }) =>
      people.renameTenant({ slug: request.params['tenant'] ?? '', name, actor: person.id }),
  }),
});
