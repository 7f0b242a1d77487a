import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import { firstOrigins, unnamedOrigin } from '../steps/origins.ts';
import type {
  CompiledRegistration,
  RegistrationSteps,
  StepLimits,
} from '../steps/registration-steps.ts';
import type { JobKey, JobRecord } from '../store/job-record.ts';
import type { Ending, JobStore } from '../store/job-store.ts';
import { JOB_TIME_MS, MAX_TURN_WAIT_MS } from '../store/registration-bounds.ts';
import { noTools, toJobError } from './job-error.ts';
import { untilAborted, withinLimits } from './within-limits.ts';

export interface RunDeps {
  readonly queue: JobStore;
  readonly steps: RegistrationSteps;
  /** Called after every change of state that this process made. Must not throw. */
  readonly onChanged: (job: JobRecord) => void;
  /** Called with an error that is the gateway's own, for the log. */
  readonly onError: (error: unknown, jobId: string) => void;
}

/** Thrown when the job counts as interrupted although this process runs it: it stops without a trace. */
class LostJob extends Error {}

/** Runs a job until it ends or `signal` is aborted. Rejects only while the database is away. */
export async function runJob(deps: RunDeps, key: JobKey, signal: AbortSignal): Promise<void> {
  const limits = { deadline: Deadline.in(JOB_TIME_MS), signal, tenantId: key.tenantId };
  const run = { ...deps, limits };
  try {
    const job = await advance(run, key, 'fetching');
    const fetched = await fetchDescription(run, job);
    const compiled = await compile(run, fetched);
    await store(run, fetched, compiled);
  } catch (error) {
    if (error instanceof LostJob || signal.aborted) return;
    await fail(run, key, error);
  }
}

type Run = RunDeps & { readonly limits: StepLimits };

async function advance(run: Run, key: JobKey, state: 'fetching' | 'validating' | 'converting') {
  const job = assertOpen(await run.queue.advance(key, state));
  run.onChanged(job);
  return job;
}

async function fetchDescription({ queue, steps, limits }: Run, job: JobRecord): Promise<JobRecord> {
  const { descriptionUrl } = job.request;
  if (descriptionUrl === null || job.documentId !== null) return job;
  const fetch = () => steps.fetchDocument(descriptionUrl, limits);
  const document = await withinLimits(limits, () => repeatFetch(fetch, limits));
  return assertOpen(await queue.keepDocument(job, document));
}

/** The pauses before a fetch is repeated. */
export const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

/** Repeats a fetch that may succeed later, after each pause for which there is time. */
async function repeatFetch(
  fetch: () => Promise<Uint8Array>,
  limits: StepLimits,
  [pauseMs, ...later]: readonly number[] = PAUSES_MS,
): Promise<Uint8Array> {
  try {
    return await fetch();
  } catch (error) {
    const { row } = toGatewayError(error);
    const isLast = pauseMs === undefined || limits.deadline.remainingMs() <= pauseMs;
    if (!row.retryable || isLast) throw error;
    await sleep(pauseMs, undefined, { signal: limits.signal });
    return repeatFetch(fetch, limits, later);
  }
}

async function compile(run: Run, job: JobRecord): Promise<CompiledRegistration> {
  const { queue, steps, limits } = run;
  if (job.documentId === null) throw new GatewayError('internal');
  await advance(run, job, 'validating');
  const document = await queue.openDocument(job.documentId);
  if (!document) throw new GatewayError('internal');
  const { descriptionUrl, options, scheme } = job.request;
  const input = { document, descriptionUrl, name: job.name, scheme, options };
  // What others compile first does not count against this job.
  const waiting = { ...limits, deadline: Deadline.in(MAX_TURN_WAIT_MS) };
  return untilAborted(limits.signal, () => steps.compile(input, waiting));
}

async function store(run: Run, job: JobRecord, compiled: CompiledRegistration): Promise<void> {
  const { report } = compiled;
  await advance(run, job, 'converting');
  const origins = firstOrigins(job.request, compiled);
  if (job.isDryRun) return end(run, job, { state: 'checked', origins, report });
  try {
    if (compiled.tools.length === 0) throw noTools(report);
    const unnamed = unnamedOrigin(job.request, compiled);
    if (unnamed) {
      const error = toJobError(unnamed);
      return await end(run, job, { state: 'confirmation_required', error, origins, report });
    }
    run.onChanged(assertOpen(await run.queue.register(job, compiled)));
  } catch (error) {
    if (error instanceof LostJob) throw error;
    await fail(run, job, error, report);
  }
}

async function fail(run: Run, job: JobKey, thrown: unknown, report?: JsonObject): Promise<void> {
  if (toGatewayError(thrown).code === 'internal') run.onError(thrown, job.id);
  await end(run, job, { state: 'failed', error: toJobError(thrown), ...(report && { report }) });
}

async function end({ queue, onChanged }: Run, job: JobKey, ending: Ending): Promise<void> {
  const ended = await queue.end(job, ending);
  if (ended) onChanged(ended);
}

function assertOpen(job: JobRecord | undefined): JobRecord {
  if (!job) throw new LostJob('The job has ended.');
  return job;
}
