/** Who is calling: made from an API key and nothing else the client sends. */
export interface Caller {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly apiKeyId: string;
  /** Tool names this key may see and call; null = all of its tenant's. */
  readonly allowedTools: readonly string[] | null;
}
