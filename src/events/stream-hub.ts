import { LRUCache } from 'lru-cache';
import type pino from 'pino';
import { GatewayError } from '../platform/kernel/error.ts';
import { atMostOnceAMinute } from '../platform/kernel/log-lines.ts';
import type { CatalogTool } from '../platform/kernel/tool-policy.ts';
import { type Item, type OpenTopic, SILENT_TOPIC } from '../platform/redis/topics.ts';

/** An event for client streams. */
export interface StreamEvent {
  /** From `encodeSseEvent`. Made once, however many streams it goes to. */
  readonly frame: Buffer;
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
  /** Whether its key may manage the gateway. */
  readonly isOperator: boolean;
  /** Aborted when the connection is closed. */
  readonly closed: AbortSignal;
  /** Whether the key, as narrowed by the client, may use this tool. */
  mayUse(tool: CatalogTool): boolean;
  /** Does nothing once the stream has ended. */
  send(frame: Buffer): void;
  /** Sends the framed response to a message that the client posted. Resolves when it has been sent. */
  reply(pieces: readonly (string | Buffer)[]): Promise<void>;
}

const isClientStream = (stream: ClientStream | OpenStream): stream is ClientStream =>
  'send' in stream;

/** The replica that holds the stream with this id, if it says so. */
export const ownerOf = (clientId: string): string | undefined => clientId.split('_')[2];

/** Keys whose last change is remembered. */
const MAX_CHANGED_KEYS = 1000;

/** Open streams of one API key (docs/contract.md#server-sent-events). */
const MAX_STREAMS_PER_KEY = 100;
/** Of one tenant, where nothing else is set: half of the connections. */
const MAX_STREAMS_PER_TENANT = 2500;

/** The last change of a key: the tools that it may use, or its end. */
type KeyChange = 'ended' | { readonly allowedTools: readonly string[] | null };

export type StreamHub = ReturnType<typeof createStreamHub>;

/** One of the tenant's API keys. */
export interface KeyOfTenant {
  readonly tenantId: string;
  readonly apiKeyId: string;
}

export interface StreamHubDeps {
  readonly logger: Pick<pino.Logger, 'warn'>;
  /** Connects the hubs of all replicas. */
  readonly openTopic?: OpenTopic | undefined;
  /** Open streams of one tenant, whatever its keys. Default: 2,500. */
  readonly maxPerTenant?: number;
}

/** For how long a tenant whose stream is being opened is listened to. */
const OPENING_MS = 5000;

/**
 * Delivers events to the streams of one tenant, of one of its keys, or to one stream, and to no other; also to the streams of
 * other replicas. Nothing but `assertRoom` throws.
 */
export function createStreamHub({
  logger,
  openTopic = () => SILENT_TOPIC,
  maxPerTenant = MAX_STREAMS_PER_TENANT,
}: StreamHubDeps) {
  const topic = openTopic('events', receive);
  const streams = new OpenStreams({ onFirst: topic.listen, onLast: topic.leave });
  /** A stream that was being opened while its key changed was authenticated with the key before the change. */
  const changedKeys = new LRUCache<string, KeyChange>({ max: MAX_CHANGED_KEYS });
  const { deliver, deliverToKey, deliverToOperators } = createDeliveries(streams, logger);
  let closed = false;

  function end(stream: OpenStream): void {
    streams.remove(stream.clientId);
    stream.end();
  }

  /** Ends the streams of this key that are open now. The key may open others. */
  function endOpen(apiKeyId: string): void {
    for (const stream of streams.ofKey(apiKeyId)) end(stream);
  }

  /** Delivers an event of another replica. */
  function receive(tenantId: string, { head, body: frame }: Item): void {
    const { tool, clientId, apiKeyId } = head as Partial<RemoteHead>;
    if (apiKeyId) deliverToKey({ tenantId, apiKeyId }, frame);
    else deliver(tenantId, { frame, ...(tool ? { tool } : {}) }, clientId);
  }

  return {
    /** Throws `rate_limited` if the key or its tenant has as many streams open as it may. Call it before opening a stream. */
    assertRoom({ tenantId, apiKeyId }: KeyOfTenant): void {
      if (streams.ofKey(apiKeyId).size >= MAX_STREAMS_PER_KEY) throw tooManyStreams('API key');
      if (streams.countOf(tenantId) >= maxPerTenant) throw tooManyStreams('tenant');
    },
    /** Adds a stream. Only a client stream receives events. */
    add(stream: ClientStream | OpenStream): void {
      // A client whose stream the shutdown has ended reconnects at once, and would prevent the server from closing.
      if (closed) {
        stream.end();
        return;
      }
      streams.add(stream);
      const change = changedKeys.get(stream.apiKeyId);
      if (change === 'ended') end(stream);
      else if (change && isClientStream(stream)) stream.toolsChanged(change.allowedTools);
    },
    /** The client stream with this id. */
    find(clientId: string): ClientStream | undefined {
      const stream = streams.byId.get(clientId);
      return stream && isClientStream(stream) ? stream : undefined;
    },
    remove: (clientId: string): void => streams.remove(clientId),
    /** Call it before opening a stream: what happens from then on reaches the stream, wherever it happens. */
    announce: async (tenantId: string): Promise<void> => {
      setTimeout(topic.leave, OPENING_MS, tenantId).unref();
      await topic.listen(tenantId);
    },
    /** Whether an event of this tenant may have a recipient. Otherwise the call path need not build the event. */
    isAwaited: (tenantId: string): boolean =>
      streams.deliveries.has(tenantId) || topic.isAwaited(tenantId),
    /**
     * Sends an event to every stream of the tenant whose key may use the event's tool, or only to the named one if it is
     * such a stream.
     */
    publish(tenantId: string, event: StreamEvent, clientId?: string): void {
      deliver(tenantId, event, clientId);
      if (!topic.isAwaited(tenantId) || streams.byId.has(clientId ?? '')) return;
      topic.publish(tenantId, { head: { tool: event.tool, clientId }, body: event.frame });
    },
    /** Sends an event to every client stream of this key, and to no other. */
    publishToKey({ tenantId, apiKeyId }: KeyOfTenant, frame: Buffer): void {
      deliverToKey({ tenantId, apiKeyId }, frame);
      if (topic.isAwaited(tenantId)) topic.publish(tenantId, { head: { apiKeyId }, body: frame });
    },
    publishToOperators: deliverToOperators,
    /** Notifies every stream of this key which tools it may use from now on. */
    toolsChanged(apiKeyId: string, allowedTools: readonly string[] | null): void {
      changedKeys.set(apiKeyId, { allowedTools });
      for (const stream of streams.ofKey(apiKeyId)) stream.toolsChanged(allowedTools);
    },
    /** Notifies every stream of one tenant, or of all tenants, that the tools in the catalog have changed. */
    listChanged(tenantId?: string): void {
      for (const stream of streams.ofTenant(tenantId)) stream.listChanged();
    },
    /** Ends every stream of this key, including those that are still being opened. */
    endForKey(apiKeyId: string): void {
      changedKeys.set(apiKeyId, 'ended');
      endOpen(apiKeyId);
    },
    endOpen,
    /** Open streams of one tenant, or of all tenants. */
    count: (tenantId?: string): number =>
      tenantId === undefined ? streams.byId.size : streams.countOf(tenantId),
    /** Ends every stream, including those that are added later. */
    async close(): Promise<void> {
      closed = true;
      for (const stream of streams.ofTenant()) end(stream);
      await topic.close();
    },
  };
}

const tooManyStreams = (whose: string): GatewayError =>
  new GatewayError('rate_limited', `This ${whose} has too many open streams; close some.`, {
    details: { retryAfterSeconds: 1 },
  });

/** Delivers to the streams of this process. */
function createDeliveries(streams: OpenStreams, logger: StreamHubDeps['logger']) {
  const reportDrop = atMostOnceAMinute((tenantId: string) =>
    logger.warn({ tenantId }, 'Events are dropped: more are published than can be sent.'),
  );
  return {
    deliver: (tenantId: string, event: StreamEvent, clientId?: string): void => {
      if (streams.deliveries.get(tenantId)?.send(event, clientId) === false) reportDrop(tenantId);
    },
    deliverToKey: ({ tenantId, apiKeyId }: KeyOfTenant, frame: Buffer): void => {
      for (const stream of streams.ofKey(apiKeyId)) {
        if (isClientStream(stream) && stream.tenantId === tenantId) stream.send(frame);
      }
    },
    /** Sends an event to the client streams of operators' keys. Other replicas are not told. */
    deliverToOperators: (frame: Buffer): void => {
      for (const stream of streams.ofTenant()) {
        if (isClientStream(stream) && stream.isOperator) stream.send(frame);
      }
    },
  };
}

/** How an event is addressed to the streams of other replicas. */
interface RemoteHead {
  readonly tool?: CatalogTool | undefined;
  readonly clientId?: string | undefined;
  /** Of an event for one key. */
  readonly apiKeyId?: string;
}

/** Streams that receive an event before other work gets its turn. */
const SLICE = 500;
/** Queued events of one tenant. Beyond it, events are published faster than they can ever be delivered. */
const MAX_QUEUED = 1000;

interface QueuedEvent {
  readonly event: StreamEvent;
  /** The streams that have not received it yet. Live, so that streams that close meanwhile drop out. */
  readonly recipients: Iterator<ClientStream>;
}

/**
 * An event for few streams is sent at once. An event for very many streams is sent in slices, so that calls proceed in
 * between. Events that are published meanwhile queue behind it, even for a single stream: every stream receives its
 * events in the order of publication.
 */
function createDelivery() {
  /** By client id. The owner of the delivery adds and removes streams. */
  const streams = new Map<string, ClientStream>();
  const queue: QueuedEvent[] = [];

  function recipientsOf(clientId: string | undefined): Iterator<ClientStream> {
    if (clientId === undefined) return streams.values();
    const stream = streams.get(clientId);
    return (stream ? [stream] : []).values();
  }

  function sendSlice(): void {
    let left = SLICE;
    for (let queued = queue[0]; queued; queued = queue[0]) {
      for (;;) {
        if (left-- === 0) {
          setImmediate(sendSlice);
          return;
        }
        const { done, value } = queued.recipients.next();
        if (done) break;
        const { event } = queued;
        if (!event.tool || value.mayUse(event.tool)) value.send(event.frame);
      }
      queue.shift();
    }
  }

  return {
    streams,
    /**
     * Sends an event to all streams that may use its tool, or to the named stream if it may. Returns false if the queue is
     * full and the event was dropped.
     */
    send(event: StreamEvent, clientId?: string): boolean {
      if (queue.length >= MAX_QUEUED) return false;
      queue.push({ event, recipients: recipientsOf(clientId) });
      if (queue.length === 1) sendSlice();
      return true;
    },
  };
}

const NO_STREAMS: ReadonlySet<OpenStream> = new Set();

/** Is told when a tenant opens its first client stream, and when it has closed its last. */
interface TenantWatch {
  onFirst(tenantId: string): unknown;
  onLast(tenantId: string): void;
}

/** The open streams, by client id, by API key and by tenant. */
class OpenStreams {
  readonly byId = new Map<string, ClientStream | OpenStream>();
  readonly #byKey = new Map<string, Set<OpenStream>>();
  readonly #counts = new Map<string, number>();
  /** By tenant, for those with client streams only. */
  readonly deliveries = new Map<string, ReturnType<typeof createDelivery>>();
  readonly #watch: TenantWatch;

  constructor(watch: TenantWatch) {
    this.#watch = watch;
  }

  add(stream: ClientStream | OpenStream): void {
    const { clientId, tenantId, apiKeyId } = stream;
    this.byId.set(clientId, stream);
    const ofKey = this.#byKey.get(apiKeyId) ?? new Set();
    this.#byKey.set(apiKeyId, ofKey.add(stream));
    this.#counts.set(tenantId, this.countOf(tenantId) + 1);
    if (!isClientStream(stream)) return;
    const known = this.deliveries.get(tenantId);
    const delivery = known ?? createDelivery();
    if (!known) {
      this.deliveries.set(tenantId, delivery);
      this.#watch.onFirst(tenantId);
    }
    delivery.streams.set(clientId, stream);
  }

  remove(clientId: string): void {
    const stream = this.byId.get(clientId);
    if (!stream) return;
    this.byId.delete(clientId);
    const ofKey = this.#byKey.get(stream.apiKeyId);
    ofKey?.delete(stream);
    if (ofKey?.size === 0) this.#byKey.delete(stream.apiKeyId);
    const left = this.countOf(stream.tenantId) - 1;
    if (left > 0) this.#counts.set(stream.tenantId, left);
    else this.#counts.delete(stream.tenantId);
    const delivery = this.deliveries.get(stream.tenantId);
    delivery?.streams.delete(clientId);
    if (delivery?.streams.size !== 0) return;
    this.deliveries.delete(stream.tenantId);
    this.#watch.onLast(stream.tenantId);
  }

  ofKey(apiKeyId: string): ReadonlySet<OpenStream> {
    return this.#byKey.get(apiKeyId) ?? NO_STREAMS;
  }

  countOf(tenantId: string): number {
    return this.#counts.get(tenantId) ?? 0;
  }

  /** The streams of one tenant, or of all tenants. */
  ofTenant(tenantId?: string): IteratorObject<OpenStream> {
    const all = this.byId.values();
    return tenantId === undefined ? all : all.filter((stream) => stream.tenantId === tenantId);
  }
}
