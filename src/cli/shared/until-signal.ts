import type { EventEmitter } from 'node:events';

/** A launcher such as npm repeats the SIGINT that the terminal has already sent. Both count as one. */
const ECHO_MS = 500;

const PARENT_CHECK_MS = 500;
/** Not a signal: of two signals, the second ends the process at once, and the end of npm often follows one. */
const PARENT_ENDED = 'parentEnded';
const events: EventEmitter = process;

/** Resolves at the first SIGINT or SIGTERM, or when a process that runs this one ends; a second signal ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const onSignal = (): void => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > ECHO_MS) process.exit(130);
      resolve();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    events.once(PARENT_ENDED, resolve);
  });
}

/** Where a terminal has a gateway, closing it sends SIGHUP, too, and ends the gateway. */
export function onHangup(reload: () => void): void {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload);
}

/**
 * Ends this process with those that run it: with the launcher whose child it is, which `kill -9` may end, and with npm:
 * npm passes SIGTERM to the shell of its script, which ends without passing it on, and then npm ends. A child of another
 * script inherits npm's variables, so they count only where its script is the launcher, in the foreground.
 */
export function endWithParents(env: NodeJS.ProcessEnv): void {
  const script = env['npm_lifecycle_script'] ?? '';
  const isOfNpm = script.includes('tool-gateway') && !/\b(nohup|setsid)\b|&\s*$/.test(script);
  const launcher = env['TOOL_GATEWAY_CHILD_OF'];
  const parents = [
    ...(launcher ? [Number(launcher)] : []),
    // Not always the parent of this process: that may be the launcher.
    ...(isOfNpm ? [Number(env['TOOL_GATEWAY_LAUNCHED_BY'] ?? process.ppid)] : []),
  ];
  if (parents.length === 0) return;
  const timer = setInterval(() => {
    if (parents.every(exists)) return;
    clearInterval(timer);
    if (!events.emit(PARENT_ENDED)) process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
