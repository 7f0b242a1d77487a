import { GatewayError } from '../../platform/kernel/error.ts';
import { repeat } from '../../platform/kernel/time.ts';
import type { JobKey } from '../store/job-record.ts';
import { ALIVE_MS, MAX_QUEUED_JOBS } from '../store/registration-bounds.ts';
import { toJobError } from './job-error.ts';
import { type RunDeps, runJob } from './run-job.ts';

/**
 * Jobs that one process runs at once: while some wait for their descriptions, others are compiled. Those that wait for a
 * thread hold no description.
 */
const CONCURRENCY = 8;
/** Those of one tenant: servers that never respond must not delay the jobs of others. */
const CONCURRENCY_PER_TENANT = 2;
const SWEEP_MS = 60 * 60_000;
/** Looks, each `ALIVE_MS` after the one before, that must see the same sign of life: the clocks of servers differ. */
const LOOKS = 3;

const INTERRUPTED = toJobError(
  new GatewayError('unavailable', 'The registration was interrupted. Send it again.'),
);

/**
 * Runs the jobs that this process accepted. Those of processes that ended fail, and so do its own when it closes: they may
 * be sent again.
 */
export function createJobRunner(deps: RunDeps) {
  const { queue, onChanged, onError } = deps;
  const closing = new AbortController();
  const waiting: JobKey[] = [];
  const running = new Map<JobKey, Promise<void>>();
  let silent = new Map<string, { readonly aliveAtMs: number | null; readonly looks: number }>();

  const runningOf = ({ tenantId }: JobKey): number =>
    [...running.keys()].filter((job) => job.tenantId === tenantId).length;

  /** Starts the job that has waited longest, of the tenants of which the fewest run. */
  function startNext(): void {
    if (closing.signal.aborted || running.size >= CONCURRENCY) return;
    const [job] = waiting
      .filter((each) => runningOf(each) < CONCURRENCY_PER_TENANT)
      .toSorted((a, b) => runningOf(a) - runningOf(b));
    if (!job) return;
    waiting.splice(waiting.indexOf(job), 1);
    const done = runJob(deps, job, closing.signal)
      .catch((error: unknown) => onError(error, job.id))
      .finally(() => {
        running.delete(job);
        startNext();
      });
    running.set(job, done);
  }

  async function interrupt(job: JobKey): Promise<void> {
    const ended = await queue.end(job, { state: 'failed', error: INTERRUPTED });
    if (ended) onChanged(ended);
  }

  async function lookAround(): Promise<void> {
    await queue.keepAlive([...waiting, ...running.keys()].map(({ id }) => id));
    const found = await queue.silent();
    silent = new Map(
      found.map(({ id, aliveAtMs }) => {
        const before = silent.get(id);
        return [id, { aliveAtMs, looks: before?.aliveAtMs === aliveAtMs ? before.looks + 1 : 1 }];
      }),
    );
    for (const job of found) if ((silent.get(job.id)?.looks ?? 0) >= LOOKS) await interrupt(job);
  }

  // While the database is away, the next run tries again.
  const repeatedly = (task: () => Promise<unknown>, pauseMs: number) =>
    repeat(
      () => task().catch(() => undefined),
      () => pauseMs,
    );
  const timers = [repeatedly(lookAround, ALIVE_MS), repeatedly(queue.sweep, SWEEP_MS)];
  return {
    /** Throws `overloaded` while too many jobs wait. */
    assertRoom: (): void => {
      if (waiting.length >= MAX_QUEUED_JOBS) throw new GatewayError('overloaded');
    },
    add: ({ id, tenantId }: JobKey): void => {
      waiting.push({ id, tenantId });
      startNext();
    },
    close: async (): Promise<void> => {
      for (const stop of timers) stop();
      closing.abort();
      const unfinished = [...waiting, ...running.keys()];
      await Promise.all(running.values());
      // While the database is away, another process ends them later.
      for (const job of unfinished) await interrupt(job).catch(() => undefined);
    },
  };
}
