import type { Registrations } from '../../../registrations/registrations.ts';
import {
  decodeRefresh,
  type RefreshRequest,
} from '../../../registrations/request/decode-refresh.ts';
import type { DecodeLimits } from '../../../registrations/request/decode-registration.ts';
import { maxJsonBytes } from '../../../registrations/request/max-json-bytes.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import type { JsonSchema } from '../../../tools/model.ts';
import { component, TEXT, TEXTS } from '../../json-rpc/component.ts';
import { readMembers } from '../../json-rpc/read-members.ts';
import type { Route, RouteExamples, RouteRequest } from '../../route.ts';
import { jsonResponse } from '../json-response.ts';
import { refusal } from '../refusals.ts';
import { registrationIdIn } from './path-ids.ts';
import { REGISTRATION_SCHEMA } from './registration-schema.ts';
import { registrationsCallerOf } from './registrations-caller.ts';
import { REPORT_SCHEMA } from './report-schema.ts';
import { ORIGINS_LIST_SCHEMA } from './request-schemas.ts';

export interface RefreshDeps {
  readonly registrations: Pick<Registrations, 'refresh'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** `POST /api/v1/registrations/:id/refresh` (docs/contract.md#registration). */
export const createRefreshRoute = ({ registrations, split, limits }: RefreshDeps): Route => ({
  method: 'POST',
  path: '/api/v1/registrations/:id/refresh',
  operation: 'refreshRegistration',
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  summary: 'Take the description of a registered API again',
  description:
    'Fetches the description again, or takes the one in the body, and says how the tools differ. `outcome` says whether the new version is in use.',
  params: { id: 'The id of the registration.' },
  bodies: {
    'application/json': {
      maxBytes: maxJsonBytes(limits.maxDocumentBytes),
      schema: BODY_SCHEMA,
      examples: BODY_EXAMPLES,
    },
  },
  responses: {
    200: { description: 'What became of the tools.', schema: REFRESH_SCHEMA },
    400: refusal('The request is not valid. `message` lists every issue.'),
    403: refusal('The API key has a list of allowed tools.'),
    404: refusal('Your tenant has no registration with this id.'),
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
  handle: async (request) => {
    const caller = registrationsCallerOf(request);
    const id = registrationIdIn(request);
    const refresh = await decode(request, { split, limits });
    return jsonResponse(200, await registrations.refresh(caller, id, refresh));
  },
});

/** The description in use is fetched again if the request has no body. */
async function decode(
  request: RouteRequest,
  { split, limits }: Pick<RefreshDeps, 'split' | 'limits'>,
): Promise<RefreshRequest> {
  if (request.body === null || request.body.length === 0) return decodeRefresh(null, limits);
  const { members, document } = await readMembers(request, split);
  return decodeRefresh(members, limits, document);
}

const BODY_SCHEMA: JsonSchema = {
  $id: 'RefreshRequest',
  type: 'object',
  additionalProperties: false,
  properties: {
    spec_url: {
      type: 'string',
      description: 'Another address of the description. Without it, the last one is fetched again.',
    },
    spec_raw: { type: 'string', description: 'The description itself, in JSON or YAML.' },
    dry_run: { type: 'boolean', default: false, description: 'Only compare.' },
    confirm_origins: {
      ...ORIGINS_LIST_SCHEMA,
      description: 'Origins to which the credential may be sent: all of `origins.after`.',
    },
  },
};

const BODY_EXAMPLES: RouteExamples = {
  fetch: { summary: 'Fetch the description again', value: {} },
  compare: { summary: 'Only compare', value: { dry_run: true } },
  confirm: {
    summary: 'Send the credential to another origin',
    value: { confirm_origins: ['https://api.example.com'] },
  },
};

const ORIGINS_SCHEMA = component('RefreshOrigins', { before: TEXTS, after: TEXTS });

const CHANGE_SCHEMA = component('ToolChange', {
  tool: TEXT,
  parts: { type: 'array', items: { enum: ['description', 'parameters', 'request', 'origin'] } },
});

const REFRESH_SCHEMA = component('Refresh', {
  outcome: {
    enum: ['unchanged', 'updated', 'checked', 'confirmation_required', 'awaiting_approval'],
  },
  changes: component('RefreshChanges', {
    added: TEXTS,
    removed: TEXTS,
    changed: { type: 'array', items: CHANGE_SCHEMA },
  }),
  origins: ORIGINS_SCHEMA,
  report: REPORT_SCHEMA,
  registration: REGISTRATION_SCHEMA,
});
