import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Route } from '../dialects/route.ts';
import { newRequestId } from '../kernel/ids.ts';
import { installApiReference } from './api-reference.ts';
import { type AuthenticationDeps, createAuthenticate } from './authentication.ts';
import { answerError, installErrorEdge } from './error-edge.ts';
import { mountRoutes } from './fastify-route.ts';
import { guardOrigins } from './origins.ts';
import { WholeRequest } from './whole-request.ts';

export interface AppOptions extends AuthenticationDeps {
  readonly logger: FastifyBaseLogger;
  readonly maxBodyBytes: number;
  readonly trustProxy: boolean;
  readonly baseUrl: string;
  readonly version: string;
  /** Origins of pages that may call, beside those of this machine. */
  readonly origins: readonly string[];
  readonly routes: readonly Route[];
}

/** The server shell: limits, request ids, authentication, routes, the API reference and the one error edge. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
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
    http: { IncomingMessage: WholeRequest },
    trustProxy: options.trustProxy,
    // A client that opens a connection and never finishes its request is let go.
    requestTimeout: 60_000,
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
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.decorate('isLeaving', false);
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

/** A logger for each request would cost more than the rest of the shell; lines name the request id themselves. */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const only: FastifyBaseLogger = Object.create(logger, { child: { value: () => only } });
  return only;
}

/** Only JSON is taken, and it reaches the dialects as the bytes it came in. */
function readBodiesAsBytes(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, payload, done) => {
    if (!(payload instanceof WholeRequest)) throw new Error('The server makes its own requests.');
    payload.readWhole(maxBytes, done);
  });
}
