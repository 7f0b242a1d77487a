import { runQuery } from '../platform/database/database-error.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createJobRunner } from './jobs/job-runner.ts';
import { createRecompilations, type Recompilations } from './refresh/recompilations.ts';
import {
  assertUnchanged,
  proposeVersion,
  type RecompileDeps,
  recompile,
} from './refresh/recompile.ts';
import { refreshRegistration } from './refresh/refresh-registration.ts';
import {
  type FindTool,
  type JobView,
  toJobView,
  toRefreshView,
  toRegistrationView,
  toShownRegistration,
} from './registration-views.ts';
import { isRegistrationId } from './request/id-forms.ts';
import {
  isStoredPatch,
  type RefreshRequest,
  type RegistrationPatch,
  type RegistrationRequest,
} from './request/registration-request.ts';
import type { StepLimits } from './steps/registration-steps.ts';
import { applyPatch } from './store/apply-patch.ts';
import { readFoundRows } from './store/found-rows.ts';
import type { JobRecord } from './store/job-record.ts';
import { createJobStore, type JobPage, listJobs, requireJob } from './store/job-store.ts';
import {
  findRegistration,
  type RegistrationKey,
  type RegistrationRecord,
} from './store/registration-record.ts';
import { createRegistrationStore } from './store/registration-store.ts';
import { readHistory, runChange } from './store/run-change.ts';
import type { StoreDeps } from './store/store-deps.ts';
import { submitJob } from './store/submit-job.ts';
import { readReport } from './store/versions.ts';

export interface RegistrationsDeps extends RecompileDeps {
  /** Resolves once this process serves what is stored of a tenant. */
  readonly serve: (tenantId: string) => Promise<void>;
  /** Called after every change of state of a job by this process. Must not throw. */
  readonly onChanged: (job: JobView, owner: JobOwner) => void;
  /** Called with an error that is the gateway's own, for the log. */
  readonly onError: (error: unknown, jobId: string) => void;
}

export type JobOwner = Pick<JobRecord, 'tenantId' | 'apiKeyId'>;

/** Whose registrations they are. */
type Owner = Pick<Caller, 'tenantId'>;

/** Who changes them, for the administrative trail. */
type Actor = Pick<Caller, 'tenantId' | 'apiKeyId'>;

export type Registrations = ReturnType<typeof createRegistrations>;

/** The APIs that tenants register. Another tenant's job or registration is `not_found`. */
export function createRegistrations(given: RegistrationsDeps) {
  // What was stored counts, also if this process cannot serve it yet.
  const serve = (tenantId: string): Promise<void> => given.serve(tenantId).catch(() => undefined);
  const deps = { ...given, serve };
  const store = createRegistrationStore(deps);
  const recompilations = createRecompilations();
  const { close: closeJobs, ...jobs } = createJobs(deps);
  return {
    /** For the catalog. */
    store,
    ...jobs,
    ...createRegistrationQueries(deps),
    ...createChanges(deps, recompilations),
    close: async (): Promise<void> => {
      await Promise.all([closeJobs(), recompilations.close()]);
    },
  };
}

interface ListRequest {
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** An opaque cursor for the registration with which a page ends. */
const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

/** Throws `invalid_request` for a cursor that `encodeCursor` did not create. */
function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (isRegistrationId(id)) return id;
  throw new GatewayError('invalid_request', 'Invalid cursor. Omit it to start at the first page.');
}

/** What reads registrations, whether or not this process runs their jobs. */
export function createRegistrationQueries(deps: StoreDeps) {
  const store = createRegistrationStore(deps);
  return {
    /** Those of one tenant, or of all. */
    list: async ({ tenantId }: Partial<Owner>, { cursor, limit }: ListRequest) => {
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const found = await store.list({ tenantId, after, limit: limit + 1 });
      const { entries, nextCursor: last } = pageOf(found, limit);
      const nextCursor = last === null ? null : encodeCursor(last);
      return { registrations: entries.map(toRegistrationView), nextCursor };
    },
    get: async ({ tenantId }: Owner, id: string, findTool: FindTool = () => undefined) => {
      const registration = await store.find(tenantId, id);
      const found = await readFoundRows(deps.db, id);
      const history = await readHistory(deps, tenantId, id);
      return toShownRegistration(registration, { history, found, findTool });
    },
    forPeople: createPersonQueries(deps),
  };
}

/** Runs the jobs that are submitted here, and fails the jobs of processes that ended. */
function createJobs(deps: RegistrationsDeps) {
  /** A client that reads that an API is registered can use its tools at once. */
  async function viewOf(job: JobRecord): Promise<JobView> {
    const { state, tenantId, registrationId } = job;
    if (state !== 'registered' || registrationId === null) return toJobView(job);
    await deps.serve(tenantId);
    return toJobView(job, await findRegistered(deps, tenantId, registrationId));
  }
  function publish(job: JobRecord): void {
    const { tenantId, apiKeyId } = job;
    const emit = (view: JobView): void => deps.onChanged(view, { tenantId, apiKeyId });
    // Only the last event waits, so that the events of a job stay in order.
    if (job.state !== 'registered') emit(toJobView(job));
    else viewOf(job).then(emit, (error: unknown) => deps.onError(error, job.id));
  }
  const runner = createJobRunner({ ...deps, queue: createJobStore(deps), onChanged: publish });
  return {
    /** Rejects with `conflict`, `rate_limited`, `overloaded`, `unprocessable`, or `unavailable` if a credential cannot be encrypted. */
    submit: async ({ tenantId, apiKeyId }: Actor, request: RegistrationRequest) => {
      runner.assertRoom();
      const job = await submitJob(deps, { tenantId, apiKeyId, request });
      publish(job);
      runner.add(job);
      return toJobView(job);
    },
    status: async ({ tenantId }: Owner, jobId: string) =>
      viewOf(await requireJob(deps.db, tenantId, jobId)),
    close: runner.close,
  };
}

/** Undefined if it was deleted since. */
const findRegistered = (deps: StoreDeps, tenantId: string, id: string) =>
  createRegistrationStore(deps)
    .find(tenantId, id)
    .catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'not_found') return undefined;
      throw error;
    });

/** The methods that change registrations. A client that gets their result can use the tools at once. */
function createChanges(deps: RegistrationsDeps, recompilations: Recompilations) {
  const depsOf = ({ apiKeyId: actor }: Actor) => ({ ...deps, actor });
  const storeOf = (caller: Actor) => createRegistrationStore(depsOf(caller));
  const remove = async (caller: Actor, id: string) => {
    const deleted = await storeOf(caller).delete(caller.tenantId, id);
    await deps.serve(caller.tenantId);
    return toRegistrationView(deleted);
  };
  return {
    /**
     * With a revision, changes no other one. Rejects with `conflict`, `invalid_arguments` or `unprocessable`; if the
     * description is compiled again, also with `rate_limited` while another of the tenant's is.
     */
    patch: async (caller: Actor, id: string, patch: RegistrationPatch, revision?: number) => {
      const { tenantId } = caller;
      const record = isStoredPatch(patch)
        ? await storeOf(caller).patch(tenantId, id, patch, revision)
        : await recompilations.run(tenantId, (limits) =>
            patchOperations(depsOf(caller), { id, tenantId, revision }, patch, limits),
          );
      await deps.serve(tenantId);
      return toRegistrationView(record);
    },
    /** Rejects with the error of the fetch or of the compilation, and as `patch` does. */
    refresh: async (caller: Actor, id: string, request: RefreshRequest, revision?: number) => {
      const { tenantId } = caller;
      const refreshed = await recompilations.run(tenantId, (limits) =>
        refreshRegistration(depsOf(caller), { id, tenantId, revision }, request, limits),
      );
      await deps.serve(tenantId);
      return toRefreshView(refreshed);
    },
    delete: remove,
    /** Deletes the registration that has the tool with this id. */
    deleteByTool: async (caller: Actor, toolId: string) =>
      remove(caller, (await storeOf(caller).findByTool(caller.tenantId, toolId)).id),
  };
}

/** What people see of a tenant's jobs and registrations. Another tenant's is `not_found`. */
function createPersonQueries({ db }: StoreDeps) {
  const find = (tenantId: string, id: string) =>
    runQuery(() => findRegistration(db, { id, tenantId }));
  return {
    /** Newest first, also those that failed; without reports and tool ids. */
    jobs: async (tenantId: string, { before, limit }: JobPage) => {
      const found = await listJobs(db, tenantId, { before, limit: limit + 1 });
      const { entries, nextCursor } = pageOf(found, limit);
      return { jobs: entries.map((job) => toJobView(job)), nextCursor };
    },
    report: async (tenantId: string, id: string) => readReport(db, await find(tenantId, id)),
  };
}

/** A page of what was found, one entry more than it has if there is another page, with the id of its last entry for that. */
function pageOf<Entry extends { readonly id: string }>(found: readonly Entry[], limit: number) {
  const entries = found.slice(0, limit);
  return { entries, nextCursor: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/**
 * Applies a patch that selects other operations, or chooses other extensions: compiles the stored description again. Rejects with `conflict` if the
 * registration was changed meanwhile, and with `unprocessable` if no operation is left.
 */
export async function patchOperations(
  deps: RecompileDeps,
  key: RegistrationKey,
  patch: RegistrationPatch,
  limits: StepLimits,
): Promise<RegistrationRecord> {
  const seen = await runQuery(() => findRegistration(deps.db, key));
  const { descriptionUrl, options: before, scheme: stored, origins: approved } = seen;
  const { include = before.include, exclude = before.exclude } = patch;
  const { extensions = before.extensions ?? [] } = patch;
  const { baseUrl } = before;
  const options = { baseUrl, include, exclude, ...(extensions.length > 0 && { extensions }) };
  const scheme = patch.authentication?.scheme ?? stored;
  const input = { document: null, descriptionUrl, options, scheme };
  const recompiled = await recompile(deps, seen, input, limits);
  const { baseUrl: base } = recompiled.after;
  const origins = scheme.type === 'none' ? [new URL(base).origin] : approved;
  return runChange(deps, key, async (inside, current) => {
    assertUnchanged(seen, current);
    const next = await proposeVersion(inside, current, recompiled, origins);
    return applyPatch(inside, current, patch, next);
  });
}
