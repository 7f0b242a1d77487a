/** Who is calling: made from an API key and nothing else the client sends. */
export interface Caller {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly apiKeyId: string;
  /** Tool names this key may see and call; null = all of its tenant's. */
  readonly allowedTools: readonly string[] | null;
  /** What the client asked to see no more than, in the address it uses; never widens what the key allows. */
  readonly narrowing?: ToolNarrowing;
}

/** Fewer tools than the key allows, so that a small model gets a small list. Both conditions hold together. */
export interface ToolNarrowing {
  readonly category: string | null;
  /** Tool names and patterns. */
  readonly tools: readonly string[] | null;
}
