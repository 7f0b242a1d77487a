/**
 * Runs `task` again and again: first after `firstMs`, then `pauseMs()` after each run has ended. Returns what stops it;
 * a run in progress then still ends. Does not keep the process alive. `task` must not reject.
 */
export function repeat(
  task: () => Promise<unknown>,
  pauseMs: () => number,
  firstMs = pauseMs(),
): () => void {
  let isStopped = false;
  const turn = async (): Promise<void> => {
    await task();
    if (!isStopped) timer = setTimeout(turn, pauseMs()).unref();
  };
  let timer = setTimeout(turn, firstMs).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
