import { Type } from 'typebox';
import { jobEventOf } from '../../../registrations/job-event.ts';
import type { JobFeed } from '../../../registrations/jobs/job-feed.ts';
import type { JobView } from '../../../registrations/registration-views.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../../registrations/request/decode-registration.ts';
import { readJobId } from '../../../registrations/request/id-forms.ts';
import { maxJsonBytes } from '../../../registrations/request/max-json-bytes.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import { AdminEvents } from '../admin-events.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';
import { personCaller } from '../person-caller.ts';
import { bodyReader, ID, REGISTER_INPUT, withDocument } from './registration-inputs.ts';

export interface JobRouteDeps {
  readonly registrations: Pick<Registrations, 'submit' | 'forPeople'>;
  readonly jobFeed: Pick<JobFeed<JobView>, 'follow'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** Registering an API, and the jobs that do it. */
export const createJobRoutes = ({ registrations, jobFeed, split, limits }: JobRouteDeps) =>
  ({
    'POST /tenants/:tenant/registrations': tenantRoute('admin', {
      input: REGISTER_INPUT,
      maxBodyBytes: maxJsonBytes(limits.maxDocumentBytes),
      readBody: bodyReader(split),
      handle: async (context, body) => {
        const { members, document } = withDocument(body);
        const decoded = decodeRegistration(members, limits, document);
        const key = context.request.headers['idempotency-key'];
        const idempotencyKey = key === undefined ? undefined : String(key);
        const job = await registrations.submit(personCaller(context), decoded, idempotencyKey);
        return { id: job.jobId, status: job.status };
      },
    }),
    'GET /tenants/:tenant/registration-jobs': tenantRoute('viewer', {
      input: {
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      },
      handle: async ({ tenant }, { cursor, limit }) => {
        const before = cursor === undefined ? undefined : readJobId(cursor);
        const page = await registrations.forPeople.jobs(tenant.id, { before, limit });
        return { jobs: page.entries, nextCursor: page.nextCursor };
      },
    }),
    'GET /tenants/:tenant/registration-jobs/:id': tenantRoute('viewer', {
      input: ID,
      handle: ({ tenant }, { id }) => registrations.forPeople.job(tenant.id, readJobId(id)),
    }),
    'GET /tenants/:tenant/registration-events': tenantRoute('viewer', {
      input: {},
      handle: ({ tenant }) =>
        new AdminEvents(({ send }) => {
          // At the bound, the page asks for the state of its job from time to time.
          try {
            return jobFeed.follow(tenant.id, (job) => void send('byoapi', jobEventOf(job)));
          } catch {
            send('full', {});
            return () => undefined;
          }
        }),
    }),
  }) satisfies AdminRoutes;
