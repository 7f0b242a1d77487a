import type { ClientStream } from '../../../events/client-stream.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import { Cancellation } from '../../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { MAX_NAME_LENGTH } from '../../json-rpc/call-context.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';

/** Requests of one stream that are in progress, or whose responses the client has not read yet. */
const MAX_IN_FLIGHT = 64;

/** The state of one HTTP+SSE client: its stream, its name, and its requests in progress. */
export class Session {
  readonly stream: ClientStream;
  #clientName: string | undefined;
  /** By the JSON text of their ids. */
  readonly #inFlight = new Map<string, Cancellation>();

  constructor(stream: ClientStream) {
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
    this.#clientName =
      name === undefined ? undefined : Buffer.from(name.slice(0, MAX_NAME_LENGTH)).toString();
  }

  /** Whether no further request may start. */
  get isFull(): boolean {
    return this.#inFlight.size >= MAX_IN_FLIGHT;
  }

  /** Throws `invalid_request` if a request with this id is in progress. */
  assertUnused(id: RpcId): void {
    if (this.#inFlight.has(keyOf(id))) {
      throw new GatewayError('invalid_request', 'A request with this id is still under way.');
    }
  }

  begin(id: RpcId): Cancellation {
    const cancellation = new Cancellation();
    this.#inFlight.set(keyOf(id), cancellation);
    return cancellation;
  }

  /** Cancels a request in progress, if there is one with this id. */
  cancel(id: RpcId): void {
    this.#inFlight.get(keyOf(id))?.cancel();
  }

  end(id: RpcId): void {
    this.#inFlight.delete(keyOf(id));
  }
}

const keyOf = (id: RpcId): string => JSON.stringify(id);

/** Finds the session that a message belongs to, by client id. Throws `not_found`. */
export type FindSession = (clientId: string, apiKeyId: string) => Session;

/** A stream that another key opened counts as not found. */
export function createSessions(hub: Pick<StreamHub, 'find'>): FindSession {
  const sessions = new WeakMap<ClientStream, Session>();
  return (clientId, apiKeyId) => {
    const stream = hub.find(clientId);
    if (stream?.apiKeyId !== apiKeyId) {
      throw new GatewayError(
        'not_found',
        'This session has no open stream. Open GET /mcp/sse again.',
      );
    }
    const session = sessions.get(stream) ?? new Session(stream);
    sessions.set(stream, session);
    return session;
  };
}
