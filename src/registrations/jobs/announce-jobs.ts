import { LRUCache } from 'lru-cache';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import type { JobRecord, JobState } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';

export interface AnnouncerDeps {
  readonly queue: Pick<JobStore, 'find' | 'states'>;
  /** Called once for every change of state that this process learns of. Must not throw. */
  readonly emit: (job: JobRecord) => void;
  readonly pollMs: number;
}

/** Tells how jobs proceed that this process accepted or runs. */
export interface Announcer extends Closeable {
  /** Announces the state of a job, unless it was the last one announced. */
  announce(job: JobRecord): void;
}

/** Jobs whose last announced state is remembered. */
const MAX_JOBS = 1000;

/** How far a job is. A later attempt starts again. */
const ORDER: Readonly<Record<JobState, number>> = {
  queued: 0,
  fetching: 1,
  validating: 2,
  converting: 3,
  awaiting_approval: 4,
  registered: 5,
  failed: 5,
  confirmation_required: 5,
  checked: 5,
};

const hasEnded = (state: JobState): boolean => ORDER[state] === ORDER.registered;

/**
 * Another process may take a job that this one accepted, and an operator approves an API with the command line: the jobs that
 * have not ended are looked up again and again.
 */
export function createAnnouncer({ queue, emit, pollMs }: AnnouncerDeps): Announcer {
  const known = new LRUCache<string, Pick<JobRecord, 'tenantId' | 'state'>>({ max: MAX_JOBS });

  function announce(job: JobRecord): void {
    const { id, tenantId, state } = job;
    if (known.peek(id)?.state === state) return;
    known.set(id, { tenantId, state });
    emit(job);
  }

  const isNews = (id: string, state: JobState): boolean =>
    ORDER[state] > ORDER[known.peek(id)?.state ?? 'registered'];

  async function lookAgain(): Promise<void> {
    const open = [...known.entries()].filter(([, { state }]) => !hasEnded(state));
    if (open.length === 0) return;
    for (const { id, state } of await queue.states(open.map(([id]) => id))) {
      if (!isNews(id, state)) continue;
      const job = await queue.find(known.peek(id)?.tenantId ?? '', id);
      // What this process announced meanwhile is newer.
      if (job && isNews(id, job.state)) announce(job);
    }
  }

  // While the database is away, nothing is known; later look-ups find what was missed.
  const stop = repeat(
    () => lookAgain().catch(() => undefined),
    () => pollMs,
  );
  return { announce, close: async () => stop() };
}
