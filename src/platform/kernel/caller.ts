/** Who makes a call. Identified by the API key and by nothing else that the client sends. */
export interface Caller {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly apiKeyId: string;
  /** Names of the tools that this key may see and call; null = all tools of its tenant. */
  readonly allowedTools: readonly string[] | null;
  /** The key's own limits; undefined for most keys, which have only the gateway's. */
  readonly limits?: KeyLimits | undefined;
  /** The client's own restriction, from the address that it uses. Never widens what the key allows. */
  readonly narrowing?: ToolNarrowing;
  /** Whether its list has only the tools for searching and calling all others (`?mode=search`, or the mode of the key). */
  readonly searches?: true;
  /** What the key may manage; undefined for nearly all keys. */
  readonly authority?: KeyAuthority;
  /** Whether it is a host that a person has connected, by an access token in place of a key. */
  readonly isGrant?: true;
  /** Whether it lists and calls the tools that manage the gateway, and no others (`?mode=manage`). */
  readonly manages?: true;
}

/** `admin` manages the key's tenant, `operator` the gateway; neither more than the key's owner may at that moment. */
export type KeyScope = 'admin' | 'operator';

export interface KeyAuthority {
  readonly scope: KeyScope;
  /** Who created the key: a person's id, `cli` or `start`. */
  readonly owner: string;
}

/** The limits of one API key. */
export interface KeyLimits {
  /** Requests per minute, at least 1; null = the gateway's setting. */
  readonly rateLimitPerMinute: number | null;
  /** Requests per day in Seoul, at least 1; null = no limit. */
  readonly dailyLimit: number | null;
}

/** Fewer tools than the key allows, so that a small model gets a short list. A tool must meet both conditions. */
export interface ToolNarrowing {
  readonly category: string | null;
  /** Names and patterns of tools. */
  readonly tools: readonly string[] | null;
  readonly toolset?: ToolsetChoice;
}

/** What a toolset chooses: tools, and the form of their results. */
export interface ToolsetChoice {
  /** Names of tools of presets. */
  readonly tools: readonly string[];
  /** Names of the gateway's own tools. */
  readonly ownTools: readonly string[];
  /** Characters of the text of a result; null = the gateway's setting. */
  readonly maxCharacters: number | null;
  /** Null = as without a toolset. */
  readonly style: 'text' | 'structured' | null;
}
