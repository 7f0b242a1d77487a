import { Type } from 'typebox';
import { operatorOperation, tenantOperation } from '../../platform/input/operation.ts';
import {
  BOOLEAN,
  INTEGER,
  list,
  NEXT_CURSOR,
  NOTHING,
  PAGE,
  TEXT,
  TIME,
} from '../../platform/input/schema.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import { MAX_MEMBERSHIPS } from './find-person.ts';
import type { Directory } from './people.ts';
import { newPassword, normalEmail } from './person.ts';

export interface PeopleOperationsDeps {
  readonly people: Directory;
  /** Where the dashboard is; undefined if no setting says so. */
  readonly adminUrl: string | undefined;
}

const PERSON_ID = Type.String({ maxLength: 100, description: 'Id of the person.' });
const ROLE = Type.Enum(['admin', 'viewer'], {
  description: '`admin` changes what belongs to the tenant, `viewer` sees it and runs its tools.',
});
const INVITATION_ID = Type.String({ maxLength: 100, description: 'Id of the invitation.' });
const TENANT_NAME = Type.String({ maxLength: 1000, description: 'Name that people see.' });

const IS_PROVED = Type.Boolean({
  description: 'Whether an operator or the identity provider vouches for the address.',
});

const TENANT = Type.Object(
  {
    id: TEXT,
    slug: TEXT,
    name: TEXT,
    members: INTEGER,
    keys: Type.Integer({ description: 'API keys that are not revoked.' }),
    registrations: INTEGER,
    createdAt: TIME,
  },
  { $id: 'Tenant' },
);

const PERSON = Type.Object(
  {
    id: TEXT,
    email: TEXT,
    name: TEXT,
    isOperator: BOOLEAN,
    isProved: IS_PROVED,
    tenants: Type.Integer({ description: 'How many it belongs to.' }),
    createdAt: TIME,
  },
  { $id: 'Person' },
);

const MEMBER = Type.Object(
  {
    personId: TEXT,
    email: TEXT,
    name: TEXT,
    isProved: IS_PROVED,
    role: ROLE,
    joinedAt: TIME,
  },
  { $id: 'Member' },
);

const INVITATION = Type.Object(
  { id: TEXT, email: TEXT, role: ROLE, invitedBy: TEXT, createdAt: TIME, expiresAt: TIME },
  { $id: 'Invitation' },
);

const MEMBERSHIP = Type.Object(
  { tenant: Type.String({ maxLength: 100 }), role: ROLE },
  { additionalProperties: false },
);

/** The tenants and the people of the gateway for operators, the members of a tenant for its admins. */
export const createPeopleOperations = (deps: PeopleOperationsDeps) => ({
  ...createTenantOperations(deps),
  ...createPersonOperations(deps),
  ...createMemberOperations(deps),
  ...createInvitationOperations(deps),
});

const createTenantOperations = ({ people }: PeopleOperationsDeps) => ({
  'GET /tenants': operatorOperation({
    name: 'tenants list',
    summary: 'List the tenants by slug.',
    input: PAGE,
    output: Type.Object({ tenants: list(TENANT), nextCursor: NEXT_CURSOR }),
    handle: async (_context, page) => {
      const { tenants, nextCursor } = await people.tenants(page);
      return { tenants: tenants.map(withTime), nextCursor };
    },
  }),
  'POST /tenants': operatorOperation({
    name: 'tenants create',
    summary: 'Create a tenant.',
    trail: 'tenant.created',
    input: {
      slug: Type.String({
        maxLength: 100,
        description: '1 to 40 lower-case letters, digits and single hyphens. It never changes.',
      }),
      name: Type.Optional({
        ...TENANT_NAME,
        description: 'Name that people see; by default, the slug.',
      }),
    },
    output: NOTHING,
    example: { slug: 'acme', name: 'Acme Ltd.' },
    handle: ({ actor }, { slug, name = slug }) =>
      people.createTenant({ slug, name, actor: actor.id }),
  }),
  'PATCH /tenants/:tenant': tenantOperation('operator', {
    name: 'tenants change',
    summary: 'Change the name of a tenant. Its slug stays, because tools are named after it.',
    trail: 'tenant.renamed',
    input: { name: TENANT_NAME },
    output: NOTHING,
    example: { name: 'Acme Ltd.' },
    handle: ({ tenant, actor }, { name }) =>
      people.renameTenant({ slug: tenant.slug, name, actor: actor.id }),
  }),
});

const createPersonOperations = ({ people }: PeopleOperationsDeps) => ({
  'GET /people': operatorOperation({
    name: 'people list',
    summary: 'List the people of the gateway, in the order in which they were created.',
    input: PAGE,
    output: Type.Object({ people: list(PERSON), nextCursor: NEXT_CURSOR }),
    handle: async (_context, page) => {
      const { people: listed, nextCursor } = await people.list(page);
      return { people: listed.map(withTime), nextCursor };
    },
  }),
  'POST /people': operatorOperation({
    name: 'people create',
    summary: 'Create a person. The response has the password, this one time.',
    trail: 'person.created',
    input: {
      email: Type.String({ maxLength: 300, description: 'E-mail address to sign in with.' }),
      name: Type.Optional(
        Type.String({ maxLength: 1000, description: 'Name; by default, the e-mail address.' }),
      ),
      isOperator: Type.Boolean({
        default: false,
        description: 'Administers the gateway and every tenant.',
      }),
      memberships: Type.Optional(list(MEMBERSHIP, MAX_MEMBERSHIPS)),
    },
    output: Type.Object({ id: TEXT, email: TEXT, password: TEXT }),
    example: { email: 'ada@example.com', memberships: [{ tenant: 'acme', role: 'viewer' }] },
    returnsSecret: true,
    handle: async ({ actor }, { email, name = email, isOperator, memberships = [] }) => {
      const password = newPassword();
      const id = await people.create({
        ...{ email, name, password, isOperator, actor: actor.id },
        memberships: await Promise.all(
          memberships.map(async ({ tenant, role }) => ({
            tenantId: (await people.requireTenant(tenant)).id,
            role,
          })),
        ),
      });
      return { id, email: normalEmail(email), password: password.reveal() };
    },
  }),
  'PATCH /people/:person': operatorOperation({
    name: 'people change',
    summary: 'Make a person an operator of the gateway, or end that.',
    trail: ['person.operator_granted', 'person.operator_revoked'],
    input: { person: PERSON_ID, isOperator: Type.Boolean() },
    output: NOTHING,
    example: { isOperator: true },
    handle: ({ actor }, { person: personId, isOperator }) =>
      people.setOperator({ personId, isOperator, actor: actor.id }),
  }),
  'POST /people/:person/password': operatorOperation({
    name: 'people reset-password',
    summary: 'Give a person a new password, which the response has this one time.',
    trail: 'person.password_reset',
    input: {
      person: PERSON_ID,
      endsApps: Type.Boolean({
        default: false,
        description: 'Also ends the apps that the person has connected.',
      }),
    },
    output: Type.Object({ password: TEXT }),
    returnsSecret: true,
    handle: async ({ actor }, { person: personId, endsApps }) => {
      const password = await people.resetPassword({ personId, endsApps, actor: actor.id });
      return { password: password.reveal() };
    },
  }),
});

const createMemberOperations = ({ people }: PeopleOperationsDeps) => ({
  'GET /tenants/:tenant/members': tenantOperation('viewer', {
    name: 'members list',
    summary: 'List the members of a tenant, in the order in which their accounts were created.',
    input: PAGE,
    output: Type.Object({
      members: list(MEMBER),
      count: Type.Integer({ description: 'Members on all pages.' }),
      nextCursor: NEXT_CURSOR,
    }),
    handle: async ({ tenant }, page) => {
      const { members, ...rest } = await people.members({ tenantId: tenant.id, ...page });
      return {
        ...rest,
        members: members.map(({ joinedAtMs, ...member }) => ({
          ...member,
          joinedAt: isoTime(joinedAtMs),
        })),
      };
    },
  }),
  'PATCH /tenants/:tenant/members/:person': tenantOperation('admin', {
    name: 'members change',
    summary: 'Change the role of a member.',
    trail: 'member.changed',
    input: { person: PERSON_ID, role: ROLE },
    output: NOTHING,
    example: { role: 'admin' },
    handle: ({ tenant, actor }, { person: personId, role }) =>
      people.changeRole({ tenantId: tenant.id, personId, actor: actor.id }, role),
  }),
  'DELETE /tenants/:tenant/members/:person': tenantOperation('admin', {
    name: 'members remove',
    summary: 'Remove a member. A person who then has no tenant and is not an operator is deleted.',
    trail: 'member.removed',
    input: { person: PERSON_ID },
    output: NOTHING,
    handle: ({ tenant, actor }, { person: personId }) =>
      people.removeMember({ tenantId: tenant.id, personId, actor: actor.id }),
  }),
});

const createInvitationOperations = ({ people, adminUrl }: PeopleOperationsDeps) => ({
  'GET /tenants/:tenant/invitations': tenantOperation('admin', {
    name: 'invitations list',
    summary: 'List the pending invitations of a tenant, newest first.',
    input: {},
    output: Type.Object({ invitations: list(INVITATION) }),
    handle: async ({ tenant }) => ({
      invitations: (await people.invitations(tenant.id)).map(toListed),
    }),
  }),
  'POST /tenants/:tenant/invitations': tenantOperation('admin', {
    name: 'invitations create',
    summary: 'Invite an e-mail address to a tenant. The response has the link, this one time.',
    trail: 'invitation.created',
    input: {
      email: Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'Who may use the link. An older invitation of the address is replaced.',
      }),
      role: ROLE,
    },
    output: Type.Object({
      invitation: INVITATION,
      link: Type.String({
        description: 'It can be used once within 7 days, and is never shown again.',
      }),
    }),
    example: { email: 'ada@example.com', role: 'viewer' },
    returnsSecret: true,
    handle: async ({ tenant, actor, origin }, { email, role }) => {
      const { invitation, token } = await people.invite({
        tenantId: tenant.id,
        email,
        role,
        actor: actor.id,
        invitedBy: actor.key ?? actor.id,
      });
      const dashboard = adminUrl ?? `${origin ?? ''}/admin`;
      return {
        invitation: toListed(invitation),
        link: `${dashboard}/join?token=${token.reveal()}`,
      };
    },
  }),
  'DELETE /tenants/:tenant/invitations/:invitation': tenantOperation('admin', {
    name: 'invitations withdraw',
    summary: 'Withdraw an invitation, whose link then leads nowhere.',
    trail: 'invitation.withdrawn',
    input: { invitation: INVITATION_ID },
    output: NOTHING,
    handle: ({ tenant, actor }, { invitation: id }) =>
      people.withdrawInvitation({ tenantId: tenant.id, id, actor: actor.id }),
  }),
  'POST /tenants/:tenant/invitations/:invitation/restore': tenantOperation('admin', {
    name: 'invitations restore',
    summary:
      'Restore a withdrawn invitation with its link, unless another one was made since or the address has joined.',
    trail: 'invitation.restored',
    input: { invitation: INVITATION_ID },
    output: NOTHING,
    handle: ({ tenant, actor }, { invitation: id }) =>
      people.restoreInvitation({ tenantId: tenant.id, id, actor: actor.id }),
  }),
});

const withTime = <Row extends { readonly createdAtMs: number }>({ createdAtMs, ...row }: Row) => ({
  ...row,
  createdAt: isoTime(createdAtMs),
});

const toListed = ({
  expiresAtMs,
  ...row
}: Awaited<ReturnType<Directory['invitations']>>[number]) => ({
  ...withTime(row),
  expiresAt: isoTime(expiresAtMs),
});
