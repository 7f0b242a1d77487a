import { Type } from 'typebox';
import type { People } from '../../access/people/people.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { publicRoute } from './admin-route.ts';
import { clientOf } from './session.ts';

const TOKEN = Type.String({ minLength: 1, maxLength: 100 });

/** What the link of an invitation leads to. */
export const createJoinRoutes = (people: People) => ({
  'GET /join': publicRoute({
    input: { token: TOKEN },
    handle: async ({ identity }, { token }) => {
      const invitation = await people.invitation(new Secret(token));
      return {
        email: invitation.email,
        role: invitation.role,
        tenant: { slug: invitation.tenantSlug, name: invitation.tenantName },
        expiresAt: isoTime(invitation.expiresAtMs),
        hasAccount: invitation.hasAccount,
        isSignedIn: identity?.person.email === invitation.email,
        hasOidc: people.hasOidc,
      };
    },
  }),
  'POST /join': publicRoute({
    input: {
      token: TOKEN,
      name: Type.Optional(Type.String({ maxLength: 1000 })),
      password: Type.Optional(Type.String({ maxLength: 1000 })),
    },
    handle: async ({ identity, request, setCookies }, { token, name, password }) => {
      const joined = await people.join({
        ...clientOf(request),
        token: new Secret(token),
        name,
        password: password === undefined ? undefined : new Secret(password),
        identity,
      });
      setCookies(joined.cookies);
      return { person: joined.identity.person };
    },
  }),
});
