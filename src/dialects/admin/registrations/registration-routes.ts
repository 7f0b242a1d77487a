import { actorCaller } from '../../../platform/input/operation.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodePatch,
  decodeRefresh,
  decodeRegistration,
} from '../../../registrations/request/decode-registration.ts';
import { readRegistrationId } from '../../../registrations/request/id-forms.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';
import { PATCH_INPUT, REFRESH_INPUT, REGISTER_INPUT } from './registration-inputs.ts';

export interface RegistrationRouteDeps {
  readonly registrations: Pick<Registrations, 'submit' | 'patch' | 'refresh'>;
  readonly limits: DecodeLimits;
}

/** What is no operation of registrations: bodies with a description or a credential. */
export const createRegistrationRoutes = ({ registrations, limits }: RegistrationRouteDeps) =>
  ({
    'POST /tenants/:tenant/registrations': tenantRoute('admin', {
      input: REGISTER_INPUT,
      maxDocumentBytes: limits.maxDocumentBytes,
      handle: async (context, members) => {
        const decoded = decodeRegistration(members, limits);
        const job = await registrations.submit(actorCaller(context), decoded);
        return { id: job.jobId, status: job.status };
      },
    }),
    'PATCH /tenants/:tenant/registrations/:id': tenantRoute('admin', {
      input: PATCH_INPUT,
      handle: async (context, { id, revision, ...members }) => {
        const patch = decodePatch(members, limits.urls);
        const caller = actorCaller(context);
        return registrations.patch(caller, readRegistrationId(id), patch, revision);
      },
    }),
    'POST /tenants/:tenant/registrations/:id/refresh': tenantRoute('admin', {
      input: REFRESH_INPUT,
      maxDocumentBytes: limits.maxDocumentBytes,
      handle: async (context, { id, revision, ...members }) => {
        const refresh = decodeRefresh(members, limits);
        const caller = actorCaller(context);
        return registrations.refresh(caller, readRegistrationId(id), refresh, revision);
      },
    }),
  }) satisfies AdminRoutes;
