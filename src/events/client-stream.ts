import type { CatalogTool } from '../tools/catalog/tool-policy.ts';

/** An event for client streams. */
export interface StreamEvent {
  /** SSE event name: `message` or `byoapi`. */
  readonly name: string;
  /** JSON text, without SSE framing. */
  readonly data: string;
  /** The tool that the event concerns, if any. Only streams whose key may use that tool receive the event. */
  readonly tool?: CatalogTool;
}

/** A connection that stays open for one API key, as the hub sees it. Its methods never throw. */
export interface OpenStream {
  readonly clientId: string;
  readonly tenantId: string;
  readonly apiKeyId: string;
  /** Changes the tools that the key may use, and notifies the client if it wants to know. */
  toolsChanged(allowedTools: readonly string[] | null): void;
  /** Notifies the client, if it wants to know, that the tools in the catalog have changed. */
  listChanged(): void;
  /** Ends the stream cleanly. */
  end(): void;
}

/** One `GET /mcp/sse` connection. */
export interface ClientStream extends OpenStream {
  /** Aborted when the connection is closed. */
  readonly closed: AbortSignal;
  /** Whether the key, as narrowed by the client, may use this tool. */
  mayUse(tool: CatalogTool): boolean;
  /** Does nothing once the stream has ended. */
  send(event: StreamEvent): void;
  /** Sends the framed response to a message that the client posted. Resolves when it has been sent. */
  reply(pieces: readonly (string | Buffer)[]): Promise<void>;
}

export const isClientStream = (stream: ClientStream | OpenStream): stream is ClientStream =>
  'send' in stream;
