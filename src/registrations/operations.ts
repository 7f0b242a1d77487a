import { Type } from 'typebox';
import { actorCaller, operatorOperation, tenantOperation } from '../platform/input/operation.ts';
import { INTEGER, list, NEXT_CURSOR, orNull, PAGE, recordOf } from '../platform/input/schema.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import { registeredToolId } from '../tools/catalog-entry.ts';
import { cleanLine } from '../tools/compile/clean-text.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import type { OpenRegistrations } from './open-registrations.ts';
import { decodeCursor, encodeCursor } from './registration-cursor.ts';
import {
  OWNED_REGISTRATION,
  REGISTRATION_VIEW,
  type toJobDetails,
  type toJobSummary,
  type toRegistrationDetails,
  type toReviewSummary,
} from './registration-views.ts';
import { readJobId, readRegistrationId } from './request/id-forms.ts';
import type { createReviews } from './reviews.ts';

type RegistrationDetails = ReturnType<typeof toRegistrationDetails>;
type Reviews = ReturnType<typeof createReviews>;

export interface RegistrationOperationsDeps {
  readonly registrations: Pick<
    OpenRegistrations,
    'list' | 'listAll' | 'delete' | 'forPeople' | 'reviews' | 'ready'
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
const REVIEWED = {
  ...ID,
  revision: Type.Integer({
    minimum: 1,
    description: '`revision` of what you reviewed: what was changed meanwhile is refused.',
  }),
};
const JOBS_PAGE = {
  ...PAGE,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Entries on a page.' }),
};

const LIST_INPUT = {
  ...PAGE,
  awaiting: Type.Optional(
    Type.Boolean({
      description: 'Only those that wait for approval, each with the version that waits.',
    }),
  ),
};

const USED_REGISTRATION = Type.Object(
  {
    ...OWNED_REGISTRATION.properties,
    calls: Type.Integer({ description: 'Calls of the tenant within the last 24 hours.' }),
    failures: INTEGER,
  },
  { $id: 'UsedRegistration' },
);

/** Characters of the reason that a tenant reads. */
const MAX_REASON_LENGTH = 500;

/** Entries on a page of the queue. */
const WAITING_PAGE = 50;

/** The APIs of a tenant for its members, and those that wait for the approval of an operator. */
export const createRegistrationOperations = (deps: RegistrationOperationsDeps) => ({
  ...createApiOperations(deps),
  ...createJobOperations(deps),
  ...createApprovalOperations(deps),
});

const createApiOperations = ({
  registrations,
  catalog,
  statistics,
}: RegistrationOperationsDeps) => ({
  'GET /tenants/:tenant/registrations': tenantOperation('viewer', {
    name: 'registrations list',
    summary: 'List the APIs that a tenant has registered, oldest first.',
    input: LIST_INPUT,
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
    input: LIST_INPUT,
    output: Type.Object({ registrations: list(OWNED_REGISTRATION), nextCursor: NEXT_CURSOR }),
    handle: (_context, request) => registrations.listAll(request),
  }),
  'GET /tenants/:tenant/registrations/:id': tenantOperation('viewer', {
    name: 'registrations show',
    summary: 'Show a registered API with its tools, its source and its latest changes.',
    input: ID,
    output: recordOf<ShownRegistration>(
      'The registration with `revision`, `version`, `source`, `options`, `origins`, `tools`, `latest`, `waiting` and `history`.',
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
    summary: 'Show the report on the latest version of a registered API.',
    input: ID,
    output: Type.Object({ report: recordOf<ApiReport>('What became of each operation.') }),
    handle: async ({ tenant }, { id }) => ({
      report: await registrations.forPeople.report(tenant.id, readRegistrationId(id)),
    }),
  }),
  'DELETE /tenants/:tenant/registrations/:id': tenantOperation('admin', {
    name: 'registrations delete',
    summary: 'Delete a registered API with its tools.',
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
        recordOf<ReturnType<typeof toJobSummary>>(
          'A job with `id`, `status`, `name`, `progress`, `isDryRun`, `actor`, `error`, `registrationId`, `canBeTried`, `createdAt` and `updatedAt`.',
        ),
      ),
      nextCursor: NEXT_CURSOR,
    }),
    handle: async ({ tenant }, { cursor, limit }) => {
      const before = cursor === undefined ? undefined : readJobId(cursor);
      const page = await registrations.forPeople.jobs(tenant.id, { before, limit });
      return { jobs: page.entries, nextCursor: page.nextCursor };
    },
  }),
  'GET /tenants/:tenant/registration-jobs/:id': tenantOperation('viewer', {
    name: 'registration-jobs show',
    summary: 'Show a registration job with its report.',
    input: JOB_ID,
    output: recordOf<ReturnType<typeof toJobDetails>>(
      'The job as in the list, with `origins`, `report`, `source`, `authType` and `options`.',
    ),
    handle: ({ tenant }, { id }) => registrations.forPeople.job(tenant.id, readJobId(id)),
  }),
});

const createApprovalOperations = ({ registrations: { reviews } }: RegistrationOperationsDeps) => ({
  'GET /approvals': operatorOperation({
    name: 'approvals list',
    summary: 'List the public APIs of all tenants that wait for approval, oldest first.',
    input: { cursor: PAGE.cursor },
    output: Type.Object({
      waiting: list(
        recordOf<ReturnType<typeof toReviewSummary>>(
          'A registration with its `tenant`, `kind`, `revision`, `source` and the names of its `tools`.',
        ),
      ),
      nextCursor: NEXT_CURSOR,
    }),
    handle: async (_context, { cursor }) => {
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const found = await reviews.list({ after, limit: WAITING_PAGE + 1 });
      const last = found.length > WAITING_PAGE ? found[WAITING_PAGE - 1] : undefined;
      return {
        waiting: found.slice(0, WAITING_PAGE),
        nextCursor: last ? encodeCursor(last.id) : null,
      };
    },
  }),
  'GET /approvals/:id': operatorOperation({
    name: 'approvals show',
    summary: 'Show an API that waits for approval, with its report and the texts of its tenant.',
    input: ID,
    output: recordOf<Awaited<ReturnType<Reviews['get']>>>(
      'The entry of the list, with `origins`, `ownTexts` and `report`.',
    ),
    handle: (_context, { id }) => reviews.get(readRegistrationId(id)),
  }),
  'GET /approvals/:id/changes': operatorOperation({
    name: 'approvals changes',
    summary: 'Compare a version that waits for approval with the one in use.',
    input: ID,
    output: Type.Object({
      comparison: orNull(
        recordOf<NonNullable<Awaited<ReturnType<Reviews['changes']>>>>(
          '`changes` and `origins`; null for a new API.',
        ),
      ),
    }),
    handle: async (_context, { id }) => ({
      comparison: await reviews.changes(readRegistrationId(id)),
    }),
  }),
  'POST /approvals/:id/approve': operatorOperation({
    name: 'approvals approve',
    summary: 'Approve a public API, so that every tenant sees its tools.',
    input: REVIEWED,
    output: OWNED_REGISTRATION,
    example: { revision: 1 },
    handle: ({ actor }, { id, revision }) =>
      reviews.approve(actor.id, readRegistrationId(id), { revision }),
  }),
  'POST /approvals/:id/reject': operatorOperation({
    name: 'approvals reject',
    summary: 'Reject a public API. Its tenant reads the reason.',
    input: {
      ...REVIEWED,
      reason: Type.String({
        maxLength: MAX_REASON_LENGTH,
        description: 'What the tenant should change; may be empty.',
      }),
    },
    output: OWNED_REGISTRATION,
    example: { revision: 1, reason: 'The description names no publisher.' },
    handle: ({ actor }, { id, revision, reason }) => {
      const cleaned = cleanLine(reason, MAX_REASON_LENGTH);
      const decision = { revision, ...(cleaned !== '' && { reason: cleaned }) };
      return reviews.reject(actor.id, readRegistrationId(id), decision);
    },
  }),
});
