import { Type } from 'typebox';
import { MAX_DAILY_LIMIT } from '../../access/keys/key-change.ts';
import { ALLOWED_TOOLS } from '../../access/keys/operations.ts';
import { type AppsDeps, disconnectApp, listApps } from '../../access/oauth/apps.ts';
import type { OAuthServer } from '../../access/oauth/oauth-server.ts';
import { describeRedirect } from '../../access/oauth/redirects.ts';
import { connectCookieIn } from '../../access/oauth/sealed-request.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTime, isoTimeOrNull } from '../../platform/kernel/time.ts';
import { type PersonContext, personRoute } from './admin-route.ts';
import { type FindTenant, tenantOf } from './authorise.ts';

export interface ConnectAppsDeps {
  /** Loads the authorization server; rejects with `not_found` if hosts may not sign in. */
  readonly oauth: () => Promise<OAuthServer>;
  readonly findTenant: FindTenant;
  /** How long a grant may last, in days. */
  readonly grantDays: number;
  readonly apps: AppsDeps;
}

const UID = Type.String({ minLength: 1, maxLength: 100 });

const DAY_MS = 86_400_000;

const sealedIn = ({ request }: PersonContext): string =>
  connectCookieIn(request.headers['cookie']?.toString());

/** What a person is asked when a host wants to connect, and what the person has connected. */
export const createConnectAppsRoutes = (deps: ConnectAppsDeps) => ({
  ...createConsentRoutes(deps),
  'GET /me/apps': personRoute({
    input: {},
    handle: async ({ person }) => ({
      apps: (await listApps(deps.apps, person.id)).map(({ key, usage }) => ({
        id: key.id,
        name: key.clientName ?? key.name,
        tenant: key.tenantSlug,
        allowedTools: key.allowedTools,
        createdAt: isoTime(key.createdAtMs),
        expiresAt: isoTimeOrNull(key.expiresAtMs),
        lastUsedAt: isoTimeOrNull(usage.lastUsedAtMs),
      })),
    }),
  }),
  'DELETE /me/apps/:id': personRoute({
    isProtective: true,
    input: { id: Type.String({ maxLength: 100 }) },
    handle: ({ person }, { id }) => disconnectApp(deps.apps, person.id, id),
  }),
});

const createConsentRoutes = ({ oauth, findTenant, grantDays, apps }: ConnectAppsDeps) => ({
  'GET /connect/:uid': personRoute({
    input: { uid: UID },
    handle: async (context, { uid }) => {
      const request = (await oauth()).request(uid, sealedIn(context));
      const { clientName, clientIdentity, redirectUri } = request;
      return {
        client: { name: clientName, identity: clientIdentity },
        returnsTo: describeRedirect(redirectUri),
        maxDays: grantDays,
      };
    },
  }),
  'POST /connect/:uid': personRoute({
    input: {
      uid: UID,
      tenant: Type.String({ maxLength: 100 }),
      allowedTools: ALLOWED_TOOLS,
      days: Type.Integer({ minimum: 1, maximum: 3650 }),
      dailyLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAILY_LIMIT })),
    },
    handle: async (context, { uid, tenant: slug, allowedTools, days, dailyLimit }) => {
      if (days > grantDays) {
        throw new GatewayError('invalid_arguments', `days is at most ${grantDays}.`);
      }
      const { person } = context;
      const { tenant, role } = await tenantOf(person, slug, findTenant);
      const server = await oauth();
      const location = await server.allow(uid, sealedIn(context), {
        personId: person.id,
        tenantId: tenant.id,
        role,
        allowedTools,
        dailyLimit,
        expiresAtMs: apps.clock.now() + days * DAY_MS,
      });
      return { location };
    },
  }),
  'DELETE /connect/:uid': personRoute({
    isProtective: true,
    input: { uid: UID },
    handle: async (context, { uid }) => ({
      location: (await oauth()).deny(uid, sealedIn(context)),
    }),
  }),
});
