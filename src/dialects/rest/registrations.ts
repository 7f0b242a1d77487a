import { TEXT, TIME } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isRegisteredId } from '../../platform/kernel/tool-policy.ts';
import {
  DELETED_VIEW,
  type JobView,
  REPORT_VIEW,
  toDeletedView,
} from '../../registrations/registration-views.ts';
import type { Registrations } from '../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../registrations/request/decode-registration.ts';
import { readJobId } from '../../registrations/request/id-forms.ts';
import { REGISTRATION } from '../../registrations/request/registration-input.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { component, FORBIDDEN, type MemberSchema, refusal, TEXTS } from '../json-rpc/component.ts';
import { documentBodies, readMembers } from '../json-rpc/read-members.ts';
import { callerOf, type Route, type RouteDescription, type RouteRequest } from '../route.ts';
import { encodeJson } from './json-response.ts';
import { findTool } from './tools.ts';

/** The states of a job, in the order in which it goes through them. */
const JOB_STATES: readonly JobView['status'][] = [
  'queued',
  'fetching',
  'validating',
  'converting',
  'registered',
  'confirmation_required',
  'checked',
  'failed',
];

const JOB: Readonly<Record<keyof JobView, MemberSchema>> = {
  job_id: TEXT,
  jobId: { ...TEXT, description: 'The same as `job_id`.' },
  status: { enum: JOB_STATES },
  name: TEXT,
  progress: { type: 'number', minimum: 0, maximum: 1 },
  createdAt: TIME,
  updatedAt: TIME,
  error: {
    type: ['object', 'null'],
    required: ['code', 'message'],
    properties: {
      code: TEXT,
      message: TEXT,
      pointer: { ...TEXT, description: 'JSON pointer into the description, if known.' },
    },
  },
  origins: {
    ...TEXTS,
    description:
      'Where the credential would be sent; empty unless `status` is `confirmation_required` or `checked`.',
  },
  report: { anyOf: [REPORT_VIEW, { type: 'null' }] },
  toolIds: { ...TEXTS, description: 'Empty unless `status` is `registered`.' },
  registrationId: { type: ['string', 'null'], description: 'What the job registered.' },
};

const JOB_SCHEMA = component('RegistrationJob', JOB);

const SUBMITTED_SCHEMA = component('SubmittedJob', {
  job_id: TEXT,
  status: { enum: JOB_STATES },
  status_url: { ...TEXT, description: 'Path of the job.' },
});

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

/** The description of `POST /api/v1/register` in `/openapi.json`, with the bounds of its bodies. */
export const describeRegister = (maxDocumentBytes: number): RouteDescription => ({
  method: 'POST',
  path: '/api/v1/register',
  operation: 'registerApi',
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  summary: 'Register your own API',
  description: `Turns an OpenAPI description of at most ${maxDocumentBytes} bytes into tools of your tenant. The work is a job: follow \`status_url\`, or the event \`byoapi\` of \`GET /mcp/sse\`. A large description is a part of a form. With a credential and \`spec_url\`, a description whose base address has another origin needs \`confirm_origins\` or \`base_url\`. The API key must not have a list of allowed tools.`,
  bodies: documentBodies(BODY, maxDocumentBytes),
  responses: RESPONSES,
});

const BODY = {
  schema: REGISTRATION,
  examples: {
    address: {
      summary: 'By the address of its description',
      value: {
        name: 'Pets',
        spec_url: 'https://api.example.com/openapi.json',
        auth: { type: 'bearer', token: 'secret' },
        include: [{ tag: 'pets' }],
      },
    },
  },
};

const location = (description: string) => ({ location: { type: 'string', description } });

const RESPONSES: Route['responses'] = {
  202: {
    description: 'The job is stored.',
    headers: location('Address of the job.'),
    schema: SUBMITTED_SCHEMA,
    examples: {
      job: {
        summary: 'The job waits for its turn',
        value: {
          job_id: 'job_01JZ8Q4T0V8Z9Q4M8X2R6B7N5K',
          status: 'queued',
          status_url: '/api/v1/register/job_01JZ8Q4T0V8Z9Q4M8X2R6B7N5K/status',
        },
      },
    },
  },
  400: refusal('The request is not valid. `message` lists every issue.'),
  403: FORBIDDEN,
  409: {
    ...refusal('A registration has the name, or a job that has not ended.'),
    headers: location('Address of the existing registration or job.'),
  },
  413: refusal('The description is too large.'),
  415: refusal('The body has another media type.'),
  422: refusal('Too many registrations.'),
  429: refusal('Too many jobs of the tenant are waiting, or the rate limit is used up.'),
  503: refusal('A credential cannot be encrypted, or the gateway is busy.'),
};
