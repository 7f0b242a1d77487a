/** How a key was used. Today begins at midnight in Seoul. */
export interface KeyUsage {
  readonly apiKeyId: string;
  /** Null = never, as far as it is recorded. */
  readonly lastUsedAtMs: number | null;
  /** Since midnight in Seoul, as all statistics. A daily limit has another day: it begins at midnight UTC. */
  readonly callsToday: number;
  readonly failuresToday: number;
}

/** Knows how keys were used. */
export interface KeyUsageSource {
  /** The usage of these keys of a tenant, at most 2,000; keys that were never used may be absent. */
  keyUsage(tenantId: string, apiKeyIds: readonly string[]): Promise<readonly KeyUsage[]>;
}
