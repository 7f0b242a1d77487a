import type { Closeable } from '../kernel/closeable.ts';

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
  send(event: StreamEvent): void;
  /** Ends the stream cleanly. */
  end(): void;
}

/** Delivers events to the streams of one tenant, or to one stream of that tenant, and to nobody else. */
export interface StreamHub extends Closeable {
  add(stream: ClientStream): void;
  remove(clientId: string): void;
  /** True when anybody would receive an event for this tenant: lets the call path skip building one. */
  hasStreams(tenantId: string): boolean;
  publish(tenantId: string, event: StreamEvent, clientId?: string): void;
  /** Ends every stream opened with this key. */
  endForKey(apiKeyId: string): void;
  count(): number;
}
