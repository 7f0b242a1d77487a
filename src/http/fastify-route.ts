import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { holds } from '../dialects/json-rpc/splice.ts';
import {
  BodyParts,
  type Route,
  type RouteRequest,
  type RouteResponse,
  type RouteResult,
} from '../dialects/route.ts';
import { whenReady } from '../platform/kernel/awaitable.ts';
import { overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import { Cancellation } from '../platform/kernel/cancellation.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { withoutMark } from '../platform/kernel/json-text.ts';
import { memoizeEach } from '../platform/kernel/memo.ts';
import type { Authenticate } from './authentication.ts';
import { acceptBodies, memoryOf } from './bodies/accept-bodies.ts';
import { PACED_BYTES, pacedBody, sendBytes } from './bodies/paced-body.ts';
import { boundUnreadBody } from './bodies/unread-body.ts';
import { announceClose } from './errors/format-refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** The address behind the trusted proxies. `ip` is the peer of the connection. */
    readonly clientAddress: string;
    /** Set when the rate limit is exceeded and the route encodes the refusal itself. */
    limited: GatewayError | null;
    /** What the route's `admit` resolved with. */
    admitted: unknown;
  }
}

/** Methods that get 405 on a path without them. `guardOrigins` handles OPTIONS before any route. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Mounts the dialects' routes. Every other method on the same paths gets 405 with `Allow`. */
export function mountRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  authenticate: Authenticate,
): void {
  for (const route of routes) {
    const { bodies } = route;
    if (!bodies) mountRoute(app, route, authenticate);
    // In a scope of its own, so that its bodies cost other routes nothing.
    else
      void app.register((scope, _options, registered) => {
        acceptBodies(scope, bodies);
        mountRoute(scope, route, authenticate);
        registered();
      });
  }
  for (const [path, onPath] of Map.groupBy(routes, (route) => route.path)) {
    refuseOtherMethods(app, path, onPath, authenticate);
  }
}

function mountRoute(app: FastifyInstance, route: Route, authenticate: Authenticate): void {
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: route.method === 'GET' && !route.streams,
    ...checkedQuery(route),
    ...(route.access === 'key' ? { onRequest: authenticate(route) } : admitFirst(route)),
    handler: (request, reply) => {
      const response = route.handle(toRouteRequest(request, reply));
      void whenReady(
        response,
        (ready) => sendOrFail(reply, ready),
        (error) => void reply.send(error),
      );
    },
  });
}

function sendOrFail(reply: FastifyReply, response: RouteResult): void {
  try {
    send(reply, response);
  } catch (error) {
    reply.send(error);
  }
}

/** The hook that admits the requests of a route before their bodies are read. */
function admitFirst({ admit }: Route): { onRequest?: onRequestHookHandler } {
  if (!admit) return {};
  return {
    onRequest: (request, _reply, next) => {
      const { headers, clientAddress: clientIp } = request;
      const params = request.params as Record<string, string>;
      admit({ headers, params, clientIp }).then(
        (admitted) => {
          request.admitted = admitted;
          next();
        },
        (refusal) => {
          boundUnreadBody(request.raw);
          next(refusal);
        },
      );
    },
  };
}

/** A `key` path checks the key first: hosts probe `GET /mcp`, and blame whatever status they get for a wrong key. */
function refuseOtherMethods(
  app: FastifyInstance,
  path: string,
  routes: readonly Route[],
  authenticate: Authenticate,
): void {
  // HEAD comes with GET, except on a stream, which would never end.
  const present = routes.flatMap(({ method, streams }): string[] =>
    method === 'GET' && !streams ? ['GET', 'HEAD'] : [method],
  );
  const needsKey = routes.some(({ access }) => access === 'key');
  const grants = routes.some(({ acceptsGrants }) => acceptsGrants) && {
    acceptsGrants: true as const,
  };
  const allow = present.join(', ');
  app.route({
    method: METHODS.filter((method) => !present.includes(method)),
    url: path,
    ...(needsKey ? { onRequest: authenticate({ ...grants }) } : {}),
    handler: (_request, reply) => {
      reply.header('allow', allow);
      throw new GatewayError('method_not_allowed', `This address supports only ${allow}.`);
    },
  });
}

/**
 * The framework checks the query and nothing else: it would parse the body a second time, and checking the empty query of
 * a POST would cost every call.
 */
function checkedQuery({ method, operation, query, ignoresOtherQuery }: Route): object {
  if (method === 'POST' || operation === null) return {};
  const additionalProperties = ignoresOtherQuery ?? false;
  return {
    schema: { querystring: { type: 'object', properties: query ?? {}, additionalProperties } },
  };
}

function toRouteRequest(request: FastifyRequest, { raw }: FastifyReply): RouteRequest {
  return {
    requestId: request.id,
    caller: request.caller,
    admitted: request.admitted,
    clientIp: request.clientAddress,
    method: request.method,
    target: request.url,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? withoutMark(request.body) : null,
    limited: request.limited,
    memory: () => memoryOf(request),
    cancellation: () => cancellationOf(raw.req.socket),
  };
}

function send(reply: FastifyReply, response: RouteResult): void {
  if (Buffer.isBuffer(response) || response instanceof BodyParts) {
    announceClose(reply);
    sendBody(reply, response);
    return;
  }
  if ('stream' in response) {
    takeOver(reply);
    response.stream(reply.raw);
    return;
  }
  announceClose(reply);
  reply.code(response.status);
  if (response.headers) reply.headers(response.headers);
  sendBody(reply, response.body);
}

function sendBody(reply: FastifyReply, body: RouteResponse['body']): void {
  if (body !== null && !reply.hasHeader('content-type')) {
    reply.header('content-type', 'application/json; charset=utf-8');
  }
  if (!isHeld(reply.request, body)) reply.send(overBudget());
  else if (body instanceof BodyParts) sendParts(reply, body.parts);
  else if (Buffer.isBuffer(body)) sendBytes(reply, body);
  else reply.send(body ?? undefined);
}

/** Reserves memory for a large body until its client has read it. Returns false when the budget has no room. */
function isHeld(request: FastifyRequest, body: RouteResponse['body']): boolean {
  if (Buffer.isBuffer(body)) return body.length <= SMALL_BYTES || memoryOf(request).hold(body);
  return !(body instanceof BodyParts) || holds(() => memoryOf(request), body);
}

/** The framework sends only a buffer or a stream. Corked, the parts leave in one system call. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[]): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  reply.header('content-length', length);
  takeOver(reply);
  const { raw } = reply;
  raw.statusCode = reply.statusCode;
  if (length > PACED_BYTES) {
    // When the client disconnects, the error concerns no one.
    pipeline(pacedBody(parts), raw, () => undefined);
    return;
  }
  raw.cork();
  for (const part of parts) raw.write(part);
  raw.end();
  raw.uncork();
}

/** Takes the response over from the framework, with the headers that it has set. */
function takeOver(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

/**
 * The cancellation for the client that waits for this response. It watches the connection and not the response: one
 * listener serves all of its requests, and a response queued behind another (pipelining) gets no event when both are lost.
 */
const cancellationOf = memoizeEach((socket: Socket) => {
  const cancellation = new Cancellation();
  if (socket.destroyed) cancellation.cancel();
  else socket.once('close', () => cancellation.cancel());
  return cancellation;
});
