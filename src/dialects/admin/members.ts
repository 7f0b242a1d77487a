import { Type } from 'typebox';
import type { People } from '../../access/people/people.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { tenantRoute } from './admin-route.ts';
import { PAGE_INPUT } from './page-input.ts';

const ROLE = Type.Union([Type.Literal('admin'), Type.Literal('viewer')]);
const ID = Type.String({ maxLength: 100 });

export interface MemberRoutesDeps {
  readonly people: People;
  /** Where the dashboard is; undefined if no setting says so. */
  readonly adminUrl: string | undefined;
}

/** The members of a tenant, and who is invited to it. */
export const createMemberRoutes = ({ people, adminUrl }: MemberRoutesDeps) => ({
  'GET /tenants/:tenant/members': tenantRoute('viewer', {
    input: PAGE_INPUT,
    handle: async ({ tenant }, { cursor, limit }) => {
      const page = await people.members({ tenantId: tenant.id, cursor, limit });
      const members = page.members.map(({ joinedAtMs, ...member }) => ({
        ...member,
        joinedAt: isoTime(joinedAtMs),
      }));
      return { ...page, members };
    },
  }),
  'PATCH /tenants/:tenant/members/:person': tenantRoute('admin', {
    input: { person: ID, role: ROLE },
    handle: ({ tenant, person }, { person: personId, role }) =>
      people.changeRole({ tenantId: tenant.id, personId, actor: person.id }, role),
  }),
  'DELETE /tenants/:tenant/members/:person': tenantRoute('admin', {
    input: { person: ID },
    handle: ({ tenant, person }, { person: personId }) =>
      people.removeMember({ tenantId: tenant.id, personId, actor: person.id }),
  }),
  'GET /tenants/:tenant/invitations': tenantRoute('admin', {
    input: {},
    handle: async ({ tenant }) => ({
      invitations: (await people.invitations(tenant.id)).map(toListed),
    }),
  }),
  'POST /tenants/:tenant/invitations': tenantRoute('admin', {
    input: { email: Type.String({ minLength: 1, maxLength: 300 }), role: ROLE },
    handle: async ({ tenant, person, request }, { email, role }) => {
      const { invitation, token } = await people.invite({
        tenantId: tenant.id,
        email,
        role,
        actor: person.id,
      });
      const dashboard = adminUrl ?? `${request.headers['origin']}/admin`;
      const link = `${dashboard}/join?token=${token.reveal()}`;
      return { invitation: toListed(invitation), link };
    },
  }),
  'DELETE /tenants/:tenant/invitations/:invitation': tenantRoute('admin', {
    input: { invitation: ID },
    handle: ({ tenant, person }, { invitation: id }) =>
      people.withdrawInvitation({ tenantId: tenant.id, id, actor: person.id }),
  }),
});

const toListed = ({
  createdAtMs,
  expiresAtMs,
  ...invitation
}: Awaited<ReturnType<People['invitations']>>[number]) => ({
  ...invitation,
  createdAt: isoTime(createdAtMs),
  expiresAt: isoTime(expiresAtMs),
});
