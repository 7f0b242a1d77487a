import type { Registrations } from '../../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeDocumentRegistration,
  decodeRegistration,
} from '../../../registrations/request/decode-registration.ts';
import type { RegistrationRequest } from '../../../registrations/request/registration-request.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import { readMembers } from '../../json-rpc/read-members.ts';
import type { Route, RouteRequest } from '../../route.ts';
import { describeRegister } from './describe-register.ts';
import { registrationsCallerOf } from './registrations-caller.ts';

export interface RegisterDeps {
  readonly registrations: Pick<Registrations, 'submit'>;
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

const NO_BODY = Buffer.alloc(0);

/** `POST /api/v1/register` (docs/contract.md#registration). */
export function createRegisterRoute({ registrations, split, limits }: RegisterDeps): Route {
  async function decode(request: RouteRequest): Promise<RegistrationRequest> {
    if (isDescription(request)) {
      return decodeDocumentRegistration(queryOf(request), request.body ?? NO_BODY, limits);
    }
    const { members, document } = await readMembers(request, split);
    return decodeRegistration(members, limits, document);
  }

  return {
    ...describeRegister(limits.maxDocumentBytes),
    handle: async (request) => {
      const caller = registrationsCallerOf(request);
      const decoded = await decode(request);
      const job = await registrations.submit(caller, decoded, idempotencyKeyOf(request));
      const location = `/api/v1/register/${job.jobId}/status`;
      return {
        status: 202,
        headers: { location },
        body: { job_id: job.jobId, status: job.status, status_url: location },
      };
    },
  };
}

/** Whether the body is the description itself. A query says so too: its parameters must not be ignored. */
const isDescription = ({ headers, query }: RouteRequest): boolean =>
  Object.keys(query).length > 0 || !/^ *application\/json/i.test(contentType(headers));

const contentType = (headers: RouteRequest['headers']): string =>
  String(headers['content-type'] ?? 'application/json');

/** The framework does not check the query of a POST: every value is a string or an array of strings. */
const queryOf = ({ query }: RouteRequest) =>
  query as Readonly<Record<string, string | readonly string[]>>;

function idempotencyKeyOf({ headers }: RouteRequest): string | undefined {
  const key = headers['idempotency-key'];
  return key === undefined ? undefined : String(key);
}
