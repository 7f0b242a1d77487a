import type { ClientStream } from '../../../events/stream-hub.ts';
import { Cancellation } from '../../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { MAX_NAME_LENGTH } from '../../json-rpc/call-context.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';

/** What a session needs of its stream, which another replica may hold. */
export type SessionStream = Pick<ClientStream, 'closed' | 'send' | 'reply'>;

/** Requests of one stream that are in progress, or whose responses the client has not read yet. */
const MAX_IN_FLIGHT = 64;

/** The state of one HTTP+SSE client: its stream, its name, and its requests in progress. */
export class Session {
  readonly stream: SessionStream;
  #clientName: string | undefined;
  /** By the JSON text of their ids. */
  readonly #inFlight = new Map<string, Cancellation>();

  constructor(stream: SessionStream) {
    this.stream = stream;
    // No client is left to read the responses.
    stream.closed.addEventListener('abort', () => {
      for (const cancellation of this.#inFlight.values()) cancellation.cancel();
    });
  }

  get clientName(): string | undefined {
    return this.#clientName;
  }

  /** Copies the name: a slice would retain the whole string for as long as the session lasts. */
  set clientName(name: string | undefined) {
    this.#clientName = name && Buffer.from(name.slice(0, MAX_NAME_LENGTH)).toString();
  }

  /** Throws `invalid_request` if a request with this id is in progress, and `overloaded` if no other may start. */
  begin(id: RpcId, closing: boolean): Cancellation {
    const key = JSON.stringify(id);
    if (this.#inFlight.has(key)) {
      throw new GatewayError('invalid_request', 'A request with this id is still under way.');
    }
    if (closing || this.#inFlight.size >= MAX_IN_FLIGHT) {
      throw new GatewayError('overloaded', 'Too many requests of this session are under way.');
    }
    const cancellation = new Cancellation();
    this.#inFlight.set(key, cancellation);
    return cancellation;
  }

  /** Cancels a request in progress, if there is one with this id. */
  cancel(id: RpcId): void {
    this.#inFlight.get(JSON.stringify(id))?.cancel();
  }

  end(id: RpcId): void {
    this.#inFlight.delete(JSON.stringify(id));
  }
}
