export type Coalesced = ReturnType<typeof coalesce>;

/**
 * Repeats a task for whatever happens while it runs, however often that is: at most one run at a time, and one more that
 * waits for it.
 */
export function coalesce(task: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  function start(): Promise<void> {
    running = task().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function startNext(current: Promise<void>): Promise<void> {
    await current.catch(() => undefined);
    waiting = undefined;
    await start();
  }

  return {
    /** Resolves once a run has ended that started after this call. Callers that wait for the same run share it. */
    run(): Promise<void> {
      // Between two runs, nothing runs, but the next one is about to start.
      if (waiting !== undefined) return waiting;
      if (running === undefined) return start();
      waiting = startNext(running);
      return waiting;
    },
    /** The run that starts or ends last; undefined while nothing runs. */
    last: (): Promise<void> | undefined => waiting ?? running,
  };
}
