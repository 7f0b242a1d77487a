import type { JobRecord } from '../store/job-record.ts';
import { LEASE_MS, POLL_MS } from '../store/registration-bounds.ts';
import { type RunDeps, runJob } from './run-job.ts';

/**
 * Jobs that one process runs at once: while some wait for their descriptions, others are compiled. Those that wait for a
 * thread hold no description.
 */
const CONCURRENCY = 8;
/** Those of one tenant: servers that never respond must not delay the jobs of others. */
const CONCURRENCY_PER_TENANT = 2;
/** A process may miss two renewals before another takes its job. */
const RENEW_MS = LEASE_MS / 3;
const SWEEP_MS = 60 * 60_000;

/** Runs the jobs of the queue, together with the runners of other processes. Closing it returns its jobs to the queue. */
export function createJobRunner(deps: RunDeps) {
  const { queue, onError } = deps;
  /** At most `CONCURRENCY`. */
  const running = new Map<JobRecord, { controller: AbortController; done: Promise<void> }>();
  let isClosed = false;
  let claiming: Promise<void> | undefined;

  const start = (job: JobRecord): void => {
    const controller = new AbortController();
    const done = holdAndRun(deps, job, controller)
      .catch((error: unknown) => onError(error, job.id))
      .finally(() => {
        running.delete(job);
        wake();
      });
    running.set(job, { controller, done });
  };
  const busyTenants = (): readonly string[] => {
    const tenants = Map.groupBy(running.keys(), ({ tenantId }) => tenantId);
    return [...tenants].flatMap(([id, jobs]) => (jobs.length < CONCURRENCY_PER_TENANT ? [] : [id]));
  };
  const claimAll = async (): Promise<void> => {
    while (!isClosed && running.size < CONCURRENCY) {
      const job = await queue.claim(busyTenants());
      if (!job) return;
      // Taken while this closed: its lease would expire, but nothing has to wait for that.
      if (isClosed) await queue.release(job);
      else start(job);
    }
  };
  /** Reads the queue now, because a job was submitted here. */
  const wake = (): void => {
    if (isClosed) return;
    claiming ??= claimAll()
      // While the database is away, the next poll tries again.
      .catch(() => undefined)
      .finally(() => {
        claiming = undefined;
      });
  };

  const timers = [
    setInterval(wake, POLL_MS).unref(),
    setInterval(() => void queue.sweep().catch(() => undefined), SWEEP_MS).unref(),
  ];
  wake();
  return {
    wake,
    close: async (): Promise<void> => {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
      await claiming;
      for (const { controller } of running.values()) controller.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Runs a job, and renews its lease until it ends. A job that is aborted returns to the queue, if it is still held. */
async function holdAndRun(
  deps: RunDeps,
  job: JobRecord,
  controller: AbortController,
): Promise<void> {
  const renew = async (): Promise<void> => {
    if (!(await deps.queue.renew(job))) controller.abort();
  };
  const timer = setInterval(() => {
    // While the database is away, the lease may expire; the next statement of the job then changes nothing.
    renew().catch(() => undefined);
  }, RENEW_MS).unref();
  try {
    await runJob(deps, job, controller.signal);
  } finally {
    clearInterval(timer);
    if (controller.signal.aborted) await deps.queue.release(job);
  }
}
