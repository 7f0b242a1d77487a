import type { CatalogTool } from '../tools/catalog/tool-policy.ts';

/** An event for client streams, already framed by nobody: `data` is JSON text. */
export interface StreamEvent {
  /** SSE event name: `message` or `byoapi`. */
  readonly name: string;
  readonly data: string;
  /** The tool it tells of, if any: the hub brings it only to streams whose key may use that tool. */
  readonly tool?: CatalogTool;
}

/** A connection that stays open for one API key, as the hub sees it. None of its methods ever throws. */
export interface OpenStream {
  readonly clientId: string;
  readonly tenantId: string;
  readonly apiKeyId: string;
  /** Takes over what the key may use from now on, and tells the client of it if the client wants to know. */
  toolsChanged(allowedTools: readonly string[] | null): void;
  /** Ends the stream cleanly. */
  end(): void;
}

/** One `GET /mcp/sse` connection. */
export interface ClientStream extends OpenStream {
  /** Aborted when the connection has gone. */
  readonly closed: AbortSignal;
  /** Whether the key, as narrowed by the client, may use this tool. */
  mayUse(tool: CatalogTool): boolean;
  /** Nothing is sent once the stream has ended. */
  send(event: StreamEvent): void;
  /** Sends the framed answer to a message that the client posted; resolves when it has left. */
  reply(pieces: readonly (string | Buffer)[]): Promise<void>;
}
