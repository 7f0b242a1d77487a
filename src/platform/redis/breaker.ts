/** Stops sending commands of one kind while Redis fails them: each would cost its caller the command timeout. */
export interface Breaker {
  /** False while `run` would skip the command. */
  admits(): boolean;
  /** Sends a command, or rejects at once without sending it. */
  run<T>(send: () => Promise<T>): Promise<T>;
  /** Lets a command through at once after the connection was made anew, if none has failed on a new one yet. */
  reconnected(): void;
}

/** Failed commands in a row after which the next ones are skipped. */
const FAILURES = 3;

/** For how long they are skipped before one is sent to see; doubled each time it fails. */
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 30_000;

const SKIPPED = new Error('Redis has failed commands of this kind; they are skipped for a while.');

/** `onOpen` is told what the last command failed with. `now` is monotonic, in milliseconds. */
export function createBreaker(
  onOpen: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Breaker {
  let failures = 0;
  /** 0 while commands are sent. */
  let waitMs = 0;
  let untilMs = 0;
  let isProbing = false;
  let hasTriedAnew = false;

  function open(nextWaitMs: number, error: unknown): void {
    waitMs = Math.min(nextWaitMs, LONGEST_WAIT_MS);
    untilMs = now() + waitMs;
    failures = 0;
    onOpen(error);
  }

  function succeed(): void {
    failures = 0;
    waitMs = 0;
    hasTriedAnew = false;
  }

  function fail(error: unknown): void {
    if (!isFault(error)) return;
    failures += 1;
    if (failures >= FAILURES) open(FIRST_WAIT_MS, error);
  }

  /** Commands sent before the breaker opened decide nothing any more. */
  const whileClosed =
    (settle: (outcome: unknown) => void) =>
    (outcome: unknown): void => {
      if (waitMs === 0) settle(outcome);
    };
  const onSuccess = whileClosed(succeed);
  const onFailure = whileClosed(fail);

  function probe<T>(send: () => Promise<T>): Promise<T> {
    isProbing = true;
    const reply = send();
    reply.then(
      () => {
        isProbing = false;
        succeed();
      },
      (error: unknown) => {
        isProbing = false;
        if (isFault(error)) open(2 * waitMs, error);
      },
    );
    return reply;
  }

  const admits = (): boolean => waitMs === 0 || (!isProbing && now() >= untilMs);

  return {
    admits,
    run(send) {
      if (!admits()) return Promise.reject(SKIPPED);
      if (waitMs > 0) return probe(send);
      const reply = send();
      reply.then(onSuccess, onFailure);
      return reply;
    },
    reconnected() {
      if (waitMs === 0 || hasTriedAnew) return;
      hasTriedAnew = true;
      untilMs = now();
    },
  };
}

/**
 * Whether an error is about the command. A lost connection is not: it fails the next command at once, and is made anew.
 * Nor is a script that Redis does not know yet: it is sent again in full.
 */
function isFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return !error.message.startsWith('NOSCRIPT');
  return error.message === 'Command timed out';
}
