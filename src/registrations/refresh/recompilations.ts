import { Deadline } from '../../platform/kernel/deadline.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { JOB_TIME_MS, MAX_RECOMPILATIONS } from '../store/registration-bounds.ts';

export type Recompilations = ReturnType<typeof createRecompilations>;

const BUSY = { details: { retryAfterSeconds: 5 } };

/** Runs what compiles a stored registration again while its caller waits. Closing it aborts what runs. */
export function createRecompilations() {
  /** At most `MAX_RECOMPILATIONS`, by tenant. */
  const running = new Map<string, Promise<unknown>>();
  const controller = new AbortController();
  const { signal } = controller;
  return {
    /** Rejects with `rate_limited` while another of the tenant runs, and with `overloaded` while too many run. */
    run: async <T>(tenantId: string, work: (limits: StepLimits) => Promise<T>): Promise<T> => {
      if (signal.aborted) throw signal.reason;
      if (running.has(tenantId)) throw new GatewayError('rate_limited', ALREADY_RUNNING, BUSY);
      if (running.size >= MAX_RECOMPILATIONS) throw new GatewayError('overloaded', TOO_MANY, BUSY);
      const result = work({ deadline: Deadline.in(JOB_TIME_MS), signal, tenantId });
      running.set(tenantId, result);
      return result.finally(() => running.delete(tenantId));
    },
    close: async (): Promise<void> => {
      controller.abort(new GatewayError('unavailable', 'The gateway stops. Retry in a moment.'));
      await Promise.allSettled(running.values());
    },
  };
}

const ALREADY_RUNNING = 'Another of your APIs is being recompiled. Try again when it finishes.';
const TOO_MANY = 'Too many registrations are being compiled. Retry in a moment.';
