import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isRegisteredId } from '../../platform/kernel/tool-policy.ts';
import { DELETED_VIEW, toDeletedView } from '../../registrations/registration-views.ts';
import type { Registrations } from '../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../registrations/request/decode-registration.ts';
import { readJobId } from '../../registrations/request/id-forms.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { readMembers } from '../json-rpc/read-members.ts';
import { FORBIDDEN, refusal } from '../json-rpc/refusals.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import { encodeJson } from './json-response.ts';
import { describeRegister } from './register.ts';
import { JOB_SCHEMA } from './registration-schemas.ts';
import { findTool } from './tools.ts';

export interface RegistrationRoutesDeps {
  readonly registrations: Pick<Registrations, 'submit' | 'status' | 'deleteByTool'>;
  readonly catalog: Pick<Catalog, 'findById'>;
  readonly limits: DecodeLimits;
}

/** The APIs that tenants register (docs/contract.md#registration). */
export const createRegistrationRoutes = (deps: RegistrationRoutesDeps): Route[] => [
  registerRoute(deps),
  jobStatusRoute(deps),
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

const registerRoute = ({ registrations, limits }: RegistrationRoutesDeps): Route => ({
  ...describeRegister(limits.maxDocumentBytes),
  handle: async (request) => {
    const caller = registrationsCallerOf(request);
    // Least of all a credential, which would be in the logs of proxies.
    if (Object.keys(request.query).length > 0) {
      throw new GatewayError('invalid_request', 'Nothing is read from the query. Use the body.');
    }
    const decoded = decodeRegistration(readMembers(request), limits);
    const { jobId, status } = await registrations.submit(caller, decoded);
    const location = `/api/v1/register/${jobId}/status`;
    const body = { job_id: jobId, status, status_url: location };
    return { status: 202, headers: { location }, body };
  },
});

const jobStatusRoute = ({ registrations }: RegistrationRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/v1/register/:id/status',
  operation: 'getRegistrationJob',
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  summary: 'Status of a registration job',
  params: { id: 'The job id.' },
  responses: {
    200: { description: 'The job.', schema: JOB_SCHEMA },
    403: FORBIDDEN,
    404: refusal('Your tenant has no job with this id.'),
  },
  handle: async (request) => {
    const caller = registrationsCallerOf(request);
    return encodeJson(await registrations.status(caller, readJobId(request.params['id'] ?? '')));
  },
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
    200: { description: 'What was deleted.', schema: DELETED_VIEW },
    403: refusal('The tool belongs to a preset, or the API key has a list of allowed tools.'),
    404: refusal('The API key has no such tool.'),
  },
  handle: async (request) => {
    const { id } = findTool(catalog, request);
    const caller = registrationsCallerOf(request);
    if (isRegisteredId(id)) {
      return encodeJson(toDeletedView(await registrations.deleteByTool(caller, id)));
    }
    throw new GatewayError(
      'forbidden',
      `${id} does not belong to an API that your tenant registered, so you cannot delete it.`,
    );
  },
});
