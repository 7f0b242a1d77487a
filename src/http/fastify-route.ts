import { pipeline } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/keys/caller.ts';
import { holds } from '../dialects/json-rpc/splice.ts';
import {
  BodyParts,
  type Route,
  type RouteRequest,
  type RouteResponse,
  type RouteStream,
} from '../dialects/route.ts';
import { whenReady } from '../platform/kernel/awaitable.ts';
import { overBudget } from '../platform/kernel/byte-budget.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { Authenticate } from './authentication.ts';
import { PACED_BYTES, pacedBody, sendBytes } from './bodies/paced-body.ts';
import { leaseOf } from './bodies/request-lease.ts';
import { departureOf } from './departure-of.ts';
import { announceClose } from './errors/announce-close.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** Behind the trusted proxies; `ip` is whoever opened the connection. */
    readonly clientAddress: string;
    /** The rate limit is used up, and the route answers that itself. */
    limited: GatewayError | null;
  }
}

/** Methods that a path may lack, and answers 405 to then. `guardOrigins` answers OPTIONS before any route. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Mounts the dialects' routes, and answers every other method of the same paths with 405 and `Allow`. */
export function mountRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  authenticate: Authenticate,
): void {
  for (const route of routes) mountRoute(app, route, authenticate);
  for (const path of new Set(routes.map((route) => route.path))) {
    refuseOtherMethods(app, path, methodsOf(routes.filter((route) => route.path === path)));
  }
}

function mountRoute(app: FastifyInstance, route: Route, authenticate: Authenticate): void {
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: route.method === 'GET' && !route.streams,
    schema: describe(route),
    ...(route.access === 'key' ? { onRequest: authenticate(route) } : {}),
    handler: (request, reply) => {
      const response = route.handle(toRouteRequest(request, reply));
      const sent = whenReady(response, (ready) => send(reply, ready));
      void whenReady(sent, done, (error) => void reply.send(error));
    },
  });
}

const done = (): void => undefined;

/** The methods a path answers; HEAD comes with GET except on a stream, which would never end. */
const methodsOf = (routes: readonly Route[]): string[] =>
  routes.flatMap(({ method, streams }) =>
    method === 'GET' && !streams ? ['GET', 'HEAD'] : [method],
  );

function refuseOtherMethods(app: FastifyInstance, path: string, present: string[]): void {
  const allow = present.join(', ');
  app.route({
    method: METHODS.filter((method) => !present.includes(method)),
    url: path,
    schema: { hide: true },
    handler: (_request, reply) => {
      reply.header('allow', allow);
      throw new GatewayError('method_not_allowed', `This address answers ${allow} only.`);
    },
  });
}

/** The framework's schema of a route: queries are checked by it, everything else only described. */
function describe(route: Route): object {
  return {
    summary: route.summary,
    tags: [route.tag],
    ...(route.description ? { description: route.description } : {}),
    ...(route.access === 'key' ? { security: [{ bearer: [] }, { apiKey: [] }] } : { security: [] }),
    ...(route.params ? { params: describeParams(route.params) } : {}),
    // What a POST says is in its body; checking its empty query would cost every call.
    ...(route.method === 'POST'
      ? {}
      : {
          querystring: {
            type: 'object',
            properties: route.query ?? {},
            additionalProperties: false,
          },
        }),
    response: Object.fromEntries(
      Object.entries(route.answers).map(([status, { description, schema }]) => [
        status,
        { description, ...schema },
      ]),
    ),
    // The body is read by the dialect from its bytes; checking it here as well would parse it twice.
    ...(route.body ? { 'x-body': route.body } : {}),
  };
}

const describeParams = (params: Readonly<Record<string, string>>): object => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(params).map(([name, description]) => [
      name,
      { type: 'string', maxLength: 300, description },
    ]),
  ),
});

function toRouteRequest(request: FastifyRequest, { raw }: FastifyReply): RouteRequest {
  return {
    requestId: request.id,
    caller: request.caller,
    clientIp: request.clientAddress,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : null,
    limited: request.limited,
    lease: () => leaseOf(request),
    departure: () => departureOf(raw),
  };
}

function send(reply: FastifyReply, answer: RouteResponse | RouteStream): void {
  if ('stream' in answer) {
    takeOver(reply);
    answer.stream(reply.raw);
    return;
  }
  announceClose(reply);
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.body !== null && !reply.hasHeader('content-type')) {
    reply.header('content-type', 'application/json; charset=utf-8');
  }
  if (!isHeld(reply.request, answer.body)) reply.send(overBudget());
  else if (answer.body instanceof BodyParts) sendParts(reply, answer.body.parts);
  else if (Buffer.isBuffer(answer.body)) sendBytes(reply, answer.body);
  else reply.send(answer.body ?? undefined);
}

/** Whether there is memory for a large answer until its client has taken it. */
const isHeld = (request: FastifyRequest, body: RouteResponse['body']): boolean =>
  !(Buffer.isBuffer(body) || body instanceof BodyParts) || holds(() => leaseOf(request), body);

/** The framework sends one buffer or a stream; corked, the pieces leave in one system call. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[]): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  reply.header('content-length', length);
  takeOver(reply);
  const { raw } = reply;
  raw.statusCode = reply.statusCode;
  if (length > PACED_BYTES) {
    // A client that goes away has nobody to be told.
    pipeline(pacedBody(parts), raw, () => undefined);
    return;
  }
  raw.cork();
  for (const part of parts) raw.write(part);
  raw.end();
  raw.uncork();
}

/** From here on the answer is written past the framework, which has set its headers so far. */
function takeOver(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}
