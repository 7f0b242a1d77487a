import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { type Clock, Deadline } from '../../platform/kernel/time.ts';
import { firstOrigins, unnamedOrigin } from '../steps/origins.ts';
import type {
  CompiledRegistration,
  RegistrationSteps,
  StepLimits,
} from '../steps/registration-steps.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { Ending, JobStore } from '../store/job-store.ts';
import {
  JOB_TIME_MS,
  MAX_ATTEMPTS,
  MAX_TURN_WAIT_MS,
  pauseAfter,
} from '../store/registration-bounds.ts';
import { noTools, toJobError } from './job-error.ts';
import { untilAborted, withinLimits } from './within-limits.ts';

export interface RunDeps {
  readonly queue: JobStore;
  readonly steps: RegistrationSteps;
  readonly clock: Clock;
  /** Called after every change of state that this process made. Must not throw. */
  readonly onChanged: (job: JobRecord) => void;
  /** Called with an error that is the gateway's own, for the log. */
  readonly onError: (error: unknown, jobId: string) => void;
}

/** Thrown when another process has the job: this one stops without a trace. */
class LostJob extends Error {}

/**
 * Runs a job that was just claimed, until it ends or must be repeated. Changes nothing once another process has the job.
 * Rejects only while the database is away; the lease then expires, and the job is taken again.
 */
export async function runJob(deps: RunDeps, job: JobRecord, signal: AbortSignal): Promise<void> {
  const nowMs = deps.clock.now();
  const deadline = Deadline.in((job.deadlineAtMs ?? nowMs + JOB_TIME_MS) - nowMs);
  const run = { ...deps, limits: { deadline, signal, tenantId: job.tenantId } };
  deps.onChanged(job);
  try {
    if (job.attempt > MAX_ATTEMPTS) throw new GatewayError('internal', INTERRUPTED);
    const fetched = await fetchDescription(run, job);
    const compiled = await compile(run, fetched);
    await store(run, fetched, compiled);
  } catch (error) {
    if (error instanceof LostJob || signal.aborted) return;
    await fail(run, job, error);
  }
}

const INTERRUPTED =
  'The gateway was interrupted each time it ran this job. Register the API again.';

type Run = RunDeps & { readonly limits: StepLimits };

async function fetchDescription({ queue, steps, limits }: Run, job: JobRecord): Promise<JobRecord> {
  const { descriptionUrl } = job.request;
  if (descriptionUrl === null || job.documentId !== null) return job;
  const document = await withinLimits(limits, () => steps.fetchDocument(descriptionUrl, limits));
  return assertStillOwned(await queue.keepDocument(job, document));
}

async function compile(run: Run, job: JobRecord): Promise<CompiledRegistration> {
  const { queue, steps, limits } = run;
  if (job.documentId === null) throw new GatewayError('internal');
  run.onChanged(assertStillOwned(await queue.advance(job, 'validating')));
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
  run.onChanged(assertStillOwned(await run.queue.advance(job, 'converting')));
  const origins = firstOrigins(job.request, compiled);
  if (job.isDryRun) return end(run, job, { state: 'checked', origins, report });
  try {
    if (compiled.tools.length === 0) throw noTools(report);
    const unnamed = unnamedOrigin(job.request, compiled);
    if (unnamed) {
      const error = toJobError(unnamed);
      return await end(run, job, { state: 'confirmation_required', error, origins, report });
    }
    run.onChanged(assertStillOwned(await run.queue.register(job, compiled)));
  } catch (error) {
    if (error instanceof LostJob) throw error;
    await fail(run, job, error, report);
  }
}

/** Ends the job, or puts it into the queue again if the same attempt may succeed later. */
async function fail(run: Run, job: JobRecord, error: unknown, report?: JsonObject): Promise<void> {
  const { code, row } = toGatewayError(error);
  if (code === 'internal') run.onError(error, job.id);
  const pauseMs = pauseAfter(job.attempt);
  const isLast = job.attempt >= MAX_ATTEMPTS || run.limits.deadline.remainingMs() <= pauseMs;
  if (!row.retryable || code === 'internal' || isLast) {
    return end(run, job, { state: 'failed', error: toJobError(error), ...(report && { report }) });
  }
  const paused = await run.queue.pause(job, pauseMs);
  if (paused) run.onChanged(paused);
}

async function end({ queue, onChanged }: Run, job: JobRecord, ending: Ending): Promise<void> {
  const ended = await queue.end(job, ending);
  if (ended) onChanged(ended);
}

function assertStillOwned(job: JobRecord | undefined): JobRecord {
  if (!job) throw new LostJob('Another process has the job.');
  return job;
}
