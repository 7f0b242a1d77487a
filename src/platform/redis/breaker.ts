/** Stops sending commands of one kind while Redis fails them: each would make its caller wait for the command timeout. */
export interface Breaker {
  /** Returns false while `run` would skip the command. */
  admits(): boolean;
  /** Sends a command, or rejects at once without sending it. */
  run<T>(send: () => Promise<T>): Promise<T>;
  /** Admits a command at once on a new connection; only once until a command succeeds. */
  reconnected(): void;
}

/** Failed commands in a row after which the next ones are skipped. */
const FAILURES = 3;

/** How long commands are skipped before one is sent as a probe. Doubled each time the probe fails. */
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 30_000;

const SKIPPED = new Error('Redis has failed commands of this kind. They are skipped for a while.');

/** `onOpen` receives the error of the last command. `now` is monotonic, in milliseconds. */
export function createBreaker(
  onOpen: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Breaker {
  let failures = 0;
  /** 0 while commands are sent. */
  let waitMs = 0;
  let untilMs = 0;
  let isProbing = false;
  let hasProbedReconnect = false;

  function open(nextWaitMs: number, error: unknown): void {
    waitMs = Math.min(nextWaitMs, LONGEST_WAIT_MS);
    untilMs = now() + waitMs;
    failures = 0;
    onOpen(error);
  }

  function succeed(): void {
    failures = 0;
    waitMs = 0;
    hasProbedReconnect = false;
  }

  function fail(error: unknown): void {
    if (!isCommandFailure(error)) return;
    failures += 1;
    if (failures >= FAILURES) open(FIRST_WAIT_MS, error);
  }

  /** Ignores the outcome of commands that were sent before the breaker opened. */
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
        if (isCommandFailure(error)) open(2 * waitMs, error);
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
      if (waitMs === 0 || hasProbedReconnect) return;
      hasProbedReconnect = true;
      untilMs = now();
    },
  };
}

/**
 * Whether an error is about the command. A lost connection is not: it fails the next command at once, and ioredis
 * reconnects. Nor is a script that Redis does not know yet: it is sent again in full.
 */
function isCommandFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return !error.message.startsWith('NOSCRIPT');
  return error.message === 'Command timed out';
}
