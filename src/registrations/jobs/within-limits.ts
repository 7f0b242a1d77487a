import { GatewayError } from '../../platform/kernel/error.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { JOB_TIME_MS } from '../store/registration-bounds.ts';
import { untilAborted } from './until-aborted.ts';

/** Runs a step. It must not keep its job beyond the time limit, whatever it does. */
export async function withinLimits<T>(
  { deadline, signal }: StepLimits,
  step: () => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(Math.ceil(deadline.remainingMs()));
  try {
    return await untilAborted(AbortSignal.any([signal, timeout]), step);
  } catch (error) {
    if (timeout.aborted && !signal.aborted) throw tookTooLong(JOB_TIME_MS / 1000);
    throw error;
  }
}

const tookTooLong = (limitSeconds: number): GatewayError =>
  new GatewayError(
    'unprocessable',
    `Fetching and compiling the description took longer than ${limitSeconds} seconds. Choose fewer operations with "include", or split the description.`,
  );
