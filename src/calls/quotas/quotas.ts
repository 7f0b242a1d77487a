import { isoTime } from '../../platform/kernel/time.ts';
import type { Tool } from '../../tools/model.ts';
import type { ToolConnection } from '../../tools/tool-connection.ts';
import { remainderOf, shareOf } from './quota-account.ts';
import type { Bucket } from './quota-bucket.ts';
import type { QuotaReading } from './quota-figures.ts';
import type { CountedRequests, QuotaLedger } from './quota-ledger.ts';
import type { BucketReading } from './quota-reading.ts';
import type { QuotaStore } from './quota-store.ts';

/** Whose requests are counted. */
interface Counted {
  readonly tool: Tool;
  /** Of the preset server. */
  readonly serverId: string;
  readonly tenantId: string;
}

export type Quotas = ReturnType<typeof createQuotas>;

/** Creates what finds how the requests of a call are counted, and reads what has been counted. */
export const createQuotas = (
  ledger: Pick<QuotaLedger, 'requestsOf'>,
  { bucketOf, read }: QuotaReading,
) => ({
  bucketOf,
  read,
  /** Requests that a tenant may still send today, as far as they have been reported; null without a limit. */
  async left(
    { tool, serverId, tenantId }: Counted,
    { keyInUse }: Pick<ToolConnection, 'keyInUse'>,
  ): Promise<number | null> {
    const [secret] = tool.secrets;
    const bucket = bucketOf(tool, serverId, secret === undefined ? undefined : keyInUse?.(secret));
    if (bucket.limit === null) return null;
    const reading = (await read([bucket.id])).get(bucket.id);
    return leftFor(tenantId, bucket.limit, reading);
  },
  /** Undefined for requests without a key that no provider counts, and where the key is not known. */
  requestsOf(
    { tool, serverId, tenantId }: Counted,
    { keyInUse }: Pick<ToolConnection, 'keyInUse'>,
  ): CountedRequests | undefined {
    const [secret] = tool.secrets;
    const key = secret === undefined ? undefined : keyInUse?.(secret);
    if (key === undefined && (secret !== undefined || tool.quota === null)) return undefined;
    return ledger.requestsOf(bucketOf(tool, serverId, key), tenantId);
  },
});

/** What a tenant may still have of a limit. Others of its users claim their shares. */
function leftFor(tenantId: string, limit: number, reading: BucketReading | undefined): number {
  const { nowMs = 0, endsMs = 0, sent = 0, closedUntilMs = 0 } = reading ?? {};
  if (closedUntilMs > nowMs) return 0;
  const isToday = endsMs > nowMs;
  const tenants = isToday ? (reading?.tenants ?? []) : [];
  const members = Math.max(1, reading?.members ?? 1);
  const share = shareOf(limit, members);
  const claims = tenants.reduce((sum, tenant) => sum + Math.max(tenant.sent, share), 0);
  const held = claims + (members - tenants.length) * share;
  const had = tenants.find((tenant) => tenant.tenantId === tenantId)?.sent ?? 0;
  return remainderOf({ limit, granted: isToday ? sent : 0, members, held }, had);
}

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
