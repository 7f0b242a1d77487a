/** How a client's requests reach the gateway, as audit records name it. */
export type Dialect = 'http-sse' | 'streamable-http' | 'stateless';

/** The address and the key with which a client connects. */
export interface Target {
  /** The address of the gateway, or of a proxy in front of it, without a path. */
  readonly url: string;
  readonly key: string;
  /** Called when the gateway says that the tools changed, by clients that can hear it. */
  readonly onToolsChanged?: () => void;
}

/** A tool as clients list it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly [keyword: string]: unknown };
  readonly annotations?: { readonly [hint: string]: unknown } | undefined;
}

/** A result as clients return it to their callers. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** A connected client: what the tests need of each, under common names. */
export interface McpSession {
  listTools(): Promise<readonly ListedTool[]>;
  callTool(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

/** One client over one transport. */
export interface ClientCase {
  readonly name: string;
  readonly dialect: Dialect;
  /** The code of its error for an unknown tool: the gateway's, unless the client checks the list itself. */
  readonly unknownToolCode?: number | string;
  /** Whether it hears that the tools changed: it keeps a stream open, and tells its callers. */
  readonly hearsChanges?: boolean;
  /** The text of its error for a wrong key; by default, it mentions the 401. */
  readonly refusal?: RegExp;
  connect(target: Target): Promise<McpSession>;
}

/** The two headers that can carry an API key; clients differ in which one users can set. */
export const keyHeader = (key: string): Record<string, string> => ({ 'x-api-key': key });
export const bearerHeader = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
});
