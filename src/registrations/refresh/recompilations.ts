import { GatewayError } from '../../platform/kernel/error.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { JOB_TIME_MS, MAX_RECOMPILATIONS } from '../store/registration-bounds.ts';

export type Recompilations = ReturnType<typeof createRecompilations>;

const BUSY = { details: { retryAfterSeconds: 5 } };

/**
 * Runs what reads or compiles a description while its caller waits: one of each tenant at a time. Of a tenant, `maxWaiting`
 * more wait for their turn. Closing it aborts what runs.
 */
export function createRecompilations({ maxWaiting = 0 } = {}) {
  /** What runs, and behind it what waits, by tenant: `MAX_RECOMPILATIONS` tenants at most. */
  const lanes = new Map<string, Promise<unknown>[]>();
  const controller = new AbortController();
  const { signal } = controller;

  async function runBehind<T>(
    last: Promise<unknown> | undefined,
    tenantId: string,
    work: (limits: StepLimits) => Promise<T>,
  ): Promise<T> {
    await last?.catch(() => undefined);
    signal.throwIfAborted();
    return work({ deadline: Deadline.in(JOB_TIME_MS), signal, tenantId });
  }

  return {
    /** Rejects with `rate_limited` while too many of the tenant wait, and with `overloaded` while too many tenants have some. */
    run: async <T>(tenantId: string, work: (limits: StepLimits) => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      const lane = lanes.get(tenantId) ?? [];
      if (lane.length > maxWaiting) {
        throw new GatewayError('rate_limited', maxWaiting > 0 ? ALL_WAIT : ALREADY_RUNNING, BUSY);
      }
      if (lane.length === 0 && lanes.size >= MAX_RECOMPILATIONS) {
        throw new GatewayError('overloaded', TOO_MANY, BUSY);
      }
      const result = runBehind(lane.at(-1), tenantId, work);
      lane.push(result);
      lanes.set(tenantId, lane);
      return result.finally(() => {
        // Each begins when the one before has ended, so that the first in the lane is the one that ends.
        lane.shift();
        if (lane.length === 0) lanes.delete(tenantId);
      });
    },
    close: async (): Promise<void> => {
      controller.abort(new GatewayError('unavailable', 'The gateway stops. Retry in a moment.'));
      await Promise.allSettled([...lanes.values()].flat());
    },
  };
}

const ALREADY_RUNNING = 'Another of your APIs is being recompiled. Try again when it finishes.';
const ALL_WAIT =
  'Too many of your requests wait for a description to be read. Try again when one of them finishes.';
const TOO_MANY = 'Too many descriptions are being read. Retry in a moment.';
