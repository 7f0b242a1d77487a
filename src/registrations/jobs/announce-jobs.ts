import { LRUCache } from 'lru-cache';
import { repeat } from '../../platform/kernel/time.ts';
import { ENDED_STATES, type JobRecord, type JobState, OPEN_STATES } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';

export interface AnnouncerDeps {
  readonly queue: Pick<JobStore, 'find' | 'states' | 'unfinished'>;
  /** Called once for every change of state that this process learns of. Must not throw. */
  readonly emit: (job: JobRecord) => void;
  readonly pollMs: number;
}

/** Jobs whose last announced state is remembered: those that have not ended, and as many that have. */
const MAX_JOBS = 1000;

type KnownJob = Pick<JobRecord, 'id' | 'tenantId' | 'state'>;

const hasEnded = (state: JobState): boolean => ENDED_STATES.includes(state);

/** How far a job is. A later attempt starts again. */
const rankOf = (state: JobState): number =>
  hasEnded(state) ? OPEN_STATES.length : OPEN_STATES.indexOf(state);

/**
 * Tells how jobs proceed that this process accepted or runs, or that had not ended when it started. Another process may take
 * a job that this one accepted: the jobs that have not ended are looked up again and again.
 */
export function createAnnouncer({ queue, emit, pollMs }: AnnouncerDeps) {
  const open = new LRUCache<string, KnownJob>({ max: MAX_JOBS });
  const ended = new LRUCache<string, KnownJob>({ max: MAX_JOBS });
  let knowsEarlier = false;

  const stateOf = (id: string): JobState | undefined => (open.peek(id) ?? ended.peek(id))?.state;

  function remember({ id, tenantId, state }: KnownJob): void {
    const [from, to] = hasEnded(state) ? [open, ended] : [ended, open];
    from.delete(id);
    to.set(id, { id, tenantId, state });
  }

  /** Announces the state of a job, unless it was the last one announced. */
  function announce(job: JobRecord): void {
    if (stateOf(job.id) === job.state) return;
    remember(job);
    emit(job);
  }

  const isNews = (id: string, state: JobState): boolean =>
    rankOf(state) > rankOf(stateOf(id) ?? 'registered');

  async function lookAgain(): Promise<void> {
    // An earlier process may have accepted them: their clients are connected again.
    const earlier = knowsEarlier ? [] : await queue.unfinished(MAX_JOBS);
    for (const job of earlier) if (!stateOf(job.id)) remember(job);
    knowsEarlier = true;
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
