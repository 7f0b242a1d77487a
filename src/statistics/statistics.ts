import type { Closeable } from '../platform/kernel/closeable.ts';
import type { Step } from './tally/steps.ts';

/** What calls are grouped by; `tenant` only over all tenants. */
export type GroupedBy = 'none' | 'tool' | 'key' | 'tenant' | 'upstream';

/** Which calls are meant. */
export interface StatisticsRange {
  /** Null = all tenants. */
  readonly tenantId: string | null;
  /** Extended to where its minute, hour or day begins. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface StatisticsQuery extends StatisticsRange {
  readonly by: GroupedBy;
  /** How many groups, at most 20: those with the most calls. */
  readonly top: number;
  /** These groups instead, at most 20. */
  readonly subjects?: readonly string[] | undefined;
}

/** The figures of a set of calls. Durations are in milliseconds, null without calls. */
export interface Figures {
  readonly calls: number;
  readonly failures: {
    readonly caller: number;
    readonly upstream: number;
    readonly gateway: number;
  };
  /** Calls by the cache status of their response; those that failed have none. */
  readonly cache: {
    readonly hit: number;
    readonly stale: number;
    readonly coalesced: number;
    readonly miss: number;
    readonly bypass: number;
  };
  /** Share of responses from the cache among those that could come from it; null if none could. */
  readonly cacheRatio: number | null;
  /** Calls that sent a request to the upstream. */
  readonly upstreamRequests: number;
  readonly responseBytes: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly lastCallMs: number | null;
}

/** The calls of one tool, key, tenant or upstream. */
export interface StatisticsGroup {
  /** Null = all calls, or all calls of no other group. */
  readonly subject: string | null;
  readonly figures: Figures;
}

export interface StatisticsTotals {
  readonly all: Figures;
  readonly groups: readonly StatisticsGroup[];
}

/** Values for each point in time, in the order of `timesMs`. */
export interface Points {
  readonly calls: readonly number[];
  readonly callerFailures: readonly number[];
  readonly upstreamFailures: readonly number[];
  readonly gatewayFailures: readonly number[];
  readonly cacheRatio: readonly (number | null)[];
  readonly responseBytes: readonly number[];
  readonly p50Ms: readonly (number | null)[];
  readonly p95Ms: readonly (number | null)[];
  readonly p99Ms: readonly (number | null)[];
}

export interface StatisticsSeries {
  readonly step: Step;
  /** When each minute, hour or day begins; at most 1,000. */
  readonly timesMs: readonly number[];
  /** All calls first; then the groups by the number of their calls; then the calls of no group, if any. */
  readonly groups: readonly (StatisticsGroup & {
    readonly kind: 'all' | 'group' | 'other';
    readonly points: Points;
  })[];
}

export interface ToolSummary {
  readonly toolId: string;
  /** Since midnight in Seoul. */
  readonly callsToday: number;
  /** Of the last 24 hours. */
  readonly lastDay: Figures;
}

export interface KeyUsage {
  readonly apiKeyId: string;
  /** Null if the key has not been used for as long as statistics are kept. */
  readonly lastUsedAtMs: number | null;
  /** Since midnight in Seoul. */
  readonly callsToday: number;
  readonly failuresToday: number;
}

/** The calls of the tools whose ids begin alike. */
export interface PrefixCalls {
  readonly prefix: string;
  readonly calls: number;
  readonly failures: number;
}

/** How much of a provider's quota has been used since midnight in Seoul. */
export interface ProviderQuota {
  readonly secret: string;
  /** Requests to upstreams. Retries of one call count as one. */
  readonly requestsToday: number;
  /** The next midnight in Seoul. */
  readonly resetsAtMs: number;
  /** Those with the most requests, at most 20 each. */
  readonly tools: readonly { readonly toolId: string; readonly requests: number }[];
  readonly users: readonly {
    readonly tenantId: string;
    readonly apiKeyId: string;
    readonly requests: number;
  }[];
}

/** Which tools need which secret. */
export type ToolsOfSecrets = Readonly<Record<string, readonly string[]>>;

/** What the questions are about, and their answers. */
export interface StatisticsReader {
  /** In the order of the ids, at most 2,000. */
  keyUsage(tenantId: string, apiKeyIds: readonly string[]): Promise<readonly KeyUsage[]>;
  /** In the order of the ids, at most 100. */
  toolSummary(tenantId: string | null, toolIds: readonly string[]): Promise<readonly ToolSummary[]>;
  /** Of the last 24 hours, in the order of the prefixes, at most 100. */
  prefixCalls(tenantId: string, prefixes: readonly string[]): Promise<readonly PrefixCalls[]>;
  /** Rejects with GatewayError `invalid_arguments` for a range of more than 1,000 days. */
  series(query: StatisticsQuery): Promise<StatisticsSeries>;
  totals(query: StatisticsQuery): Promise<StatisticsTotals>;
  providerQuota(tools: ToolsOfSecrets): Promise<readonly ProviderQuota[]>;
}

/** Figures of the calls of this gateway and all others with the same database (docs/statistics.md). */
export interface Statistics extends StatisticsReader, Closeable {
  /** Resolves once all records that exist now are counted; those in an outbox are counted once they are shipped. */
  flush(): Promise<void>;
}
