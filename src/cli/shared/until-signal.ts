/** A launcher such as npm repeats the SIGINT that the terminal has already sent. Both count as one. */
const ECHO_MS = 500;

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const onSignal = (): void => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > ECHO_MS) process.exit(130);
      resolve();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
}
