import type { TSchema } from 'typebox';
import type { ResponseStream } from '../events/event-stream.ts';
import type { Awaitable } from '../platform/kernel/awaitable.ts';
import type { MemoryHold } from '../platform/kernel/byte-budget.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { GatewayError } from '../platform/kernel/error.ts';
import type { JsonSchema } from '../tools/model.ts';

/** Whether a client put a slash behind the path, which changes what a relative address in the response means. */
export const endsWithSlash = (target: string): boolean => /^[^?]*\/(?:\?|$)/.test(target);

/** Names are in lower case. Only `set-cookie`, which requests do not have, may have several values (RFC 9110). */
export type RequestHeaders = Readonly<Partial<Record<string, string | string[]>>>;

/** A request without its caller, for code that receives a narrowed caller instead. */
export interface RequestFacts {
  readonly requestId: string;
  readonly clientIp: string;
  readonly params: Readonly<Record<string, string>>;
  /** Already checked against the route's `query` schema. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: RequestHeaders;
  /** The raw body, of bounded size; null if the request has none. */
  readonly body: Buffer | null;
  /** Set when the rate limit of the caller is used up; only on a route with `reportsRateLimit`. */
  readonly limited: GatewayError | null;
  /** The memory that this request holds until its response has been sent; needed only for large bodies and responses. */
  readonly memory: () => MemoryHold;
  /** Cancelled when the client disconnects. Remove every watcher once the request has its response. */
  readonly cancellation: () => Cancellation;
}

/** A request as routes see it, independent of framework and socket. */
export interface RouteRequest extends RequestFacts {
  readonly method: string;
  /** The path and the query, as the client wrote them. */
  readonly target: string;
  /** Null on public addresses only. */
  readonly caller: Caller | null;
  /** What `admit` of the route resolved with. */
  readonly admitted: unknown;
}

/** A complete response. */
export interface RouteResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** JSON unless a content-type header specifies otherwise; null = no body. */
  readonly body: Buffer | BodyParts | string | object | null;
}

/** A large body in pieces, which are sent one after another and never copied into one buffer. */
export class BodyParts {
  readonly parts: readonly Buffer[];

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
  }
}

/** A response of unknown length: the dialect takes over the socket. */
export interface RouteStream {
  readonly stream: (response: ResponseStream) => void;
}

/** What a route responds with. A body alone is JSON with status 200. */
export type RouteResult = RouteResponse | RouteStream | Buffer | BodyParts;

/** Examples in `/openapi.json`, by name. */
export type RouteExamples = Readonly<
  Record<string, { readonly summary: string; readonly value: unknown }>
>;

/** A body in `/openapi.json`: the dialect reads the body itself. A schema with a `$id` is a component of that name. */
export interface RouteBodyDescription {
  readonly schema: JsonSchema | TSchema;
  readonly examples?: RouteExamples;
}

/** A kind of body that a route accepts. */
export interface RouteBody extends RouteBodyDescription {
  readonly maxBytes: number;
  /** What the refusal of a larger one adds. */
  readonly tooLarge?: string;
}

/** A response in `/openapi.json`; without a schema, it has no body. */
export interface RouteResponseDescription {
  readonly description: string;
  readonly schema?: JsonSchema | TSchema;
  readonly examples?: RouteExamples;
  /** Of the body, if it is not JSON. */
  readonly contentType?: string;
  /** Schemas of headers that not every response has, by name. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
}

/** One method of one path, with its description in `/openapi.json`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: string;
  /** `key`: an API key is required and its rate limit applies. */
  readonly access: 'public' | 'key';
  /** The `operationId` in `/openapi.json`; null = absent from it, and the dialect itself checks the query. */
  readonly operation: string | null;
  /** Admits a request of a public route before its body is read. Rejects with a GatewayError to refuse it. */
  readonly admit?: (
    request: Pick<RouteRequest, 'headers' | 'params' | 'clientIp'>,
  ) => Promise<unknown>;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Schemas of the query parameters, by name. Other parameters are refused; on POST, the dialect itself checks them. */
  readonly query?: Readonly<Record<string, JsonSchema | TSchema>>;
  /** Other query parameters are ignored: probes and proxies add some to this address. */
  readonly ignoresOtherQuery?: true;
  /** Meaning of each path parameter, by name. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: RouteBodyDescription;
  /** Bodies by media type, in place of JSON of the usual size. */
  readonly bodies?: Readonly<Record<string, RouteBody>>;
  /** Selects the requests whose dialect reports a used-up rate limit in its own form; all others get 429. */
  readonly reportsRateLimit?: (request: Pick<RouteRequest, 'headers' | 'query'>) => boolean;
  /**
   * Requests do not wait until the tools that their tenant registered are loaded. The route waits by itself, or needs none of
   * them.
   */
  readonly needsNoTools?: true;
  /** Hosts that a person has connected may use it. */
  readonly acceptsGrants?: true;
  /** The response never ends, so the route does not support HEAD. */
  readonly streams?: true;
  /** Its own responses by status; the description adds the refusals that many routes have. */
  readonly responses: Readonly<Record<number, RouteResponseDescription>>;
  readonly handle: (request: RouteRequest) => Awaitable<RouteResult>;
}

/** What `/openapi.json` says about a route. */
export type RouteDescription = Omit<Route, 'handle'>;

/** The caller of a `key` route. */
export function callerOf(request: RouteRequest): Caller {
  if (!request.caller) throw new Error('This route needs access: "key".');
  return request.caller;
}
