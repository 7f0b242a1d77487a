import { REGISTRATION } from '../../registrations/request/registration-input.ts';
import { documentBodies } from '../json-rpc/read-members.ts';
import { FORBIDDEN, refusal } from '../json-rpc/refusals.ts';
import type { Route, RouteDescription } from '../route.ts';
import { SUBMITTED_SCHEMA } from './registration-schemas.ts';

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
