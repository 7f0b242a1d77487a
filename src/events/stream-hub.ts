import { LRUCache } from 'lru-cache';
import type pino from 'pino';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { atMostOnceAMinute } from '../platform/kernel/rare-log.ts';
import {
  type ClientStream,
  isClientStream,
  type OpenStream,
  type StreamEvent,
} from './client-stream.ts';
import { OpenStreams } from './open-streams.ts';

/**
 * Delivers events to the streams of one tenant, of one of its keys, or to one stream, and to no other. `close` ends every
 * stream, including those that are added later.
 */
export interface StreamHub extends Closeable {
  /** Returns false if the key has as many streams open as it may. Check it before opening a stream. */
  hasRoom(apiKeyId: string): boolean;
  /** Adds a stream. Only a client stream receives events. */
  add(stream: ClientStream | OpenStream): void;
  /** The client stream with this id. */
  find(clientId: string): ClientStream | undefined;
  remove(clientId: string): void;
  /** Whether an event of this tenant would have a recipient. Otherwise the call path need not build the event. */
  hasStreams(tenantId: string): boolean;
  /**
   * Sends an event to every stream of the tenant whose key may use the event's tool, or only to the named one if it is
   * such a stream. Never throws. Reaches the streams of this process only.
   */
  publish(tenantId: string, event: StreamEvent, clientId?: string): void;
  /** Sends an event to every client stream of this key, and to no other. Never throws. */
  publishToKey(apiKeyId: string, event: StreamEvent): void;
  /** Notifies every stream of this key which tools it may use from now on. */
  toolsChanged(apiKeyId: string, allowedTools: readonly string[] | null): void;
  /** Notifies every stream of one tenant, or of all tenants, that the tools in the catalog have changed. */
  listChanged(tenantId?: string): void;
  /** Ends every stream of this key, including those that are still being opened. */
  endForKey(apiKeyId: string): void;
  /** Ends the streams that are open now. The key may open others. */
  endOpen(apiKeyId: string): void;
  /** Open streams of one tenant, or of all tenants. */
  count(tenantId?: string): number;
}

/** Keys whose last change is remembered. */
const MAX_CHANGED_KEYS = 1000;

/** Open streams of one API key (docs/contract.md#server-sent-events). */
const MAX_STREAMS_PER_KEY = 100;

/** The last change of a key: the tools that it may use, or its end. */
type KeyChange = 'ended' | { readonly allowedTools: readonly string[] | null };

export interface StreamHubDeps {
  readonly logger: Pick<pino.Logger, 'warn'>;
}

export function createStreamHub({ logger }: StreamHubDeps): StreamHub {
  const streams = new OpenStreams();
  /** A stream that was being opened while its key changed was authenticated with the key before the change. */
  const changedKeys = new LRUCache<string, KeyChange>({ max: MAX_CHANGED_KEYS });
  const reportDrop = atMostOnceAMinute((tenantId: string) =>
    logger.warn({ tenantId }, 'Events are dropped: more are published than can be sent.'),
  );
  let closed = false;

  function end(stream: OpenStream): void {
    streams.remove(stream.clientId);
    stream.end();
  }

  function endOpen(apiKeyId: string): void {
    for (const stream of streams.ofKey(apiKeyId)) end(stream);
  }

  return {
    hasRoom: (apiKeyId) => streams.countOfKey(apiKeyId) < MAX_STREAMS_PER_KEY,
    add(stream) {
      // A client whose stream the shutdown has ended reconnects at once, and would prevent the server from closing.
      if (closed) return stream.end();
      streams.add(stream);
      const change = changedKeys.get(stream.apiKeyId);
      if (change === 'ended') end(stream);
      else if (change && isClientStream(stream)) stream.toolsChanged(change.allowedTools);
    },
    find: (clientId) => streams.find(clientId),
    remove: (clientId) => streams.remove(clientId),
    hasStreams: (tenantId) => streams.deliveryFor(tenantId) !== undefined,
    publish(tenantId, event, clientId) {
      if (streams.deliveryFor(tenantId)?.send(event, clientId) === false) reportDrop(tenantId);
    },
    publishToKey(apiKeyId, event) {
      for (const stream of streams.ofKey(apiKeyId)) if (isClientStream(stream)) stream.send(event);
    },
    toolsChanged(apiKeyId, allowedTools) {
      changedKeys.set(apiKeyId, { allowedTools });
      for (const stream of streams.ofKey(apiKeyId)) stream.toolsChanged(allowedTools);
    },
    listChanged(tenantId) {
      for (const stream of streams.ofTenant(tenantId)) stream.listChanged();
    },
    endForKey(apiKeyId) {
      changedKeys.set(apiKeyId, 'ended');
      endOpen(apiKeyId);
    },
    endOpen,
    count: (tenantId) => streams.count(tenantId),
    async close() {
      closed = true;
      for (const stream of streams.all()) end(stream);
    },
  };
}
