import { actorCaller } from '../../../platform/input/operation.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../../registrations/request/decode-registration.ts';
import { maxJsonBytes } from '../../../registrations/request/max-json-bytes.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';
import { bodyReader, REGISTER_INPUT, withDocument } from './registration-inputs.ts';

export interface RegistrationRouteDeps {
  readonly registrations: Pick<Registrations, 'submit'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** What is no operation of registrations: the body may be a large description. */
export const createRegistrationRoutes = ({ registrations, split, limits }: RegistrationRouteDeps) =>
  ({
    'POST /tenants/:tenant/registrations': tenantRoute('admin', {
      input: REGISTER_INPUT,
      maxBodyBytes: maxJsonBytes(limits.maxDocumentBytes),
      readBody: bodyReader(split),
      handle: async (context, body) => {
        const { members, document } = withDocument(body);
        const decoded = decodeRegistration(members, limits, document);
        const job = await registrations.submit(actorCaller(context), decoded);
        return { id: job.jobId, status: job.status };
      },
    }),
  }) satisfies AdminRoutes;
