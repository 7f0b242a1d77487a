import type { Caller } from '../access/keys/caller.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createAnnouncer } from './jobs/announce-jobs.ts';
import { createJobRunner } from './jobs/job-runner.ts';
import type { JobQueue } from './jobs/run-job.ts';
import { createPersonQueries, type PersonQueries } from './person-queries.ts';
import { patchOperations } from './refresh/patch-operations.ts';
import { createRecompilations, type Recompilations } from './refresh/recompilations.ts';
import { refreshRegistration } from './refresh/refresh-registration.ts';
import {
  type JobView,
  type RefreshView,
  type RegistrationView,
  toJobView,
  toRefreshView,
  toRegistrationView,
} from './registration-views.ts';
import { isStoredPatch, type RegistrationPatch } from './request/decode-patch.ts';
import type { RefreshRequest } from './request/decode-refresh.ts';
import type { RegistrationRequest } from './request/registration-request.ts';
import { createReviews, type Reviews } from './reviews.ts';
import type { RegistrationSteps } from './steps/registration-steps.ts';
import { openDocument } from './store/documents.ts';
import { endJob } from './store/finish-job.ts';
import type { JobRecord } from './store/job-record.ts';
import { createJobStore } from './store/job-store.ts';
import { type RegisterDeps, registerJob } from './store/register-job.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from './store/registration-bounds.ts';
import { createRegistrationStore, type RegistrationStore } from './store/registration-store.ts';
import { submitJob } from './store/submit-job.ts';

export interface RegistrationsDeps extends RegisterDeps {
  readonly steps: RegistrationSteps;
  /** Resolves once this process serves what is stored of a tenant. */
  readonly serve: (tenantId: string) => Promise<void>;
  /** Called after every change of state of a job that this process accepted or runs. Must not throw. */
  readonly onChanged: (job: JobView, owner: JobOwner) => void;
  /** Called with an error that is the gateway's own, for the log. */
  readonly onError: (error: unknown, jobId: string) => void;
}

export type JobOwner = Pick<JobRecord, 'tenantId' | 'apiKeyId'>;

/** Whose registrations they are. */
type Owner = Pick<Caller, 'tenantId'>;

/** Who changes them, for the administrative trail. */
type Actor = Pick<Caller, 'tenantId' | 'apiKeyId'>;

/** The APIs that tenants register. Another tenant's job or registration is `not_found`. */
export interface Registrations extends Closeable {
  /** Rejects with `conflict`, `rate_limited`, `unprocessable`, or `unavailable` if a credential cannot be encrypted. */
  submit(caller: Actor, request: RegistrationRequest, idempotencyKey?: string): Promise<JobView>;
  status(caller: Owner, jobId: string): Promise<JobView>;
  list(
    caller: Owner,
    page: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<{ registrations: readonly RegistrationView[]; nextCursor: string | null }>;
  get(caller: Owner, id: string): Promise<RegistrationView>;
  /**
   * With a revision, changes no other one. Rejects with `conflict`, `invalid_arguments` or `unprocessable`; if the description is compiled again, also with
   * `rate_limited` while another of the tenant's is.
   */
  patch(
    caller: Actor,
    id: string,
    patch: RegistrationPatch,
    revision?: number,
  ): Promise<RegistrationView>;
  /** Rejects with the error of the fetch or of the compilation, and as `patch` does. */
  refresh(
    caller: Actor,
    id: string,
    request: RefreshRequest,
    revision?: number,
  ): Promise<RefreshView>;
  delete(caller: Actor, id: string): Promise<RegistrationView>;
  /** Deletes the registration that has the tool with this id. */
  deleteByTool(caller: Actor, toolId: string): Promise<RegistrationView>;
  /** What people see of jobs and registrations. */
  readonly forPeople: PersonQueries;
  readonly reviews: Reviews;
  /** For the catalog and for operators. */
  readonly store: RegistrationStore;
}

/** Half the time within which a job of another process must be noticed (docs/contract.md#registration). */
export const POLL_MS = 500;
/**
 * Jobs that one process runs at once: while some wait for their descriptions, others are compiled. Those that wait for a
 * thread hold no description.
 */
const CONCURRENCY = 8;
/** Those of one tenant: servers that never respond must not delay the jobs of others. */
const CONCURRENCY_PER_TENANT = 2;

/** Opens the service and starts to run jobs, also those that a process left when it died. */
export function createRegistrations(deps: RegistrationsDeps): Registrations {
  const store = createRegistrationStore(deps);
  const queue = createJobQueue(deps);
  const recompilations = createRecompilations();
  /** A client that reads that an API is registered can use its tools at once. */
  const viewOf = async (job: JobRecord): Promise<JobView> => {
    if (job.state === 'registered') await serve(deps, job);
    return toJobView(job, await registrationOf(store, job));
  };
  const publish = (job: JobRecord): void => {
    const { tenantId, apiKeyId } = job;
    const emit = (view: JobView): void => deps.onChanged(view, { tenantId, apiKeyId });
    // Only the last event waits, so that the events of a job stay in order.
    if (job.state !== 'registered') emit(toJobView(job));
    else viewOf(job).then(emit, (error: unknown) => deps.onError(error, job.id));
  };
  const announcer = createAnnouncer({ queue, emit: publish, pollMs: POLL_MS });
  const runner = createJobRunner({
    ...deps,
    queue,
    onChanged: announcer.announce,
    pollMs: POLL_MS,
    concurrency: CONCURRENCY,
    concurrencyPerTenant: CONCURRENCY_PER_TENANT,
  });
  return {
    store,
    submit: async ({ tenantId, apiKeyId }, request, idempotencyKey) => {
      assertIdempotencyKey(idempotencyKey);
      const submitted = { tenantId, apiKeyId, request, idempotencyKey };
      const { job, isNew } = await submitJob(deps, submitted);
      if (isNew) {
        announcer.announce(job);
        runner.wake();
      }
      return viewOf(job);
    },
    status: async ({ tenantId }, jobId) => {
      const job = await queue.find(tenantId, jobId);
      if (job) return viewOf(job);
      throw new GatewayError('not_found', 'There is no registration job with this id.');
    },
    list: async ({ tenantId }, { cursor, limit }) => {
      const found = await store.list(tenantId, { after: cursor, limit: limit + 1 });
      const page = found.slice(0, limit);
      const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
      return { registrations: page.map(toRegistrationView), nextCursor };
    },
    get: async ({ tenantId }, id) => toRegistrationView(await store.find(tenantId, id)),
    ...createChanges(deps, recompilations),
    forPeople: createPersonQueries(deps),
    reviews: createReviews({ ...deps, recompilations, serve: (owner) => serve(deps, owner) }),
    close: async () => {
      await Promise.all([announcer.close(), runner.close(), recompilations.close()]);
    },
  };
}

/** What was stored counts, also if this process cannot serve it yet. */
const serve = (deps: RegistrationsDeps, { tenantId }: Owner): Promise<void> =>
  deps.serve(tenantId).catch(() => undefined);

/** The methods that change registrations. A client that gets their result can use the tools at once. */
function createChanges(
  deps: RegistrationsDeps,
  recompilations: Recompilations,
): Pick<Registrations, 'patch' | 'refresh' | 'delete' | 'deleteByTool'> {
  const depsOf = ({ apiKeyId: actor }: Actor) => ({ ...deps, actor });
  const storeOf = (caller: Actor) => createRegistrationStore(depsOf(caller));
  const remove = async (caller: Actor, id: string) => {
    const deleted = await storeOf(caller).delete(caller.tenantId, id);
    await serve(deps, caller);
    return toRegistrationView(deleted);
  };
  return {
    patch: async (caller, id, patch, revision) => {
      const { tenantId } = caller;
      const record = isStoredPatch(patch)
        ? await storeOf(caller).patch(tenantId, id, patch, revision)
        : await recompilations.run(tenantId, (limits) =>
            patchOperations(depsOf(caller), { id, tenantId, revision }, patch, limits),
          );
      await serve(deps, caller);
      return toRegistrationView(record);
    },
    refresh: async (caller, id, request, revision) => {
      const { tenantId } = caller;
      const refreshed = await recompilations.run(tenantId, (limits) =>
        refreshRegistration(depsOf(caller), { id, tenantId, revision }, request, limits),
      );
      await serve(deps, caller);
      return toRefreshView(refreshed);
    },
    delete: remove,
    deleteByTool: async (caller, toolId) => {
      const { id } = await storeOf(caller).findByTool(caller.tenantId, toolId);
      return remove(caller, id);
    },
  };
}

/** What a job registered; undefined if nothing, or if it was deleted since. */
async function registrationOf(
  store: RegistrationStore,
  { state, tenantId, registrationId }: JobRecord,
) {
  if (state !== 'registered' || registrationId === null) return undefined;
  return store.find(tenantId, registrationId).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'not_found') return undefined;
    throw error;
  });
}

function assertIdempotencyKey(key: string | undefined): void {
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return;
  throw new GatewayError(
    'invalid_request',
    `An Idempotency-Key is 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.`,
  );
}

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${MAX_IDEMPOTENCY_KEY_LENGTH}}$`);

export const createJobQueue = (deps: RegisterDeps): JobQueue => ({
  ...createJobStore(deps),
  openDocument: (id) => openDocument(deps.db, id),
  end: (job, ending) => endJob(deps, job, ending),
  register: (job, compiled) => registerJob(deps, job, compiled),
});
