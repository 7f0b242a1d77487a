import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { AuditRetention } from './audit-retention.ts';

const SWEEP_INTERVAL_MS = 3_600_000;
/** How soon an operator's approval takes effect. */
const APPROVAL_INTERVAL_MS = 60_000;

/** Sweeps at start, every hour, and within a minute of an operator's approval. `close` ends a sweep in progress early. */
export function scheduleSweeps(
  retention: AuditRetention,
  onError: (error: unknown) => void,
): Closeable {
  const sweep = (): void => void retention.sweep().catch(onError);
  const sweepIfApproved = (): void => void retention.sweepIfApproved().catch(onError);
  const first = setImmediate(sweep);
  const hourly = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  const approval = setInterval(sweepIfApproved, APPROVAL_INTERVAL_MS).unref();
  return {
    close: async () => {
      clearImmediate(first);
      clearInterval(hourly);
      clearInterval(approval);
      await retention.close();
    },
  };
}
