/** An event for client streams, already framed by nobody: `data` is JSON text. */
export interface StreamEvent {
  /** SSE event name: `message` or `byoapi`. */
  readonly name: string;
  readonly data: string;
}

/** A connection that stays open for one API key, as the hub sees it. None of its methods ever throws. */
export interface OpenStream {
  readonly clientId: string;
  readonly tenantId: string;
  readonly apiKeyId: string;
  /** Tells the client, if it wants to know, that the tools it may use have changed. */
  toolsChanged(): void;
  /** Ends the stream cleanly. */
  end(): void;
}

/** One `GET /mcp/sse` connection. */
export interface ClientStream extends OpenStream {
  /** Aborted when the connection has gone. */
  readonly closed: AbortSignal;
  /** Nothing is sent once the stream has ended. */
  send(event: StreamEvent): void;
  /** Sends the framed answer to a message that the client posted; resolves when it has left. */
  reply(pieces: readonly (string | Buffer)[]): Promise<void>;
}
