import type { Registrations } from '../../../registrations/registrations.ts';
import type { Route } from '../../route.ts';
import { jsonResponse } from '../json-response.ts';
import { refusal } from '../refusals.ts';
import { JOB_SCHEMA } from './job-schema.ts';
import { jobIdIn } from './path-ids.ts';
import { registrationsCallerOf } from './registrations-caller.ts';

/** `GET /api/v1/register/:id/status` (docs/contract.md#registration). */
export function createJobStatusRoute(registrations: Pick<Registrations, 'status'>): Route {
  return {
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
      403: refusal('The API key has a list of allowed tools.'),
      404: refusal('Your tenant has no job with this id.'),
    },
    handle: async (request) => {
      const caller = registrationsCallerOf(request);
      return jsonResponse(200, await registrations.status(caller, jobIdIn(request)));
    },
  };
}
