import { GatewayError } from '../../platform/kernel/error.ts';

/** Calls with `_over` that run at once in a process: in all, and of one tenant. */
export const MAX_RANGES = 24;
export const MAX_RANGES_PER_TENANT = 3;
/** A range takes up to 50 seconds; most take less. */
const RETRY_AFTER_SECONDS = 10;

/** Bounds how many ranges run at once, so that one tenant's leave room for the calls of others. */
export function createSlots() {
  const running = new Map<string, number>();
  let all = 0;
  return {
    /** Returns what gives the slot back. Throws `overloaded` if all are taken. */
    take(tenantId: string): () => void {
      const own = running.get(tenantId) ?? 0;
      if (own >= MAX_RANGES_PER_TENANT || all >= MAX_RANGES) {
        const whose = own >= MAX_RANGES_PER_TENANT ? `${own} of your tenant run` : `${all} run`;
        throw new GatewayError(
          'overloaded',
          `No further call with _over can start: ${whose} already. Call again when one has ended.`,
          { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } },
        );
      }
      all++;
      running.set(tenantId, own + 1);
      return () => {
        all--;
        const left = (running.get(tenantId) ?? 1) - 1;
        if (left > 0) running.set(tenantId, left);
        else running.delete(tenantId);
      };
    },
  };
}
