import { Type } from 'typebox';
import {
  actorCaller,
  operatorOperation,
  type TenantAddress,
  tenantOperation,
} from '../platform/input/operation.ts';
import { list, NEXT_CURSOR, PAGE, recordOf } from '../platform/input/schema.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import { registeredToolId } from '../tools/catalog-entry.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import type { OpenRegistrations } from './open-registrations.ts';
import {
  DELETED_VIEW,
  type JobView,
  REFRESH_VIEW,
  REGISTRATION_VIEW,
  SHOWN_REGISTRATION,
  toDeletedView,
} from './registration-views.ts';
import { type DecodeLimits, decodePatch, decodeRefresh } from './request/decode-registration.ts';
import { readJobId, readRegistrationId } from './request/id-forms.ts';
import { REGISTRATION_CHANGE, REGISTRATION_REFRESH } from './request/registration-input.ts';

export interface RegistrationOperationsDeps {
  readonly registrations: Pick<
    OpenRegistrations,
    'list' | 'get' | 'delete' | 'forPeople' | 'ready' | 'status'
  >;
  readonly catalog: Pick<Catalog, 'findById'>;
  readonly statistics: {
    /** The calls of the last 24 hours, in the order of the prefixes of tools. */
    readonly prefixCalls: (
      tenantId: string,
      prefixes: readonly string[],
    ) => Promise<readonly { readonly calls: number; readonly failures: number }[]>;
  };
}

const ID = { id: Type.String({ description: 'Id of the registration.' }) };
const JOB_ID = { id: Type.String({ maxLength: 100, description: 'Id of the job.' }) };
const JOBS_PAGE = {
  ...PAGE,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Entries on a page.' }),
};
const REGISTRATION_PAGE = Type.Object(
  { registrations: list(REGISTRATION_VIEW), nextCursor: NEXT_CURSOR },
  { $id: 'RegistrationPage' },
);

/** Where tenants manage their registrations; the statuses are those beside the usual. */
const tenantAddress = (
  operation: string,
  path: '' | '/:id' | '/:id/refresh',
  more: Partial<TenantAddress> = {},
): TenantAddress => ({
  path: `/api/v1/registrations${path}`,
  operation,
  tag: 'Registration',
  ...more,
  statuses: {
    ...(path && { 404: 'Your tenant has no registration with this id.' }),
    ...more.statuses,
  },
});

/** The APIs of a tenant for its members and its keys. */
export const createRegistrationOperations = (deps: RegistrationOperationsDeps) => ({
  ...createApiOperations(deps),
  ...createJobOperations(deps),
});

const createApiOperations = ({
  registrations,
  catalog,
  statistics,
}: RegistrationOperationsDeps) => ({
  'GET /tenants/:tenant/registrations': tenantOperation('viewer', {
    address: tenantAddress('listRegistrations', ''),
    name: 'registrations list',
    summary: 'List the APIs that a tenant has registered, oldest first.',
    input: PAGE,
    output: REGISTRATION_PAGE,
    handle: async ({ tenant }, request) => {
      const page = await registrations.list({ tenantId: tenant.id }, request);
      const prefixes = page.registrations.map(({ slug }) =>
        registeredToolId({ tenantSlug: tenant.slug, slug }, ''),
      );
      const used = await statistics.prefixCalls(tenant.id, prefixes);
      const counted = page.registrations.map((registration, at) => ({
        ...registration,
        calls: used[at]?.calls ?? 0,
        failures: used[at]?.failures ?? 0,
      }));
      return { ...page, registrations: counted };
    },
  }),
  'GET /registrations': operatorOperation({
    name: 'gateway registrations',
    summary: 'List the APIs that all tenants have registered, oldest first.',
    input: PAGE,
    output: REGISTRATION_PAGE,
    handle: (_context, request) => registrations.list({}, request),
  }),
  'GET /tenants/:tenant/registrations/:id': tenantOperation('viewer', {
    address: tenantAddress('getRegistration', '/:id'),
    name: 'registrations show',
    summary: 'Show a registered API with its tools, its source and its latest changes.',
    input: ID,
    output: SHOWN_REGISTRATION,
    handle: async (context, { id }) => {
      const owner = actorCaller(context);
      const known = readRegistrationId(id);
      await registrations.ready(owner.tenantId);
      return registrations.get(owner, known, (toolId) => catalog.findById(owner, toolId));
    },
  }),
  'GET /tenants/:tenant/registrations/:id/report': tenantOperation('viewer', {
    name: 'registrations report',
    summary: 'Show the report on the description of a registered API.',
    input: ID,
    output: Type.Object({ report: recordOf<ApiReport>('What became of each operation.') }),
    handle: async ({ tenant }, { id }) => ({
      report: await registrations.forPeople.report(tenant.id, readRegistrationId(id)),
    }),
  }),
  'DELETE /tenants/:tenant/registrations/:id': tenantOperation('admin', {
    address: tenantAddress('deleteRegistration', '/:id'),
    name: 'registrations delete',
    summary: 'Delete a registered API with its tools.',
    trail: 'registration.deleted',
    input: ID,
    output: DELETED_VIEW,
    handle: async (context, { id }) =>
      toDeletedView(await registrations.delete(actorCaller(context), readRegistrationId(id))),
  }),
});

export interface ChangeOperationsDeps {
  readonly registrations: Pick<OpenRegistrations, 'patch' | 'refresh'>;
  readonly limits: DecodeLimits;
}

const INVALID = 'The request is not valid. `message` lists every issue.';

/** What changes an API of a tenant. A body may have a credential, or confirm where one is sent. */
export const createChangeOperations = ({ registrations, limits }: ChangeOperationsDeps) => ({
  'PATCH /tenants/:tenant/registrations/:id': tenantOperation('key', {
    address: tenantAddress('changeRegistration', '/:id', {
      description: 'Applies all members or none.',
      body: REGISTRATION_CHANGE,
      statuses: {
        400: INVALID,
        409: 'The name is in use; `Location` names the registration that has it. Or the registration has another `revision`.',
        422: 'No operation can become a tool, or there are too many.',
        503: 'A credential cannot be encrypted, or the gateway is busy.',
      },
    }),
    name: 'registrations change',
    summary: 'Change a registered API.',
    input: { ...ID, ...REGISTRATION_CHANGE.properties },
    output: REGISTRATION_VIEW,
    example: { name: 'Pet shop', auth: { type: 'bearer', token: 'another secret' } },
    takesSecret: true,
    checksInput: true,
    handle: async (context, { id, ...members }) => {
      const { revision, ...patch } = decodePatch(members, limits.urls);
      return registrations.patch(actorCaller(context), readRegistrationId(id), patch, revision);
    },
  }),
  'POST /tenants/:tenant/registrations/:id/refresh': tenantOperation('key', {
    address: tenantAddress('refreshRegistration', '/:id/refresh', {
      description:
        'Fetches the description again, or takes the one in the body, and says how the tools differ. `outcome` says whether the new tools are in use.',
      body: REGISTRATION_REFRESH,
      statuses: {
        400: INVALID,
        409: 'The registration was changed meanwhile, or has other origins than were confirmed. Send the request again.',
        413: 'The description is too large.',
        422: 'No operation of the description can become a tool.',
        429: 'Another refresh of your tenant runs, or the rate limit is used up.',
        502: 'The description cannot be fetched.',
        503: 'The gateway is busy.',
        504: 'The description took too long to fetch.',
      },
    }),
    name: 'registrations refresh',
    summary: 'Take the description of a registered API again.',
    input: { ...ID, ...REGISTRATION_REFRESH.properties },
    output: REFRESH_VIEW,
    example: { confirm_origins: ['https://api.example.com'] },
    takesSecret: true,
    checksInput: true,
    maxDocumentBytes: limits.maxDocumentBytes,
    handle: async (context, { id, ...members }) => {
      const { revision, ...refresh } = decodeRefresh(members, limits);
      return registrations.refresh(actorCaller(context), readRegistrationId(id), refresh, revision);
    },
  }),
});

const createJobOperations = ({ registrations }: RegistrationOperationsDeps) => ({
  'GET /tenants/:tenant/registration-jobs': tenantOperation('viewer', {
    name: 'registration-jobs list',
    summary: 'List the registration jobs of a tenant, newest first, also those that failed.',
    input: JOBS_PAGE,
    output: Type.Object({
      jobs: list(
        recordOf<JobView>('A job as its status shows it, without its `report` and its `toolIds`.'),
      ),
      nextCursor: NEXT_CURSOR,
    }),
    handle: ({ tenant }, { cursor, limit }) => {
      const before = cursor === undefined ? undefined : readJobId(cursor);
      return registrations.forPeople.jobs(tenant.id, { before, limit });
    },
  }),
  'GET /tenants/:tenant/registration-jobs/:id': tenantOperation('viewer', {
    name: 'registration-jobs show',
    summary: 'Show a registration job with its report.',
    input: JOB_ID,
    output: recordOf<JobView>('The job as its status shows it to a key.'),
    handle: ({ tenant }, { id }) => registrations.status({ tenantId: tenant.id }, readJobId(id)),
  }),
});
