import { isoTime } from '../../platform/kernel/iso-time.ts';
import type { Bucket } from './quota-bucket.ts';
import { exhaustsAtMs } from './quota-figures.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import { type BucketReading, HOUR_MS } from './quota-reading.ts';
import type { QuotaStore } from './quota-store.ts';

/** A quota of the operator's that is used up within an hour, at the pace of the last one. */
export interface QuotaWarning {
  /** The secret that presets name; null where the address of the gateway is counted. */
  readonly name: string | null;
  readonly dataset: string;
  readonly limit: number;
  readonly remaining: number;
  /** ISO 8601, UTC. */
  readonly exhaustsAt: string;
  /** ISO 8601, UTC. */
  readonly resetsAt: string;
}

export interface QuotaWarningDeps {
  readonly ledger: Pick<QuotaLedger, 'inUse'>;
  readonly store: Pick<QuotaStore, 'read' | 'takeWarning'>;
  readonly warn: (warning: QuotaWarning) => void;
}

/**
 * Creates what warns of quotas that run out: each once a day, by one of the processes that use it. Those of tenants' own keys
 * are not the operator's. Rejects with `unavailable` while the database is away.
 */
export const createQuotaWarnings =
  ({ ledger, store, warn }: QuotaWarningDeps) =>
  async (): Promise<void> => {
    const buckets = ledger.inUse().filter(({ key, limit }) => limit !== null && !key?.tenantId);
    const readings = await store.read(buckets.map(({ id }) => id));
    for (const bucket of buckets) {
      const reading = readings.get(bucket.id);
      const warning = reading && warningOf(bucket, reading);
      if (warning && (await store.takeWarning(bucket, reading.endsMs))) warn(warning);
    }
  };

function warningOf({ key, dataset, limit }: Bucket, reading: BucketReading): QuotaWarning | null {
  const { nowMs, endsMs, granted } = reading;
  const atMs = exhaustsAtMs(reading, limit);
  if (limit === null || atMs === null || atMs > nowMs + HOUR_MS) return null;
  return {
    name: key?.name ?? null,
    dataset,
    limit,
    remaining: Math.max(0, limit - granted),
    exhaustsAt: isoTime(atMs),
    resetsAt: isoTime(endsMs),
  };
}
