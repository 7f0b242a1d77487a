/** Work in progress that nothing awaits. */
export interface Tasks {
  track(task: Promise<void>): void;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

export function createTasks(onError: (error: unknown) => void): Tasks {
  const tasks = new Set<Promise<void>>();
  return {
    track(task) {
      const done = task.catch(onError).finally(() => tasks.delete(done));
      tasks.add(done);
    },
    async idle() {
      while (tasks.size > 0) await Promise.all(tasks);
    },
  };
}
