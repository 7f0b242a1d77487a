/** An event for client streams, already framed by nobody: `data` is JSON text. */
export interface StreamEvent {
  /** SSE event name: `message` or `byoapi`. */
  readonly name: string;
  readonly data: string;
}

/** One `GET /mcp/sse` connection, as the hub sees it. */
export interface ClientStream {
  readonly clientId: string;
  readonly tenantId: string;
  readonly apiKeyId: string;
  /** Never throws; nothing is sent once the stream has ended. */
  send(event: StreamEvent): void;
  /** Ends the stream cleanly. */
  end(): void;
}
