import type pino from 'pino';
import type { Closeable } from '../kernel/closeable.ts';
import type { ClientStream, OpenStream, StreamEvent } from './client-stream.ts';
import { createDelivery, type Delivery } from './delivery.ts';

export type { ClientStream, StreamEvent } from './client-stream.ts';

/**
 * Where events are published. The hub is the bus of a single process; one that joins the hubs of several replicas
 * would take its place here.
 */
export interface EventBus {
  /** To every stream of the tenant, or to the one named, if it is the tenant's; to nobody else. Never throws. */
  publish(tenantId: string, event: StreamEvent, clientId?: string): void;
}

/**
 * Delivers events to the streams of one tenant, or to one stream of that tenant, and to nobody else. `close` ends every
 * stream, also those that are added later.
 */
export interface StreamHub extends Closeable, EventBus {
  /** False while the key has as many streams open as it may: ask before a stream is opened. */
  hasRoom(apiKeyId: string): boolean;
  /** Takes in a stream; only a client stream gets events. */
  add(stream: ClientStream | OpenStream): void;
  /** The client stream of this id. */
  find(clientId: string): ClientStream | undefined;
  remove(clientId: string): void;
  /** True when anybody would receive an event for this tenant: lets the call path skip building one. */
  hasStreams(tenantId: string): boolean;
  /** Tells every stream opened with this key that the tools it may use have changed. */
  toolsChanged(apiKeyId: string): void;
  /** Ends every stream opened with this key. */
  endForKey(apiKeyId: string): void;
  count(): number;
}

const WARNING_INTERVAL_MS = 60_000;

export interface StreamHubDeps {
  readonly logger: Pick<pino.Logger, 'warn'>;
  readonly maxStreamsPerKey?: number;
}

export function createStreamHub({ logger, maxStreamsPerKey = 100 }: StreamHubDeps): StreamHub {
  const streams = new Map<string, ClientStream | OpenStream>();
  const byKey = new Map<string, Set<OpenStream>>();
  const byTenant = new Map<string, Delivery>();
  let quietUntil = Number.NEGATIVE_INFINITY;
  let closed = false;

  function remove(clientId: string): void {
    const stream = streams.get(clientId);
    if (!stream) return;
    streams.delete(clientId);
    const ofKey = byKey.get(stream.apiKeyId);
    ofKey?.delete(stream);
    if (ofKey?.size === 0) byKey.delete(stream.apiKeyId);
    const ofTenant = byTenant.get(stream.tenantId);
    ofTenant?.streams.delete(clientId);
    if (ofTenant?.streams.size === 0) byTenant.delete(stream.tenantId);
  }

  function reportDrop(tenantId: string): void {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + WARNING_INTERVAL_MS;
    logger.warn({ tenantId }, 'Events are dropped: more are published than can be sent.');
  }

  function end(stream: OpenStream): void {
    remove(stream.clientId);
    stream.end();
  }

  return {
    hasRoom: (apiKeyId) => (byKey.get(apiKeyId)?.size ?? 0) < maxStreamsPerKey,
    add(stream) {
      // A client whose stream the shutdown has ended comes back at once, and would keep the server from closing.
      if (closed) return stream.end();
      const { clientId, tenantId, apiKeyId } = stream;
      streams.set(clientId, stream);
      getOrMake(byKey, apiKeyId, () => new Set()).add(stream);
      if (isClientStream(stream)) {
        getOrMake(byTenant, tenantId, createDelivery).streams.set(clientId, stream);
      }
    },
    find(clientId) {
      const stream = streams.get(clientId);
      return stream && isClientStream(stream) ? stream : undefined;
    },
    remove,
    hasStreams: (tenantId) => byTenant.has(tenantId),
    publish(tenantId, event, clientId) {
      if (byTenant.get(tenantId)?.send(event, clientId) === false) reportDrop(tenantId);
    },
    toolsChanged(apiKeyId) {
      for (const stream of byKey.get(apiKeyId) ?? []) stream.toolsChanged();
    },
    endForKey(apiKeyId) {
      for (const stream of byKey.get(apiKeyId) ?? []) end(stream);
    },
    count: () => streams.size,
    async close() {
      closed = true;
      for (const stream of streams.values()) end(stream);
    },
  };
}

const isClientStream = (stream: ClientStream | OpenStream): stream is ClientStream =>
  'send' in stream;

function getOrMake<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found) return found;
  const made = make();
  map.set(key, made);
  return made;
}
