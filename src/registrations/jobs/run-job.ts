import type { Clock } from '../../platform/kernel/clock.ts';
import { Deadline } from '../../platform/kernel/deadline.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { firstOrigins, unnamedOrigin } from '../steps/origins.ts';
import type {
  CompiledRegistration,
  DocumentSource,
  RegistrationSteps,
  StepLimits,
} from '../steps/registration-steps.ts';
import type { Ending } from '../store/finish-job.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';
import {
  JOB_TIME_MS,
  MAX_ATTEMPTS,
  MAX_TURN_WAIT_MS,
  pauseAfter,
} from '../store/registration-bounds.ts';
import { interrupted, noTools, toJobError } from './job-error.ts';
import { untilAborted } from './until-aborted.ts';
import { withinLimits } from './within-limits.ts';

/** What a job does to the database. Every method is one statement or one transaction. */
export interface JobQueue extends JobStore {
  /** Undefined if it was deleted. */
  openDocument(id: string): Promise<DocumentSource | undefined>;
  end(job: JobRecord, ending: Ending): Promise<JobRecord | undefined>;
  register(job: JobRecord, compiled: CompiledRegistration): Promise<JobRecord | undefined>;
}

export interface RunDeps {
  readonly queue: JobQueue;
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
    if (job.attempt > MAX_ATTEMPTS) throw interrupted();
    const fetched = await fetchDescription(run, job);
    const compiled = await compile(run, fetched);
    await store(run, fetched, compiled);
  } catch (error) {
    if (error instanceof LostJob || signal.aborted) return;
    await fail(run, job, error);
  }
}

type Run = RunDeps & { readonly limits: StepLimits };

async function fetchDescription({ queue, steps, limits }: Run, job: JobRecord): Promise<JobRecord> {
  const { url } = job.request;
  if (url === null || job.documentId !== null) return job;
  const document = await withinLimits(limits, () => steps.fetchDocument(url, limits));
  return held(await queue.keepDocument(job, document));
}

async function compile(run: Run, job: JobRecord): Promise<CompiledRegistration> {
  const { queue, steps, limits } = run;
  if (job.documentId === null) throw new GatewayError('internal');
  run.onChanged(held(await queue.advance(job, 'validating')));
  const document = await queue.openDocument(job.documentId);
  if (!document) throw new GatewayError('internal');
  const { options, scheme } = job.request;
  const input = { document, documentUrl: job.request.url, name: job.name, scheme, options };
  // What others compile first does not count against this job.
  const waiting = { ...limits, deadline: Deadline.in(MAX_TURN_WAIT_MS) };
  return untilAborted(limits.signal, () => steps.compile(input, waiting));
}

async function store(run: Run, job: JobRecord, compiled: CompiledRegistration): Promise<void> {
  const { report } = compiled;
  run.onChanged(held(await run.queue.advance(job, 'converting')));
  const origins = firstOrigins(job.request, compiled);
  if (job.isDryRun) return end(run, job, { state: 'checked', origins, report });
  try {
    if (compiled.tools.length === 0) throw noTools(report);
    const unnamed = unnamedOrigin(job.request, compiled);
    if (unnamed) {
      const error = toJobError(unnamed);
      return await end(run, job, { state: 'confirmation_required', error, origins, report });
    }
    run.onChanged(held(await run.queue.register(job, compiled)));
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

function held(job: JobRecord | undefined): JobRecord {
  if (!job) throw new LostJob('Another process has the job.');
  return job;
}
