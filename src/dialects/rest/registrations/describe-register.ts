import { maxJsonBytes } from '../../../registrations/request/max-json-bytes.ts';
import type { JsonSchema } from '../../../tools/model.ts';
import { component, TEXT } from '../../json-rpc/component.ts';
import type { Route, RouteBody, RouteDescription, RouteExamples } from '../../route.ts';
import { refusal } from '../refusals.ts';
import { JOB_STATES } from './job-schema.ts';
import { AUTH_SCHEMA, FILTERS_SCHEMA, ORIGINS_LIST_SCHEMA } from './request-schemas.ts';

/** Media types of a body that is the description itself, besides JSON. */
const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml'];

/** The description of `POST /api/v1/register` in `/openapi.json`, with the bounds of its bodies. */
export const describeRegister = (maxDocumentBytes: number): RouteDescription => ({
  method: 'POST',
  path: '/api/v1/register',
  operation: 'registerApi',
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  summary: 'Register your own API',
  description: `Turns an OpenAPI description of at most ${maxDocumentBytes} bytes into tools of your tenant. The work is a job: follow \`status_url\`, or the event \`byoapi\` of \`GET /mcp/sse\`. With \`?name=\` the body is the description itself, in JSON or YAML; credentials are never read from the query. With a credential and \`spec_url\`, a description whose base address has another origin needs \`confirm_origins\` or \`base_url\`. Send \`Idempotency-Key\` to repeat a request safely for 24 hours. The API key must not have a list of allowed tools.`,
  query: QUERY,
  bodies: bodiesOf(maxDocumentBytes),
  responses: RESPONSES,
});

function bodiesOf(maxDocumentBytes: number): Readonly<Record<string, RouteBody>> {
  const yaml: RouteBody = {
    maxBytes: maxDocumentBytes,
    schema: DOCUMENT_SCHEMA,
    examples: DOCUMENT_EXAMPLES,
  };
  return {
    'application/json': {
      maxBytes: maxJsonBytes(maxDocumentBytes),
      schema: BODY_SCHEMA,
      examples: BODY_EXAMPLES,
    },
    ...Object.fromEntries(YAML.map((mediaType) => [mediaType, yaml])),
  };
}

const DOCUMENT_SCHEMA: JsonSchema = {
  type: 'string',
  description: 'The description itself. `name` is in the query.',
};

const DOCUMENT_EXAMPLES: RouteExamples = {
  yaml: {
    summary: 'A description in YAML',
    value: 'openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\npaths: {}\n',
  },
};

const VISIBILITY = {
  enum: ['private', 'public'],
  default: 'private',
  description:
    '`public`: for all tenants, once the operator has approved it. The API must need no credential.',
};
const CATEGORY = {
  type: 'string',
  maxLength: 40,
  description: 'Lower-case letters, digits and single hyphens.',
};
const DESCRIPTION = { type: 'string', maxLength: 2000 };
const BASE_URL = {
  type: 'string',
  description: 'Base address of the API, in place of the first server of the description.',
};
const DRY_RUN = { type: 'boolean', default: false, description: 'Only check the description.' };
const NAME = { type: 'string', maxLength: 100, description: 'Name of the API.' };

const QUERY = {
  name: { ...NAME, description: 'Name of the API. The body is then the description itself.' },
  visibility: VISIBILITY,
  category: CATEGORY,
  description: DESCRIPTION,
  base_url: BASE_URL,
  dry_run: DRY_RUN,
};

const BODY_SCHEMA: JsonSchema = {
  $id: 'RegistrationRequest',
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: NAME,
    spec_url: {
      type: 'string',
      description: 'Address of the description. Send this or `spec_raw`.',
    },
    spec_raw: { type: 'string', description: 'The description itself, in JSON or YAML.' },
    auth: AUTH_SCHEMA,
    visibility: VISIBILITY,
    category: CATEGORY,
    description: DESCRIPTION,
    base_url: BASE_URL,
    confirm_origins: {
      ...ORIGINS_LIST_SCHEMA,
      description: 'Origins to which the credential may be sent: all `origins` of the job.',
    },
    include: { ...FILTERS_SCHEMA, description: 'Only operations that one of these fits.' },
    exclude: { ...FILTERS_SCHEMA, description: 'No operation that one of these fits.' },
    dry_run: DRY_RUN,
  },
};

const BODY_EXAMPLES: RouteExamples = {
  address: {
    summary: 'By the address of its description',
    value: {
      name: 'Pets',
      spec_url: 'https://api.example.com/openapi.json',
      auth: { type: 'bearer', token: 'secret' },
      include: [{ tag: 'pets' }],
    },
  },
};

const LOCATION = { location: { type: 'string', description: 'Address of the job.' } };
const EXISTING = {
  location: { type: 'string', description: 'Address of the existing registration or job.' },
};

const RESPONSES: Route['responses'] = {
  202: {
    description: 'The job is stored.',
    headers: LOCATION,
    schema: component('SubmittedJob', {
      job_id: TEXT,
      status: { enum: JOB_STATES },
      status_url: { ...TEXT, description: 'Path of the job.' },
    }),
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
  403: refusal('The API key has a list of allowed tools.'),
  409: {
    ...refusal('The name is in use, or the `Idempotency-Key` was sent with another request.'),
    headers: EXISTING,
  },
  413: refusal('The description is too large.'),
  415: refusal('The body has another media type.'),
  422: refusal('A public API with a credential, or too many registrations.'),
  429: refusal('Too many jobs of the tenant are waiting, or the rate limit is used up.'),
  503: refusal('A credential cannot be encrypted, or the gateway is busy.'),
};
