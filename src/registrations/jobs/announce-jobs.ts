import { LRUCache } from 'lru-cache';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import type { JobRecord, JobState } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';

export interface AnnouncerDeps {
  readonly queue: Pick<JobStore, 'find' | 'states' | 'unfinished'>;
  /** Called once for every change of state that this process learns of. Must not throw. */
  readonly emit: (job: JobRecord) => void;
  readonly pollMs: number;
}

/** Tells how jobs proceed that this process accepted or runs, or that had not ended when it started. */
export interface Announcer extends Closeable {
  /** Announces the state of a job, unless it was the last one announced. */
  announce(job: JobRecord): void;
}

/** Jobs whose last announced state is remembered: those that have not ended, and as many that have. */
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

type KnownJob = Pick<JobRecord, 'id' | 'tenantId' | 'state'>;

const hasEnded = (state: JobState): boolean => ORDER[state] === ORDER.registered;

/**
 * Another process may take a job that this one accepted, and an operator approves an API with the command line: the jobs that
 * have not ended are looked up again and again.
 */
export function createAnnouncer({ queue, emit, pollMs }: AnnouncerDeps): Announcer {
  const open = new LRUCache<string, KnownJob>({ max: MAX_JOBS });
  const ended = new LRUCache<string, KnownJob>({ max: MAX_JOBS });
  let knowsEarlier = false;

  const stateOf = (id: string): JobState | undefined => (open.peek(id) ?? ended.peek(id))?.state;

  function remember({ id, tenantId, state }: KnownJob): void {
    const [from, to] = hasEnded(state) ? [open, ended] : [ended, open];
    from.delete(id);
    to.set(id, { id, tenantId, state });
  }

  function announce(job: JobRecord): void {
    if (stateOf(job.id) === job.state) return;
    remember(job);
    emit(job);
  }

  const isNews = (id: string, state: JobState): boolean =>
    ORDER[state] > ORDER[stateOf(id) ?? 'registered'];

  /** An earlier process may have accepted them: their clients are connected again. */
  async function learnEarlier(): Promise<void> {
    if (knowsEarlier) return;
    for (const job of await queue.unfinished(MAX_JOBS)) if (!stateOf(job.id)) remember(job);
    knowsEarlier = true;
  }

  async function lookAgain(): Promise<void> {
    await learnEarlier();
    if (open.size === 0) return;
    for (const { id, state } of await queue.states([...open.keys()])) {
      if (!isNews(id, state)) continue;
      const job = await queue.find(open.peek(id)?.tenantId ?? '', id);
      // What this process announced meanwhile is newer.
      if (job && isNews(id, job.state)) announce(job);
    }
  }

  // While the database is away, nothing is known; later look-ups find what was missed.
  const stop = repeat(
    () => lookAgain().catch(() => undefined),
    () => pollMs,
    0,
  );
  return { announce, close: async () => stop() };
}
