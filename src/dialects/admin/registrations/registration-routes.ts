import { actorCaller } from '../../../platform/input/operation.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../../registrations/request/decode-registration.ts';
import { REGISTRATION } from '../../../registrations/request/registration-input.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';

export interface RegistrationRouteDeps {
  readonly registrations: Pick<Registrations, 'submit'>;
  readonly limits: DecodeLimits;
}

/** What is no operation of registrations: its response is a job. */
export const createRegistrationRoutes = ({ registrations, limits }: RegistrationRouteDeps) =>
  ({
    'POST /tenants/:tenant/registrations': tenantRoute('admin', {
      input: REGISTRATION.properties,
      checksInput: true,
      maxDocumentBytes: limits.maxDocumentBytes,
      handle: async (context, members) => {
        const decoded = decodeRegistration(members, limits);
        const job = await registrations.submit(actorCaller(context), decoded);
        return { id: job.jobId, status: job.status };
      },
    }),
  }) satisfies AdminRoutes;
