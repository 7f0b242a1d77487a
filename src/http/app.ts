import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { FastifySchemaCompiler } from 'fastify';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Route, RouteDescription } from '../dialects/route.ts';
import type { ByteBudget } from '../platform/kernel/byte-budget.ts';
import { newRequestId } from '../platform/kernel/ids.ts';
import type { LogAccess, ResponseCounts } from './access-log.ts';
import { type AuthenticationDeps, createAuthenticate } from './authentication.ts';
import { acceptJson, installMemory } from './bodies/accept-bodies.ts';
import type { ClientAddress } from './client-address.ts';
import type { Connections } from './connections/connections.ts';
import { createCheckRequest } from './errors/check-request.ts';
import { createSendError } from './errors/error-edge.ts';
import { mountRoutes } from './fastify-route.ts';
import { installApiReference } from './files/api-reference.ts';
import { installDashboard } from './files/dashboard.ts';
import { responseHeaders } from './files/security-headers.ts';
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
  /** The mark of the gateway's own requests, which it refuses. */
  readonly hopMark: string;
  readonly version: string;
  /** Where the dashboard is built. */
  readonly dashboardDir: string;
  /** Origins of pages that may call the gateway, in addition to the origins of this machine. */
  readonly origins: readonly string[];
  /** Paths that pages of every origin may call. */
  readonly openPaths?: RegExp;
  readonly routes: readonly Route[];
  /** Calls of single tools, which `/openapi.json?tools=1` describes. */
  readonly toolCalls: () => readonly RouteDescription[];
  readonly connections: Connections;
  readonly responses: ResponseCounts;
  /** Unless the access log is off. */
  readonly logAccess?: LogAccess;
}

/** Creates the server: limits, request ids, authentication, routes, the API reference and error handling. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const openServer: OpenServer = (listener) => {
    const server = createHttpServer(listener, options.responses);
    options.connections.watch(server);
    return server;
  };
  const sendError = createSendError(options.logger);
  const app = fastify({
    // With a logger, the framework creates one per request and listens for the end of every response.
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    // Errors before any route, and so before any hook.
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      options.logAccess?.(request, reply);
      sendError(error, request, reply);
    },
    serverFactory: openServer,
    // The server itself handles `clientError`.
    clientErrorHandler: () => undefined,
    // Another part of the shutdown ends streams. Idle connections must not delay it.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Clients join addresses, and many lose a body or a key in a redirect.
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('limited', null);
  app.decorateRequest('admitted', undefined);
  installMemory(app, options.budget);
  installFirstHook(app, options);
  app.decorateRequest('clientAddress', {
    getter() {
      return options.clientAddress.of(this.raw);
    },
  });
  app.decorate('isClosing', false);
  app.decorate('openServer', openServer);
  app.decorate('otherServers', []);
  acceptJson(app, options.maxBodyBytes);
  app.addHook('onRequest', guardOrigins(options.origins, options.openPaths));
  app.setErrorHandler(sendError);
  app.setValidatorCompiler(createQueryChecks());
  installApiReference(app, options);
  installDashboard(app, options.dashboardDir);
  mountRoutes(app, options.routes, createAuthenticate(options));
  return app;
}

/** Runs before everything else. It is one hook because each hook costs every call. */
function installFirstHook(
  app: FastifyInstance,
  { ownAddresses, hopMark, baseUrl, logAccess }: AppOptions,
): void {
  const checkRequest = createCheckRequest(ownAddresses, hopMark);
  const headers = responseHeaders(baseUrl);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    request.response = reply.raw;
    logAccess?.(request, reply);
    if (request.raw.method !== 'POST') reply.headers(headers);
    const refusal = checkRequest(request.raw);
    if (refusal) reply.header('connection', 'close');
    done(refusal);
  });
}

/** Checks queries, each compiled when it is first needed: a start would wait for the queries of every path. */
function createQueryChecks(): FastifySchemaCompiler<object> {
  const ajv = new Ajv({
    formats: fullFormats,
    coerceTypes: true,
    useDefaults: true,
    allErrors: true,
    strict: false,
  });
  return ({ schema }) => {
    let validate: ValidateFunction | undefined;
    const check = (query: unknown): boolean => {
      validate ??= ajv.compile(schema);
      const isValid = validate(query);
      check.errors = validate.errors ?? null;
      return isValid;
    };
    check.errors = null as ErrorObject[] | null;
    return check;
  };
}
