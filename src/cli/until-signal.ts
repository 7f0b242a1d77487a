/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    const first = (): void => {
      for (const signal of signals) process.off(signal, first).on(signal, () => process.exit(130));
      resolve();
    };
    for (const signal of signals) process.on(signal, first);
  });
}
