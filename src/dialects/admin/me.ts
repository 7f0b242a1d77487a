import { Type } from 'typebox';
import type { People } from '../../access/people/people.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import { personRoute } from './admin-route.ts';
import { clientOf } from './session.ts';

/** Who is signed in, and what people change about themselves. */
export const createMeRoutes = (people: People) => ({
  'GET /me': personRoute({ input: {}, handle: ({ person }) => ({ person }) }),
  'PATCH /me': personRoute({
    input: { name: Type.String({ maxLength: 1000 }) },
    handle: ({ identity }, { name }) => people.rename(identity, name),
  }),
  'POST /me/password': personRoute({
    isProtective: true,
    input: {
      currentPassword: Type.String({ minLength: 1, maxLength: 1000 }),
      newPassword: Type.String({ maxLength: 1000 }),
      endsApps: Type.Boolean({ default: false }),
    },
    handle: async ({ identity, request, setCookies }, input) => {
      const { currentPassword, newPassword, endsApps } = input;
      const cookies = await people.changePassword(identity, {
        ...clientOf(request),
        currentPassword: new Secret(currentPassword),
        newPassword: new Secret(newPassword),
        endsApps,
      });
      setCookies(cookies);
    },
  }),
  'GET /me/sessions': personRoute({
    input: {},
    handle: async ({ identity }) => ({
      sessions: (await people.sessions(identity)).map((session) => ({
        id: session.id,
        isCurrent: session.id === identity.sessionId,
        clientIp: session.clientIp,
        userAgent: session.userAgent,
        createdAt: isoTime(session.createdAtMs),
        usedAt: isoTime(session.usedAtMs),
        expiresAt: isoTime(session.expiresAtMs),
      })),
    }),
  }),
  'DELETE /me/sessions': personRoute({
    isProtective: true,
    input: {},
    handle: async ({ identity }) => ({ ended: await people.endOtherSessions(identity) }),
  }),
  'DELETE /me/sessions/:session': personRoute({
    isProtective: true,
    input: { session: Type.String({ maxLength: 100 }) },
    handle: ({ identity }, { session }) => people.endSession(identity, session),
  }),
});
