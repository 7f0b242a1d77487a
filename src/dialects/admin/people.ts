import { Type } from 'typebox';
import type { People } from '../../access/people/people.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { operatorRoute } from './admin-route.ts';
import { PAGE_INPUT } from './page-input.ts';

const ID = Type.String({ maxLength: 100 });

/** All people of the gateway. */
export const createPeopleRoutes = (people: People) => ({
  'GET /people': operatorRoute({
    input: PAGE_INPUT,
    handle: async (_context, page) => {
      const { people: listed, nextCursor } = await people.list(page);
      return {
        people: listed.map(({ createdAtMs, ...person }) => ({
          ...person,
          createdAt: isoTime(createdAtMs),
        })),
        nextCursor,
      };
    },
  }),
  'PATCH /people/:person': operatorRoute({
    input: { person: ID, isOperator: Type.Boolean() },
    handle: ({ person }, { person: personId, isOperator }) =>
      people.setOperator({ personId, isOperator, actor: person.id }),
  }),
  'POST /people/:person/password': operatorRoute({
    input: { person: ID },
    handle: async ({ person }, { person: personId }) => {
      const password = await people.resetPassword({ personId, actor: person.id });
      return { password: password.reveal() };
    },
  }),
});
