import { Type } from 'typebox';
import { actorCaller, operatorOperation, tenantOperation } from '../platform/input/operation.ts';
import { INTEGER, list, NEXT_CURSOR, PAGE, recordOf } from '../platform/input/schema.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import { registeredToolId } from '../tools/catalog-entry.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import type { OpenRegistrations } from './open-registrations.ts';
import {
  type JobView,
  OWNED_REGISTRATION,
  REGISTRATION_VIEW,
  type toRegistrationDetails,
} from './registration-views.ts';
import { readJobId, readRegistrationId } from './request/id-forms.ts';

type RegistrationDetails = ReturnType<typeof toRegistrationDetails>;

export interface RegistrationOperationsDeps {
  readonly registrations: Pick<
    OpenRegistrations,
    'list' | 'listAll' | 'delete' | 'forPeople' | 'ready' | 'status'
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

const ID = { id: Type.String({ maxLength: 100, description: 'Id of the registration.' }) };
const JOB_ID = { id: Type.String({ maxLength: 100, description: 'Id of the job.' }) };
const JOBS_PAGE = {
  ...PAGE,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Entries on a page.' }),
};

const USED_REGISTRATION = Type.Object(
  {
    ...OWNED_REGISTRATION.properties,
    calls: Type.Integer({ description: 'Calls of the tenant within the last 24 hours.' }),
    failures: INTEGER,
  },
  { $id: 'UsedRegistration' },
);

/** The APIs of a tenant for its members. */
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
    name: 'registrations list',
    summary: 'List the APIs that a tenant has registered, oldest first.',
    input: PAGE,
    output: Type.Object({ registrations: list(USED_REGISTRATION), nextCursor: NEXT_CURSOR }),
    handle: async ({ tenant }, request) => {
      const page = await registrations.list({ tenantId: tenant.id }, request);
      const prefixes = page.registrations.map(({ slug }) =>
        registeredToolId({ tenantSlug: tenant.slug, slug }, ''),
      );
      const used = await statistics.prefixCalls(tenant.id, prefixes);
      return {
        registrations: page.registrations.map((registration, at) => ({
          ...registration,
          tenant: tenant.slug,
          calls: used[at]?.calls ?? 0,
          failures: used[at]?.failures ?? 0,
        })),
        nextCursor: page.nextCursor,
      };
    },
  }),
  'GET /registrations': operatorOperation({
    name: 'gateway registrations',
    summary: 'List the APIs that all tenants have registered, oldest first.',
    input: PAGE,
    output: Type.Object({ registrations: list(OWNED_REGISTRATION), nextCursor: NEXT_CURSOR }),
    handle: (_context, request) => registrations.listAll(request),
  }),
  'GET /tenants/:tenant/registrations/:id': tenantOperation('viewer', {
    name: 'registrations show',
    summary: 'Show a registered API with its tools, its source and its latest changes.',
    input: ID,
    output: recordOf<ShownRegistration>(
      'The registration with `revision`, `source`, `options`, `origins`, `tools` and `history`.',
    ),
    handle: async (context, { id }) => {
      const { tenant } = context;
      const known = readRegistrationId(id);
      const found = await registrations.forPeople.registration(tenant.id, known);
      await registrations.ready(tenant.id);
      const caller = actorCaller(context);
      const tools = found.tools.map((tool) => {
        const listed = catalog.findById(caller, tool.id);
        const { method, path } = listed?.tool ?? { method: null, path: null };
        return { ...tool, description: listed?.description ?? null, method, path };
      });
      return { ...found, tools };
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
    name: 'registrations delete',
    summary: 'Delete a registered API with its tools.',
    trail: 'registration.deleted',
    input: ID,
    output: Type.Object({ deleted: REGISTRATION_VIEW }),
    handle: async (context, { id }) => ({
      deleted: await registrations.delete(actorCaller(context), readRegistrationId(id)),
    }),
  }),
});

interface ShownRegistration extends Omit<RegistrationDetails, 'tools'> {
  readonly tools: readonly (RegistrationDetails['tools'][number] & {
    /** Null for a tool that is not in the catalog. */
    readonly description: string | null;
    readonly method: string | null;
    readonly path: string | null;
  })[];
}

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
