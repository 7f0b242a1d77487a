import { StartupError } from '../../platform/kernel/error.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { JOB_TIME_MS, MAX_JOB_SILENCE_MS } from '../../registrations/store/registration-bounds.ts';
import type { JobStatus } from './job-status.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/** How long a job is followed while it waits for its turn. */
export const MAX_QUEUE_MS = 10 * 60_000;
/** How long it is followed afterwards: its own time, or until it counts as interrupted. */
export const MAX_RUN_MS = JOB_TIME_MS + MAX_JOB_SILENCE_MS;
/** How long the gateway may be silent, as while it starts again. */
export const MAX_SILENCE_MS = 60_000;

const ENDED = ['registered', 'confirmation_required', 'checked', 'failed'];

export interface FollowDeps {
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Undefined if the gateway does not respond now but may do so later. */
  readonly read: (jobId: string) => Promise<JobStatus | undefined>;
  /** Called with the first status, and after every change. */
  readonly onChanged: (job: JobStatus) => void;
  /** Called when the gateway stops responding. */
  readonly onSilent: () => void;
}

/** Reads the status of a job until it has ended. Throws StartupError if that takes too long. */
export async function followJob(deps: FollowDeps, jobId: string): Promise<JobStatus> {
  const { pause, read, onChanged, onSilent } = deps;
  const patience = createPatience(deps.clock);
  let job: JobStatus | undefined;
  let isSilent = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const next = await read(jobId);
    if (next) {
      if (next.status !== job?.status || next.progress !== job.progress) onChanged(next);
      if (ENDED.includes(next.status)) return next;
      job = next;
      patience.hear(next);
    } else if (!isSilent) onSilent();
    isSilent = !next;
    patience.assert();
    await pause(pauseMs);
  }
}

/** How long a job may still be waited for. */
function createPatience(clock: Clock) {
  const queuedAtMs = clock.now();
  let startedAtMs: number | undefined;
  let heardAtMs = queuedAtMs;
  return {
    /** Notes that the gateway has responded. */
    hear: ({ status }: JobStatus): void => {
      heardAtMs = clock.now();
      if (status !== 'queued') startedAtMs ??= heardAtMs;
    },
    /** Throws StartupError when it has ended. */
    assert: (): void => {
      const nowMs = clock.now();
      if (nowMs - heardAtMs > MAX_SILENCE_MS) {
        throw new StartupError(`The gateway has been silent for ${seconds(MAX_SILENCE_MS)}.`);
      }
      if (startedAtMs === undefined && nowMs - queuedAtMs > MAX_QUEUE_MS) {
        throw new StartupError(`The job has been queued for ${seconds(MAX_QUEUE_MS)}.`);
      }
      if (startedAtMs !== undefined && nowMs - startedAtMs > MAX_RUN_MS) {
        throw new StartupError(`The job has not ended after ${seconds(MAX_RUN_MS)}.`);
      }
    },
  };
}

const seconds = (ms: number): string => `${ms / 1000} seconds`;
