import type { Caller } from '../access/keys/caller.ts';
import type { ResponseStream } from '../events/response-stream.ts';
import type { Lease } from '../platform/kernel/byte-budget.ts';
import type { Departure } from '../platform/kernel/departure.ts';
import type { GatewayError } from '../platform/kernel/error.ts';
import type { JsonSchema } from '../tools/model.ts';

/** Names in lower case; only `set-cookie`, which requests do not have, may stand for several values (RFC 9110). */
export type RequestHeaders = Readonly<Partial<Record<string, string | string[]>>>;

/** A request without its caller, for those who are handed one that is narrowed. */
export interface RequestFacts {
  readonly requestId: string;
  readonly clientIp: string;
  readonly params: Readonly<Record<string, string>>;
  /** Already checked against the route's `query` schema. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: RequestHeaders;
  /** The bounded raw body; null when there is none. */
  readonly body: Buffer | null;
  /** Set only on a route that `answersLimit`: the caller's rate limit is used up. */
  readonly limited: GatewayError | null;
  /** What this request holds of the memory budget, given back when its answer has left; asked for only by what is large. */
  readonly lease: () => Lease;
  /** When the client goes away; whatever watches it must stop once the request is answered. */
  readonly departure: () => Departure;
}

/** A request as routes see it: no framework, no socket. */
export interface RouteRequest extends RequestFacts {
  /** Null on public addresses only. */
  readonly caller: Caller | null;
}

/** A complete answer. */
export interface RouteResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON unless a content-type header says otherwise; null = no body. */
  readonly body: Buffer | BodyParts | string | object | null;
}

/** A large body in pieces, which are sent one after another and never copied into one. */
export class BodyParts {
  readonly parts: readonly Buffer[];

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
  }
}

/** An answer that goes on: the dialect takes the socket over. */
export interface RouteStream {
  readonly stream: (response: ResponseStream) => void;
}

/** One method of one path, with what `/openapi.json` says of it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: string;
  /** `key`: an API key is required and its rate limit applies. */
  readonly access: 'public' | 'key';
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Schemas of the query parameters, by name; any other parameter is refused. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Meaning of each path parameter, by name. */
  readonly params?: Readonly<Record<string, string>>;
  /** Schema of the body, for the description only: the dialect reads the body itself. */
  readonly body?: JsonSchema;
  /** Requests whose dialect tells of a used up rate limit in its own way; all others get 429. */
  readonly answersLimit?: (request: Pick<RouteRequest, 'headers' | 'query'>) => boolean;
  /** The answer never ends, so that HEAD has no meaning. */
  readonly streams?: true;
  /** Schemas of the answers, by status. */
  readonly answers: Readonly<Record<number, { description: string; schema?: JsonSchema }>>;
  readonly handle: (
    request: RouteRequest,
  ) => RouteResponse | RouteStream | Promise<RouteResponse | RouteStream>;
}

/** The caller of a `key` route. */
export function callerOf(request: RouteRequest): Caller {
  if (!request.caller) throw new Error('This route needs access: "key".');
  return request.caller;
}
