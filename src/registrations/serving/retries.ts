/** Tasks that are run again after a pause, each at most once, however often they were added. */
export interface Retries {
  add(name: string): void;
  close(): void;
}

export function createRetries(run: (name: string) => void, pauseMs: number): Retries {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function runAll(): void {
    timer = undefined;
    const names = [...waiting];
    waiting.clear();
    for (const name of names) run(name);
  }

  return {
    add(name) {
      if (isClosed) return;
      waiting.add(name);
      timer ??= setTimeout(runAll, pauseMs).unref();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
