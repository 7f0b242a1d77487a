import {
  type DecodeLimits,
  decodeDocumentRegistration,
  decodeRegistration,
} from '../../registrations/request/decode-registration.ts';
import { maxJsonBytes } from '../../registrations/request/max-json-bytes.ts';
import {
  REGISTRATION,
  REGISTRATION_QUERY,
} from '../../registrations/request/registration-input.ts';
import type { RegistrationRequest } from '../../registrations/request/registration-request.ts';
import type { DescriptionCompiler } from '../../registrations/steps/description-compiler.ts';
import { readMembers } from '../json-rpc/read-members.ts';
import { FORBIDDEN, refusal } from '../json-rpc/refusals.ts';
import type { Route, RouteBody, RouteDescription, RouteRequest } from '../route.ts';
import { SUBMITTED_SCHEMA } from './registration-schemas.ts';

const NO_BODY = Buffer.alloc(0);

/** Decodes the body of `POST /api/v1/register`: a JSON object, or the description itself. */
export async function decodeSubmission(
  request: RouteRequest,
  split: DescriptionCompiler['split'],
  limits: DecodeLimits,
): Promise<RegistrationRequest> {
  const { headers, query, body } = request;
  const contentType = String(headers['content-type'] ?? 'application/json');
  // A query says that the body is the description, too: its parameters must not be ignored.
  if (Object.keys(query).length > 0 || !/^ *application\/json/i.test(contentType)) {
    // The framework does not check the query of a POST: every value is a string or an array of strings.
    const values = query as Readonly<Record<string, string | readonly string[]>>;
    return decodeDocumentRegistration(values, body ?? NO_BODY, limits);
  }
  const { members, document } = await readMembers(request, split);
  return decodeRegistration(members, limits, document);
}

/** The description of `POST /api/v1/register` in `/openapi.json`, with the bounds of its bodies. */
export const describeRegister = (maxDocumentBytes: number): RouteDescription => ({
  method: 'POST',
  path: '/api/v1/register',
  operation: 'registerApi',
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  summary: 'Register your own API',
  description: `Turns an OpenAPI description of at most ${maxDocumentBytes} bytes into tools of your tenant. The work is a job: follow \`status_url\`, or the event \`byoapi\` of \`GET /mcp/sse\`. With \`?name=\` the body is the description itself, in JSON or YAML; credentials are never read from the query. With a credential and \`spec_url\`, a description whose base address has another origin needs \`confirm_origins\` or \`base_url\`. The API key must not have a list of allowed tools.`,
  query: REGISTRATION_QUERY.properties,
  bodies: bodiesOf(maxDocumentBytes),
  responses: RESPONSES,
});

function bodiesOf(maxDocumentBytes: number): Readonly<Record<string, RouteBody>> {
  const yaml: RouteBody = {
    maxBytes: maxDocumentBytes,
    schema: { type: 'string', description: 'The description itself. `name` is in the query.' },
    examples: {
      yaml: {
        summary: 'A description in YAML',
        value: 'openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\npaths: {}\n',
      },
    },
  };
  return {
    'application/json': {
      maxBytes: maxJsonBytes(maxDocumentBytes),
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
    },
    'application/yaml': yaml,
    'application/x-yaml': yaml,
    'text/yaml': yaml,
  };
}

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
