/**
 * Runs the work and what cleans up after it. SIGINT and SIGTERM end the work at once; the process ends with their exit code
 * once everything is cleaned up. Further signals change nothing: one of a terminal may be followed by that of a parent.
 */
export async function cleanedUp(
  work: () => Promise<void>,
  cleanUp: () => Promise<void>,
): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<NodeJS.Signals>();
  // Other listeners of SIGTERM would end the process before it is cleaned up.
  process.removeAllListeners('SIGTERM');
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  let signal: NodeJS.Signals | undefined;
  try {
    signal = (await Promise.race([work(), stopped])) ?? undefined;
  } finally {
    await cleanUp();
  }
  // What the work has begun may still run.
  if (signal) process.exit(signal === 'SIGINT' ? 130 : 143);
}
