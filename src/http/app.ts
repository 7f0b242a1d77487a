import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Route } from '../dialects/route.ts';
import type { ByteBudget } from '../platform/kernel/byte-budget.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { newRequestId } from '../platform/kernel/ids.ts';
import { type AuthenticationDeps, createAuthenticate } from './authentication.ts';
import { installLeases, leaseOf } from './bodies/request-lease.ts';
import { WholeRequest } from './bodies/whole-request.ts';
import type { ClientAddress } from './client-address.ts';
import type { Connections } from './connections/connections.ts';
import { createCheckRequest } from './errors/check-request.ts';
import { answerError, installErrorEdge } from './errors/error-edge.ts';
import { mountRoutes } from './fastify-route.ts';
import { installApiReference } from './files/api-reference.ts';
import { answerHeaders } from './files/security-headers.ts';
import { createHttpServer } from './http-server.ts';
import type { OpenServer } from './listen.ts';
import { guardOrigins } from './origins.ts';

export interface AppOptions extends AuthenticationDeps {
  readonly logger: FastifyBaseLogger;
  readonly maxBodyBytes: number;
  readonly budget: ByteBudget;
  readonly clientAddress: ClientAddress;
  readonly baseUrl: string;
  /** Addresses whose hosts requests may name. An empty list accepts every host. */
  readonly ownAddresses: readonly string[];
  readonly version: string;
  /** Origins of pages that may call, beside those of this machine. */
  readonly origins: readonly string[];
  readonly routes: readonly Route[];
  readonly connections: Connections;
}

/** The server shell: limits, request ids, authentication, routes, the API reference and the one error edge. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const openServer: OpenServer = (listener) => {
    const server = createHttpServer(listener);
    options.connections.watch(server);
    return server;
  };
  const app = fastify({
    loggerInstance: withoutChildren(options.logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    // Faults found before any route, and so before any hook.
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      answerError(error, request, reply);
    },
    serverFactory: openServer,
    // `clientError` is answered by the server itself.
    clientErrorHandler: () => undefined,
    // Streams are ended by their own part of the shutdown; idle connections must not hold it up.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    ajv: {
      customOptions: { coerceTypes: true, removeAdditional: false, allErrors: true, strict: false },
    },
  });
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.decorateRequest('caller', null);
  app.decorateRequest('limited', null);
  installLeases(app, options.budget);
  beginRequests(app, options);
  app.decorateRequest('clientAddress', {
    getter() {
      return options.clientAddress.of(this.raw);
    },
  });
  app.decorate('isLeaving', false);
  app.decorate('openServer', openServer);
  app.decorate('otherServers', []);
  readBodiesAsBytes(app, options.maxBodyBytes);
  app.addHook('onRequest', guardOrigins(options.origins));
  installErrorEdge(app);
  await installApiReference(app, options);
  // A scope of its own, so that the routes come after the API reference has begun to collect them.
  await app.register((scope, _options, done) => {
    mountRoutes(scope, options.routes, createAuthenticate(options));
    done();
  });
  return app;
}

/** What comes before everything else of a request; one hook, since each costs every call. */
function beginRequests(app: FastifyInstance, { ownAddresses, baseUrl }: AppOptions): void {
  const checkRequest = createCheckRequest(ownAddresses);
  const headers = answerHeaders(baseUrl);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    request.response = reply.raw;
    if (request.raw.method !== 'POST') reply.headers(headers);
    const refusal = checkRequest(request.raw);
    if (refusal) reply.header('connection', 'close');
    done(refusal);
  });
}

/** A logger for each request would cost more than the rest of the shell; lines name the request id themselves. */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const only: FastifyBaseLogger = Object.create(logger, { child: { value: () => only } });
  return only;
}

/** Only JSON is taken, and it reaches the dialects as the bytes it came in. */
function readBodiesAsBytes(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    if (!(payload instanceof WholeRequest)) throw new Error('The server makes its own requests.');
    const memory = {
      take: (bytes: number) => leaseOf(request).take(bytes),
      give: (bytes: number) => leaseOf(request).give(bytes),
    };
    if (isEncoded(payload)) done(new GatewayError('unsupported_media_type', ENCODED));
    else payload.readWhole({ maxBytes, memory }, done);
  });
}

const ENCODED = 'Send the body as it is: only the content coding identity is accepted.';

function isEncoded({ headers }: WholeRequest): boolean {
  const coding = headers['content-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'identity';
}
