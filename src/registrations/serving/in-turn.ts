/** Creates a queue that runs tasks one after another, whether they fail or not. */
export function createTurns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(task, task);
    // The queue keeps no result, and the caller that waits for the turn handles its failure.
    last = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  };
}
