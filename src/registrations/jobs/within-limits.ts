import { GatewayError } from '../../platform/kernel/error.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { JOB_TIME_MS } from '../store/registration-bounds.ts';

/** Runs a step. It must not keep its job beyond the time limit, whatever it does. */
export async function withinLimits<T>(
  { deadline, signal }: StepLimits,
  step: () => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(Math.ceil(deadline.remainingMs()));
  try {
    return await untilAborted(AbortSignal.any([signal, timeout]), step);
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new GatewayError(
      'unprocessable',
      `Fetching and compiling the description took longer than ${JOB_TIME_MS / 1000} seconds. Choose fewer operations with "include", or split the description.`,
    );
  }
}

/** Runs a step, and rejects once the signal is aborted, even if the step ignores it. */
export function untilAborted<T>(signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    step()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
