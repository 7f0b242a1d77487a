import type { Quota, QuotaScope, Tool } from '../../tools/model.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';

/** What a provider counts together (docs/decisions/0026-provider-keys.md). */
export interface Bucket {
  /** The fingerprint of the key, in which its tenant is, and what is counted of it: the same in every process. */
  readonly id: string;
  /** Requests a day; null if it is not known: they are counted, and end when the provider says so. */
  readonly limit: number | null;
  readonly zone: string;
  /** The key; undefined where the address of the gateway is counted. */
  readonly key: KeyInUse | undefined;
  /** The dataset of the tool that has used it first. */
  readonly dataset: string;
  /** The server whose tool says the limit: a preset and a registered API may send to the same operation. */
  readonly serverId: string;
}

/** Of requests without a key, the address of the gateway is counted. */
const NO_KEY = 'address';
/** What is counted, and when its day ends, where nothing is known. */
const UNKNOWN: Omit<Quota, 'calls'> = { scope: 'operation', zone: 'Asia/Seoul' };

/** A tool as far as its requests are counted. */
export type CountedTool = Pick<
  Tool,
  'method' | 'baseUrl' | 'path' | 'quota' | 'source' | 'version'
>;

const datasetOf = ({ source }: CountedTool, serverId: string): string =>
  source.datasetId ?? serverId;

const SCOPED: Readonly<Record<QuotaScope, (tool: CountedTool, serverId: string) => string>> = {
  operation: ({ method, baseUrl, path }) => `${method} ${baseUrl}${path}`,
  dataset: (tool, serverId) => `dataset ${datasetOf(tool, serverId)}`,
  key: () => 'key',
  address: ({ baseUrl }) => `address ${baseUrl}`,
};

export type BucketOf = (tool: CountedTool, serverId: string, key: KeyInUse | undefined) => Bucket;

/** What the operator says of a quota of its own account; undefined where the preset's figure holds. */
export type QuotaOf = (name: string, dataset: string) => number | undefined;

/**
 * Creates what finds the bucket of a tool's requests with a key. The same object for the same key and limit, as misses rely
 * on. The sandbox has no limits: null.
 */
export function createBuckets(quotaOf: QuotaOf | null): BucketOf {
  function limitOf(tool: CountedTool, dataset: string, key: KeyInUse | undefined): number | null {
    if (quotaOf === null) return null;
    const own = key && key.tenantId === null ? quotaOf(key.name, dataset) : undefined;
    return own ?? tool.quota?.calls ?? null;
  }

  const byTool = new WeakMap<CountedTool, Map<string, Bucket>>();
  return (tool, serverId, key) => {
    const fingerprint = key?.fingerprint ?? NO_KEY;
    const known = byTool.get(tool) ?? new Map<string, Bucket>();
    const bucket = known.get(fingerprint);
    const dataset = bucket?.dataset ?? datasetOf(tool, serverId);
    const limit = limitOf(tool, dataset, key);
    if (bucket && bucket.limit === limit) return bucket;
    const { scope, zone } = tool.quota ?? UNKNOWN;
    const id = `${fingerprint} ${SCOPED[scope](tool, serverId)}`;
    const made = { id, limit, zone, key, dataset, serverId };
    // Keys are few; keys of tenants that come and go are dropped together.
    if (known.size >= MAX_KEYS) known.clear();
    known.set(fingerprint, made);
    byTool.set(tool, known);
    return made;
  };
}

const MAX_KEYS = 1000;
