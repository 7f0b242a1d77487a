import { setImmediate } from 'node:timers/promises';
import { type RunDeps, runJob } from '../../src/registrations/jobs/run-job.ts';
import type { JobStore } from '../../src/registrations/store/job-store.ts';

/** A process that runs jobs one statement at a time, as a test decides. It can be killed between any two statements. */
export interface SimulatedProcess {
  /** Runs the next statement; takes a job if it has none. Resolves with false if no job was due. */
  step(): Promise<boolean>;
  /** Stops it without a trace. It starts again with its next step. */
  kill(): void;
}

interface Life {
  /** The statement that waits for the next step. */
  next: (() => Promise<void>) | undefined;
  isIdle: boolean;
  foundJob: boolean;
}

export function simulateProcess(deps: RunDeps): SimulatedProcess {
  const begin = (): Life => ({ next: undefined, isIdle: true, foundJob: true });
  let life = begin();

  const work = async (current: Life): Promise<void> => {
    const queue = oneAtATime(deps.queue, current);
    const job = await queue.claim();
    current.foundJob = job !== undefined;
    if (job) await runJob({ ...deps, queue }, job, new AbortController().signal);
  };
  const settled = async (current: Life): Promise<void> => {
    while (!current.next && !current.isIdle) await setImmediate();
  };
  return {
    step: async () => {
      const current = life;
      if (current.isIdle) {
        current.isIdle = false;
        void work(current).finally(() => {
          current.isIdle = true;
        });
        await settled(current);
      }
      const next = current.next;
      current.next = undefined;
      await next?.();
      await settled(current);
      return current.foundJob;
    },
    kill: () => {
      life = begin();
    },
  };
}

/** The queue, whose statements wait in `life` until a step runs them. */
function oneAtATime(queue: JobStore, life: Life): JobStore {
  const gated =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      new Promise((resolve, reject) => {
        life.next = () => method(...args).then(resolve, reject);
      });
  return {
    claim: gated(queue.claim),
    renew: gated(queue.renew),
    advance: gated(queue.advance),
    keepDocument: gated(queue.keepDocument),
    pause: gated(queue.pause),
    release: gated(queue.release),
    find: gated(queue.find),
    states: gated(queue.states),
    unfinished: gated(queue.unfinished),
    sweep: gated(queue.sweep),
    openDocument: gated(queue.openDocument),
    end: gated(queue.end),
    register: gated(queue.register),
  };
}
