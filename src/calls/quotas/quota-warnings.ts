import { isoTime } from '../../platform/kernel/time.ts';
import type { Bucket } from './quota-bucket.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import type { QuotaStore } from './quota-store.ts';

/** Parts of a quota at which operators are warned, in percent, the highest first. */
const WARN_AT = [95, 80] as const;

/** A quota of the operator's of which most is used. */
export interface QuotaWarning {
  /** The secret that presets name; null where the address of the gateway is counted. */
  readonly name: string | null;
  readonly dataset: string;
  readonly limit: number;
  readonly remaining: number;
  /** What is used at least, of the limit. */
  readonly percent: number;
  /** ISO 8601, UTC. */
  readonly resetsAt: string;
}

export interface QuotaWarningDeps {
  readonly ledger: Pick<QuotaLedger, 'inUse'>;
  readonly store: Pick<QuotaStore, 'read' | 'takeWarning'>;
  readonly warn: (warning: QuotaWarning) => void;
}

/**
 * Creates what warns of quotas that run out: at 80 and at 95 %, each once a day, by one of the processes that use them.
 * Quotas of tenants' keys are not the operator's. Rejects with `unavailable` while the database is away.
 */
export const createQuotaWarnings =
  ({ ledger, store, warn }: QuotaWarningDeps) =>
  async (): Promise<void> => {
    const buckets = ledger.inUse().filter(({ limit, key }) => limit !== null && !key?.tenantId);
    const readings = await store.read(buckets.map(({ id }) => id));
    for (const bucket of buckets) {
      const { sent = 0, endsMs = 0 } = readings.get(bucket.id) ?? {};
      const limit = bucket.limit ?? 0;
      const percent = WARN_AT.find((part) => 100 * sent >= part * limit);
      if (percent === undefined || !(await store.takeWarning(bucket, percent, endsMs))) continue;
      warn({
        ...warningOf(bucket, limit),
        remaining: Math.max(0, limit - sent),
        percent,
        resetsAt: isoTime(endsMs),
      });
    }
  };

const warningOf = ({ key, dataset }: Bucket, limit: number) => ({
  name: key?.name ?? null,
  dataset,
  limit,
});
