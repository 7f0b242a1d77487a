import { actorCaller } from '../../../platform/input/operation.ts';
import type { JobFeed } from '../../../registrations/jobs/job-feed.ts';
import type { JobView } from '../../../registrations/registration-views.ts';
import { jobEventOf } from '../../../registrations/registration-views.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../../registrations/request/decode-registration.ts';
import { maxJsonBytes } from '../../../registrations/request/max-json-bytes.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import { AdminEvents } from '../admin-events.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';
import { bodyReader, REGISTER_INPUT, withDocument } from './registration-inputs.ts';

export interface RegistrationRouteDeps {
  readonly registrations: Pick<Registrations, 'submit'>;
  readonly jobFeed: Pick<JobFeed<JobView>, 'follow'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** What is no operation of registrations: bodies with a description or a credential, and the stream of jobs. */
export const createRegistrationRoutes = (deps: RegistrationRouteDeps) =>
  ({
    ...createRegisterRoute(deps),
    'GET /tenants/:tenant/registration-events': tenantRoute('viewer', {
      input: {},
      handle: ({ tenant }) =>
        new AdminEvents(({ send }) => {
          // At the bound, the page asks for the state of its job from time to time.
          try {
            return deps.jobFeed.follow(tenant.id, (job) => void send('byoapi', jobEventOf(job)));
          } catch {
            send('full', {});
            return () => undefined;
          }
        }),
    }),
  }) satisfies AdminRoutes;

const createRegisterRoute = ({ registrations, split, limits }: RegistrationRouteDeps) => ({
  'POST /tenants/:tenant/registrations': tenantRoute('admin', {
    input: REGISTER_INPUT,
    maxBodyBytes: maxJsonBytes(limits.maxDocumentBytes),
    readBody: bodyReader(split),
    handle: async (context, body) => {
      const { members, document } = withDocument(body);
      const decoded = decodeRegistration(members, limits, document);
      const key = context.request.headers['idempotency-key'];
      const idempotencyKey = key === undefined ? undefined : String(key);
      const job = await registrations.submit(actorCaller(context), decoded, idempotencyKey);
      return { id: job.jobId, status: job.status };
    },
  }),
});
