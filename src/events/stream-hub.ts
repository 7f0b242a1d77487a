import { LRUCache } from 'lru-cache';
import type pino from 'pino';
import type { Closeable } from '../platform/kernel/closeable.ts';
import type { ClientStream, OpenStream, StreamEvent } from './client-stream.ts';
import { createDelivery, type Delivery } from './delivery.ts';

export type { ClientStream, StreamEvent } from './client-stream.ts';

/**
 * Where events are published. The hub is the bus of a single process; one that joins the hubs of several replicas
 * would take its place here.
 */
export interface EventBus {
  /**
   * To every stream of the tenant whose key may use the event's tool, or to the one named if it is such a stream; to
   * nobody else. Never throws.
   */
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
  /** Tells every stream opened with this key which tools it may use from now on. */
  toolsChanged(apiKeyId: string, allowedTools: readonly string[] | null): void;
  /** Ends every stream opened with this key, also those that are being opened. */
  endForKey(apiKeyId: string): void;
  /** Ends those that are open now; the key may open others. */
  endOpen(apiKeyId: string): void;
  /** Open streams of one tenant; of all when none is named. */
  count(tenantId?: string): number;
}

const WARNING_INTERVAL_MS = 60_000;

/** Keys whose last change is remembered. */
const MAX_CHANGED_KEYS = 1000;

export interface StreamHubDeps {
  readonly logger: Pick<pino.Logger, 'warn'>;
  readonly maxStreamsPerKey?: number;
}

export function createStreamHub({ logger, maxStreamsPerKey = 100 }: StreamHubDeps): StreamHub {
  const streams = new Map<string, ClientStream | OpenStream>();
  const byKey = new Map<string, Set<OpenStream>>();
  const byTenant = new Map<string, Delivery>();
  /** A stream that was being opened while its key changed was authenticated with the key as it had been. */
  const changedKeys = new LRUCache<string, KeyChange>({ max: MAX_CHANGED_KEYS });
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

  function endOpen(apiKeyId: string): void {
    for (const stream of byKey.get(apiKeyId) ?? []) end(stream);
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
      const change = changedKeys.get(apiKeyId);
      if (change === 'ended') return end(stream);
      if (isClientStream(stream)) {
        if (change) stream.toolsChanged(change.allowedTools);
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
    toolsChanged(apiKeyId, allowedTools) {
      changedKeys.set(apiKeyId, { allowedTools });
      for (const stream of byKey.get(apiKeyId) ?? []) stream.toolsChanged(allowedTools);
    },
    endForKey(apiKeyId) {
      changedKeys.set(apiKeyId, 'ended');
      endOpen(apiKeyId);
    },
    endOpen,
    count: (tenantId) =>
      tenantId === undefined
        ? streams.size
        : streams.values().reduce((sum, stream) => sum + Number(stream.tenantId === tenantId), 0),
    async close() {
      closed = true;
      for (const stream of streams.values()) end(stream);
    },
  };
}

/** What became of a key: it may use other tools, or nothing at all any more. */
type KeyChange = 'ended' | { readonly allowedTools: readonly string[] | null };

const isClientStream = (stream: ClientStream | OpenStream): stream is ClientStream =>
  'send' in stream;

function getOrMake<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found) return found;
  const made = make();
  map.set(key, made);
  return made;
}
