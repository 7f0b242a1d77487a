import { isoTime } from '../../platform/kernel/time.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';
import { shareOf } from './quota-account.ts';
import type { Bucket, BucketOf } from './quota-bucket.ts';
import type { BucketReading } from './quota-reading.ts';
import type { QuotaStore } from './quota-store.ts';

/** How much of a quota has been used today, in requests. */
export interface QuotaFigures {
  /** A day; null if it is not known. */
  readonly limit: number | null;
  /** Sent, as known within 3 seconds. */
  readonly used: number;
  /** What is left for all tenants; null without a limit. */
  readonly remaining: number | null;
  /** ISO 8601, UTC. */
  readonly resetsAt: string;
}

/** Of one tenant: what it may have whatever the others do, and what it has used. */
export interface OwnFigures {
  readonly share: number | null;
  readonly ownUsed: number;
}

/** The use of what a provider counts together, and the tools whose requests these are. */
export type BucketFigures = QuotaFigures & {
  readonly tools: readonly string[];
  /** For operators, the tenants that used most of it. */
  readonly tenants?: readonly { readonly tenantId: string; readonly used: number }[];
} & Partial<OwnFigures>;

/** The quota of a dataset: the quota of its scarcest operation, and all of them. */
export type DatasetQuota = BucketFigures & { readonly operations: readonly BucketFigures[] };

/** Tenants and tools that are named. */
const MAX_SHOWN = 20;

function figuresOf(reading: BucketReading, { limit }: Bucket): QuotaFigures {
  const { endsMs, sent, closedUntilMs, nowMs } = reading;
  const left = limit === null ? null : Math.max(0, limit - sent);
  return {
    limit,
    used: sent,
    remaining: closedUntilMs > nowMs ? 0 : left,
    resetsAt: isoTime(endsMs),
  };
}

/** Who asks: a tenant sees its own use only. */
export type Viewer = { readonly tenantId: string } | 'operator';

const ownersOf = (reading: BucketReading, { limit }: Bucket, viewer: Viewer) => {
  const { tenants, members } = reading;
  if (viewer === 'operator') {
    const shown = tenants.slice(0, MAX_SHOWN);
    return { tenants: shown.map(({ tenantId, sent }) => ({ tenantId, used: sent })) };
  }
  const own = tenants.find(({ tenantId }) => tenantId === viewer.tenantId);
  const share = limit === null ? null : shareOf(limit, Math.max(1, members));
  return { share, ownUsed: own?.sent ?? 0 };
};

export interface QuotaReading {
  readonly bucketOf: BucketOf;
  readonly read: QuotaStore['read'];
}

/** The tools of one dataset, or more, by which quotas are looked up. */
type Entries = readonly Pick<CatalogEntry, 'tool' | 'server'>[];

/**
 * Reads the use of everything that a provider counts of one key. Returns what finds the quota of some of the tools: null
 * without a request today. Rejects with `unavailable` while the database is away.
 */
export async function readQuotas(
  { bucketOf, read }: QuotaReading,
  entries: Entries,
  { key, viewer }: { readonly key: KeyInUse; readonly viewer: Viewer },
): Promise<(among: Entries) => DatasetQuota | null> {
  const bucketFor = ({ tool, server }: Entries[number]) => bucketOf(tool, server.id, key);
  const readings = await read([...new Set(entries.map((entry) => bucketFor(entry).id))]);
  return (among) => {
    const byBucket = Map.groupBy(among, (entry) => bucketFor(entry).id);
    const operations = [...byBucket].flatMap(([id, members]) => {
      const [first] = members;
      const reading = readings.get(id);
      if (!first || !reading || reading.endsMs <= reading.nowMs || reading.sent === 0) return [];
      const tools = members.map(({ tool }) => tool.name);
      const bucket = bucketFor(first);
      const figures = figuresOf(reading, bucket);
      return [{ tools, ...figures, ...ownersOf(reading, bucket, viewer) }];
    });
    const [scarcest] = operations.toSorted(byScarcity);
    return scarcest ? { ...scarcest, operations } : null;
  };
}

/** The requests of today with a key, by tool and by tenant, the most first. */
export async function readKeyUse(
  reading: QuotaReading,
  entries: Entries,
  key: KeyInUse,
): Promise<{
  readonly requests: number;
  readonly tools: readonly { readonly tool: string; readonly requests: number }[];
  readonly tenants: readonly { readonly tenantId: string; readonly requests: number }[];
}> {
  const quotaOf = await readQuotas(reading, entries, { key, viewer: 'operator' });
  const operations = quotaOf(entries)?.operations ?? [];
  const byTenant = new Map<string, number>();
  for (const { tenantId, used } of operations.flatMap(({ tenants = [] }) => tenants)) {
    byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + used);
  }
  const tenants = [...byTenant].map(([tenantId, requests]) => ({ tenantId, requests }));
  const tools = operations.map(({ tools: names, used }) => ({
    tool: names.join(', '),
    requests: used,
  }));
  return {
    requests: operations.reduce((sum, { used }) => sum + used, 0),
    tools: tools.sort(byRequests).slice(0, MAX_SHOWN),
    tenants: tenants.sort(byRequests).slice(0, MAX_SHOWN),
  };
}

interface Counted {
  readonly requests: number;
}

const byRequests = (a: Counted, b: Counted): number => b.requests - a.requests;

const leftOf = ({ remaining }: QuotaFigures): number => remaining ?? Number.POSITIVE_INFINITY;

/** What has least left comes first; without limits, what is used most. */
const byScarcity = (a: QuotaFigures, b: QuotaFigures): number =>
  leftOf(a) === leftOf(b) ? b.used - a.used : leftOf(a) - leftOf(b);
