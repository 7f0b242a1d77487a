import { expect } from 'vitest';
import {
  type AdminClient,
  createAdminClient,
  inviteAndJoin,
  signIn as signInAdmin,
} from '../support/admin-client.ts';
import type { TestGateway } from '../support/gateway.ts';

/** A client of the dashboard whose requests usually succeed. */
export interface PersonClient extends AdminClient {
  readonly id: string;
  /** The header that shows the session. */
  readonly cookie: string;
  /** The body of the response to a request that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  get(route: string, input?: object): Promise<any>;
}

/** A client without a session. */
const openClient = (gateway: Pick<TestGateway, 'url'>): AdminClient =>
  createAdminClient(gateway);

async function withPerson(client: AdminClient): Promise<PersonClient> {
  const { body } = await client.ask('GET /me');
  return {
    ...client,
    id: body.person.id,
    cookie: [...client.cookies].map((pair) => pair.join('=')).join('; '),
    get: async (route, input) => {
      const isRead = route.startsWith('GET ') || route.startsWith('DELETE ');
      const response = await client.ask(route, isRead ? input : (input ?? {}));
      expect([response.status, response.body]).toMatchObject([200, {}]);
      return response.body;
    },
  };
}

/** Signs in the first administrator. */
export const signIn = async (gateway: Pick<TestGateway, 'url'>): Promise<PersonClient> =>
  withPerson(await signInAdmin(gateway));

/** Invites a person to a tenant, who joins and is signed in. */
export const joinTenant = async (
  gateway: Pick<TestGateway, 'url'>,
  operator: AdminClient,
  { tenant, role }: { tenant: string; role: 'admin' | 'viewer' },
): Promise<PersonClient> =>
  withPerson(
    await inviteAndJoin(gateway, operator, {
      tenant,
      role,
      email: `${role}-of-${tenant}@example.com`,
    }),
  );
