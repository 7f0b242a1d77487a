import type { EventEmitter } from 'node:events';

/** A launcher such as npm repeats the SIGINT that the terminal has already sent. Both count as one. */
const ECHO_MS = 500;

const NPM_CHECK_MS = 500;
/** Not a signal: of two signals, the second ends the process at once, and npm's end often follows one. */
const NPM_ENDED = 'npmEnded';
const events: EventEmitter = process;

/** Resolves at the first SIGINT or SIGTERM, or when npm ends; a second signal ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const onSignal = (): void => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > ECHO_MS) process.exit(130);
      resolve();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    events.once(NPM_ENDED, resolve);
  });
}

/** Where a terminal has a gateway, closing it sends SIGHUP, too, and ends the gateway. */
export function onHangup(reload: () => void): void {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload);
}

/**
 * Ends this process with the npm that runs it: npm passes SIGTERM to the shell of its script, which ends without passing
 * it on, and then npm ends. Does nothing unless npm's script is the launcher, in the foreground: a child of another
 * script inherits the same variables.
 */
export function endWithNpm(env: NodeJS.ProcessEnv): void {
  const script = env['npm_lifecycle_script'] ?? '';
  if (!script.includes('tool-gateway') || /\b(nohup|setsid)\b|&\s*$/.test(script)) return;
  // Not always the parent of this process: that may be the launcher.
  const shell = Number(env['TOOL_GATEWAY_LAUNCHED_BY'] ?? process.ppid);
  const timer = setInterval(() => {
    if (exists(shell)) return;
    clearInterval(timer);
    if (!events.emit(NPM_ENDED)) process.kill(process.pid, 'SIGTERM');
  }, NPM_CHECK_MS);
  timer.unref();
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
