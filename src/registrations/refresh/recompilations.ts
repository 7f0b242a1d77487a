import type { Closeable } from '../../platform/kernel/closeable.ts';
import { Deadline } from '../../platform/kernel/deadline.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { JOB_TIME_MS, MAX_RECOMPILATIONS } from '../store/registration-bounds.ts';

/** Runs what compiles a stored registration again while its caller waits. Closing it aborts what runs. */
export interface Recompilations extends Closeable {
  /** Rejects with `rate_limited` while another of the tenant runs, and with `overloaded` while too many run. */
  run<T>(tenantId: string, work: (limits: StepLimits) => Promise<T>): Promise<T>;
}

const BUSY_SECONDS = 5;

export function createRecompilations(): Recompilations {
  /** At most `MAX_RECOMPILATIONS`, by tenant. */
  const running = new Map<string, Promise<unknown>>();
  const controller = new AbortController();
  const { signal } = controller;
  return {
    run: async (tenantId, work) => {
      if (signal.aborted) throw signal.reason;
      if (running.has(tenantId)) throw alreadyRunning();
      if (running.size >= MAX_RECOMPILATIONS) throw tooMany();
      const result = work({ deadline: Deadline.in(JOB_TIME_MS), signal, tenantId });
      running.set(tenantId, result);
      return result.finally(() => running.delete(tenantId));
    },
    close: async () => {
      controller.abort(new GatewayError('unavailable', 'The gateway stops. Retry in a moment.'));
      await Promise.allSettled(running.values());
    },
  };
}

const alreadyRunning = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    'Another registration of yours is being compiled again. Retry when that has ended.',
    { details: { retryAfterSeconds: BUSY_SECONDS } },
  );

const tooMany = (): GatewayError =>
  new GatewayError('overloaded', 'Too many registrations are being compiled. Retry in a moment.', {
    details: { retryAfterSeconds: BUSY_SECONDS },
  });
