/** `search`: only the tools that search for the others are listed (docs/contract.md#own-tools). */
export type KeyMode = 'search';

/** Members of a key that may be chosen; absent ones keep their value. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly allowedTools?: readonly string[] | null | undefined;
  readonly mode?: KeyMode | null | undefined;
  readonly rateLimitPerMinute?: number | null | undefined;
  readonly dailyLimit?: number | null | undefined;
  readonly expiresAtMs?: number | null | undefined;
}

/** Set by the store itself, from who gives the limit. */
export interface GivenLimit {
  readonly operatorRateLimit?: number | null | undefined;
}

/** The columns of the chosen members. */
export const columnsOf = (key: KeyChange & GivenLimit) => ({
  ...(key.name !== undefined && { name: key.name.trim() }),
  ...(key.description !== undefined && { description: key.description?.trim() || null }),
  ...(key.allowedTools !== undefined && {
    allowed_tools: key.allowedTools && JSON.stringify(key.allowedTools),
  }),
  ...(key.mode !== undefined && { mode: key.mode }),
  ...(key.rateLimitPerMinute !== undefined && { rate_limit_per_minute: key.rateLimitPerMinute }),
  ...(key.operatorRateLimit !== undefined && { operator_rate_limit: key.operatorRateLimit }),
  ...(key.dailyLimit !== undefined && { daily_limit: key.dailyLimit }),
  ...(key.expiresAtMs !== undefined && { expires_at_ms: key.expiresAtMs }),
});

export type KeyColumns = Partial<ReturnType<typeof columnsOf>> & {
  readonly revoked_at_ms?: number;
  readonly rotated_to?: string;
};
