/** How a client's requests reach the gateway, as audit records name it. */
export type Dialect = 'http-sse' | 'streamable-http' | 'stateless';

/** Where a client connects, and as whom. */
export interface Target {
  /** Address of the gateway, or of a proxy before it, without a path. */
  readonly url: string;
  readonly key: string;
}

/** A tool as clients list it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly [keyword: string]: unknown };
  readonly annotations?: { readonly [hint: string]: unknown } | undefined;
}

/** A result as clients hand it to their callers. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** A connected client: what the tests need of each, whatever it is called there. */
export interface McpSession {
  listTools(): Promise<readonly ListedTool[]>;
  callTool(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

/** One client over one transport. */
export interface ClientCase {
  readonly name: string;
  readonly dialect: Dialect;
  /** The code of its error for a tool that there is not; JSON-RPC's unless the client never asks the gateway. */
  readonly unknownToolCode?: number | string;
  /** What its error for a key that is not right says; names the 401 unless said otherwise. */
  readonly refusal?: RegExp;
  connect(target: Target): Promise<McpSession>;
}

/** The two headers that carry an API key; clients differ in which they let their users set. */
export const keyHeader = (key: string): Record<string, string> => ({ 'x-api-key': key });
export const bearerHeader = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
});
