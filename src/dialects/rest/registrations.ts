import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  REGISTRATION_VIEW,
  type RegistrationView,
  SHOWN_REGISTRATION,
} from '../../registrations/registration-views.ts';
import type { Registrations } from '../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodePatch,
  decodeRefresh,
} from '../../registrations/request/decode-registration.ts';
import { readJobId, readRegistrationId } from '../../registrations/request/id-forms.ts';
import { maxJsonBytes } from '../../registrations/request/max-json-bytes.ts';
import {
  REGISTRATION_CHANGE,
  REGISTRATION_REFRESH,
} from '../../registrations/request/registration-input.ts';
import type { DescriptionCompiler } from '../../registrations/steps/description-compiler.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { isRegisteredId } from '../../tools/catalog-entry.ts';
import { readMembers } from '../json-rpc/read-members.ts';
import { FORBIDDEN, refusal } from '../json-rpc/refusals.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import { encodeJson } from './json-response.ts';
import { CURSOR_QUERY, optionalText } from './list-query.ts';
import { decodeSubmission, describeRegister } from './register.ts';
import {
  DELETED_SCHEMA,
  JOB_SCHEMA,
  REFRESH_SCHEMA,
  REGISTRATION_PAGE_SCHEMA,
} from './registration-schemas.ts';
import { findTool } from './tools.ts';

export interface RegistrationRoutesDeps {
  readonly registrations: Pick<
    Registrations,
    'submit' | 'status' | 'list' | 'get' | 'patch' | 'refresh' | 'delete' | 'deleteByTool'
  >;
  readonly catalog: Pick<Catalog, 'findById'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** The APIs that tenants register (docs/contract.md#registration). */
export const createRegistrationRoutes = (deps: RegistrationRoutesDeps): Route[] => [
  registerRoute(deps),
  jobStatusRoute(deps),
  listRoute(deps),
  getRoute(deps),
  changeRoute(deps),
  refreshRoute(deps),
  deleteRoute(deps),
  deleteByToolRoute(deps),
];

/**
 * The caller of a request about registrations. Throws `forbidden` for a key with a list of allowed tools: it would see and
 * change tools that do not exist for it.
 */
function registrationsCallerOf(request: RouteRequest): Caller {
  const caller = callerOf(request);
  if (caller.allowedTools === null) return caller;
  throw new GatewayError(
    'forbidden',
    'This API key has a list of allowed tools and cannot manage registered APIs. Use a key of the same tenant without such a list.',
  );
}

/** Throws `not_found` for what is not an id. */
const registrationIdIn = ({ params }: RouteRequest): string =>
  readRegistrationId(params['id'] ?? '');

/** A route that responds with JSON, for keys without a list of allowed tools. */
export const registrationRoute = ({
  run,
  ...description
}: Omit<Route, 'access' | 'tag' | 'handle'> & {
  readonly run: (caller: Caller, request: RouteRequest) => Promise<unknown>;
}): Route => ({
  ...description,
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  responses: { ...description.responses, 403: FORBIDDEN },
  handle: async (request) => encodeJson(await run(registrationsCallerOf(request), request)),
});

const ID = { id: 'The id of the registration.' };
const UNKNOWN = refusal('Your tenant has no registration with this id.');
const INVALID = refusal('The request is not valid. `message` lists every issue.');

const registerRoute = ({ registrations, split, limits }: RegistrationRoutesDeps): Route => ({
  ...describeRegister(limits.maxDocumentBytes),
  handle: async (request) => {
    const caller = registrationsCallerOf(request);
    const decoded = await decodeSubmission(request, split, limits);
    const key = request.headers['idempotency-key'];
    const idempotencyKey = key === undefined ? undefined : String(key);
    const { jobId, status } = await registrations.submit(caller, decoded, idempotencyKey);
    const location = `/api/v1/register/${jobId}/status`;
    const body = { job_id: jobId, status, status_url: location };
    return { status: 202, headers: { location }, body };
  },
});

const jobStatusRoute = ({ registrations }: RegistrationRoutesDeps): Route =>
  registrationRoute({
    method: 'GET',
    path: '/api/v1/register/:id/status',
    operation: 'getRegistrationJob',
    summary: 'Status of a registration job',
    params: { id: 'The job id.' },
    responses: {
      200: { description: 'The job.', schema: JOB_SCHEMA },
      404: refusal('Your tenant has no job with this id.'),
    },
    run: async (caller, { params }) => registrations.status(caller, readJobId(params['id'] ?? '')),
  });

const listRoute = ({ registrations }: RegistrationRoutesDeps): Route =>
  registrationRoute({
    method: 'GET',
    path: '/api/v1/registrations',
    operation: 'listRegistrations',
    summary: 'APIs that your tenant registered, oldest first',
    query: {
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 50,
        description: 'Entries on a page.',
      },
      cursor: CURSOR_QUERY,
    },
    responses: {
      200: { description: 'A page of registrations.', schema: REGISTRATION_PAGE_SCHEMA },
      400: refusal('The limit or the cursor is not valid.'),
    },
    run: async (caller, request) => {
      const { cursor } = optionalText(request.query, 'cursor');
      return registrations.list(caller, { limit: Number(request.query['limit']), cursor });
    },
  });

const getRoute = ({ registrations }: RegistrationRoutesDeps): Route =>
  registrationRoute({
    method: 'GET',
    path: '/api/v1/registrations/:id',
    operation: 'getRegistration',
    summary: 'One registered API',
    params: ID,
    responses: {
      200: { description: 'The registration.', schema: SHOWN_REGISTRATION },
      404: UNKNOWN,
    },
    run: async (caller, request) => registrations.get(caller, registrationIdIn(request)),
  });

const changeRoute = ({ registrations, split, limits }: RegistrationRoutesDeps): Route =>
  registrationRoute({
    method: 'PATCH',
    path: '/api/v1/registrations/:id',
    operation: 'changeRegistration',
    summary: 'Change a registered API',
    description: 'Applies all members or none.',
    params: ID,
    body: {
      schema: REGISTRATION_CHANGE,
      examples: {
        rename: {
          summary: 'Another name and credential',
          value: { name: 'Pet shop', auth: { type: 'bearer', token: 'another secret' } },
        },
      },
    },
    responses: {
      200: { description: 'The registration after the change.', schema: REGISTRATION_VIEW },
      400: INVALID,
      404: UNKNOWN,
      409: refusal('The name is in use; `Location` names the registration that has it.'),
      422: refusal('No operation can become a tool, or there are too many.'),
      503: refusal('A credential cannot be encrypted, or the gateway is busy.'),
    },
    run: async (caller, request) => {
      const id = registrationIdIn(request);
      const { members, document } = await readMembers(request, split);
      // A member that the thread has taken out is refused by its name.
      const body = document === null ? members : { ...Object(members), spec_raw: '' };
      return registrations.patch(caller, id, decodePatch(body, limits.urls));
    },
  });

const refreshRoute = ({ registrations, split, limits }: RegistrationRoutesDeps): Route =>
  registrationRoute({
    method: 'POST',
    path: '/api/v1/registrations/:id/refresh',
    operation: 'refreshRegistration',
    summary: 'Take the description of a registered API again',
    description:
      'Fetches the description again, or takes the one in the body, and says how the tools differ. `outcome` says whether the new tools are in use.',
    params: ID,
    bodies: {
      'application/json': {
        maxBytes: maxJsonBytes(limits.maxDocumentBytes),
        schema: REGISTRATION_REFRESH,
        examples: {
          fetch: { summary: 'Fetch the description again', value: {} },
          compare: { summary: 'Only compare', value: { dry_run: true } },
          confirm: {
            summary: 'Send the credential to another origin',
            value: { confirm_origins: ['https://api.example.com'] },
          },
        },
      },
    },
    responses: {
      200: { description: 'What became of the tools.', schema: REFRESH_SCHEMA },
      400: INVALID,
      404: UNKNOWN,
      409: refusal(
        'The registration was changed meanwhile, or has other origins than were confirmed. Send the request again.',
      ),
      413: refusal('The description is too large.'),
      422: refusal('No operation of the description can become a tool.'),
      429: refusal('Another refresh of your tenant runs, or the rate limit is used up.'),
      502: refusal('The description cannot be fetched.'),
      503: refusal('The gateway is busy.'),
      504: refusal('The description took too long to fetch.'),
    },
    run: async (caller, request) => {
      const id = registrationIdIn(request);
      // Without a body, the description in use is fetched again.
      const { members, document } = request.body?.length
        ? await readMembers(request, split)
        : { members: null, document: null };
      const refresh = decodeRefresh(members, limits, document);
      return registrations.refresh(caller, id, refresh);
    },
  });

const deleteRoute = ({ registrations }: RegistrationRoutesDeps): Route =>
  registrationRoute({
    method: 'DELETE',
    path: '/api/v1/registrations/:id',
    operation: 'deleteRegistration',
    summary: 'Delete a registered API',
    params: ID,
    responses: {
      200: { description: 'What was deleted.', schema: DELETED_SCHEMA },
      404: UNKNOWN,
    },
    run: async (caller, request) =>
      deletedBody(await registrations.delete(caller, registrationIdIn(request))),
  });

const deleteByToolRoute = ({ registrations, catalog }: RegistrationRoutesDeps): Route => ({
  method: 'DELETE',
  path: '/api/v1/tools/:toolId',
  operation: 'deleteToolApi',
  access: 'key',
  tag: 'Tools',
  summary: 'Delete the registered API of a tool',
  description: 'Deletes the API that the tool belongs to, with all its tools.',
  params: { toolId: 'The id, or the tool name alone.' },
  responses: {
    200: { description: 'What was deleted.', schema: DELETED_SCHEMA },
    403: refusal('The tool belongs to a preset, or the API key has a list of allowed tools.'),
    404: refusal('The API key has no such tool.'),
  },
  handle: async (request) => {
    const { id } = findTool(catalog, request);
    const caller = registrationsCallerOf(request);
    if (isRegisteredId(id)) {
      return encodeJson(deletedBody(await registrations.deleteByTool(caller, id)));
    }
    throw new GatewayError(
      'forbidden',
      `${id} does not belong to an API that your tenant registered, so you cannot delete it.`,
    );
  },
});

function deletedBody(deleted: RegistrationView) {
  const { name, toolIds } = deleted;
  const tools = toolIds.length === 1 ? 'its tool' : `all ${toolIds.length} tools`;
  return { deleted, message: `Deleted the API "${name}" with ${tools}.` };
}
