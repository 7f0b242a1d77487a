const QUIET_MS = 60_000;

/** Forwards at most one call per minute, for log lines that many events would otherwise repeat. */
export function atMostOnceAMinute<Args extends unknown[]>(
  log: (...args: Args) => void,
): (...args: Args) => void {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + QUIET_MS;
    log(...args);
  };
}
