import { type ClientStream, isClientStream, type OpenStream } from './client-stream.ts';
import { createDelivery, type Delivery } from './delivery.ts';

/** The open streams, by client id, by API key and by tenant. */
export class OpenStreams {
  readonly #byId = new Map<string, ClientStream | OpenStream>();
  readonly #byKey = new Map<string, Set<OpenStream>>();
  /** Of tenants with client streams only. */
  readonly #deliveries = new Map<string, Delivery>();

  add(stream: ClientStream | OpenStream): void {
    const { clientId, tenantId, apiKeyId } = stream;
    this.#byId.set(clientId, stream);
    getOrCreate(this.#byKey, apiKeyId, () => new Set()).add(stream);
    if (!isClientStream(stream)) return;
    getOrCreate(this.#deliveries, tenantId, createDelivery).streams.set(clientId, stream);
  }

  remove(clientId: string): void {
    const stream = this.#byId.get(clientId);
    if (!stream) return;
    this.#byId.delete(clientId);
    const ofKey = this.#byKey.get(stream.apiKeyId);
    ofKey?.delete(stream);
    if (ofKey?.size === 0) this.#byKey.delete(stream.apiKeyId);
    const delivery = this.#deliveries.get(stream.tenantId);
    delivery?.streams.delete(clientId);
    if (delivery?.streams.size === 0) this.#deliveries.delete(stream.tenantId);
  }

  /** The client stream with this id. */
  find(clientId: string): ClientStream | undefined {
    const stream = this.#byId.get(clientId);
    return stream && isClientStream(stream) ? stream : undefined;
  }

  all(): Iterable<OpenStream> {
    return this.#byId.values();
  }

  ofKey(apiKeyId: string): Iterable<OpenStream> {
    return this.#byKey.get(apiKeyId) ?? [];
  }

  countOfKey(apiKeyId: string): number {
    return this.#byKey.get(apiKeyId)?.size ?? 0;
  }

  /** The streams of one tenant, or of all tenants. */
  ofTenant(tenantId?: string): Iterable<OpenStream> {
    const all = this.#byId.values();
    return tenantId === undefined ? all : all.filter((stream) => stream.tenantId === tenantId);
  }

  /** Open streams of one tenant, or of all tenants. */
  count(tenantId?: string): number {
    if (tenantId === undefined) return this.#byId.size;
    return this.#byId
      .values()
      .reduce((sum, stream) => sum + Number(stream.tenantId === tenantId), 0);
  }

  /** Undefined if the tenant has no client stream. */
  deliveryFor(tenantId: string): Delivery | undefined {
    return this.#deliveries.get(tenantId);
  }
}

function getOrCreate<V>(map: Map<string, V>, key: string, create: () => V): V {
  const found = map.get(key);
  if (found) return found;
  const created = create();
  map.set(key, created);
  return created;
}
