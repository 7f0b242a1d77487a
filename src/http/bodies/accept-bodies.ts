import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RouteBody } from '../../dialects/route.ts';
import type { ByteBudget, ByteSource, MemoryHold } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { WholeRequest } from './whole-request.ts';

type Done = (error: Error | null, body?: Buffer) => void;

/** Accepts only JSON, and passes it to the dialects as bytes. */
export function acceptJson(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) =>
    readBody(request, payload, maxBytes, done),
  );
}

/** Accepts only these bodies, by media type, and passes them to the dialects as bytes. */
export function acceptBodies(
  scope: FastifyInstance,
  bodies: Readonly<Record<string, Pick<RouteBody, 'maxBytes' | 'tooLarge'>>>,
): void {
  scope.removeAllContentTypeParsers();
  for (const [mediaType, { maxBytes, tooLarge = '' }] of Object.entries(bodies)) {
    scope.addContentTypeParser(mediaType, (request, payload, done) =>
      readBody(request, payload, maxBytes, (error, body) =>
        done(error && explain(error, maxBytes, tooLarge), body),
      ),
    );
  }
  const refusal = `Send the body as one of: ${Object.keys(bodies).join(', ')}.`;
  scope.addContentTypeParser('*', (_request, _payload, done) =>
    done(new GatewayError('unsupported_media_type', refusal)),
  );
}

/** Names the limit, which is not the one of other addresses. */
const explain = (error: Error, maxBytes: number, advice: string): Error =>
  error instanceof GatewayError && error.code === 'too_large'
    ? new GatewayError(
        'too_large',
        `The request body is larger than ${maxBytes} bytes. ${advice}`.trimEnd(),
      )
    : error;

function readBody(request: FastifyRequest, payload: unknown, maxBytes: number, done: Done): void {
  if (!(payload instanceof WholeRequest))
    throw new Error('The request does not come from createHttpServer.');
  if (isEncoded(payload)) done(new GatewayError('unsupported_media_type', ENCODED));
  else payload.readWhole({ maxBytes, memory: new LazyHold(request) }, done);
}

/** The hold of a request, opened only for a body that is charged. */
class LazyHold implements ByteSource {
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  take(bytes: number): boolean {
    return memoryOf(this.#request).take(bytes);
  }

  give(bytes: number): void {
    memoryOf(this.#request).give(bytes);
  }
}

const ENCODED = 'Send the body uncompressed: only the content coding identity is accepted.';

function isEncoded({ headers }: WholeRequest): boolean {
  const coding = headers['content-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'identity';
}

declare module 'fastify' {
  interface FastifyInstance {
    budget: ByteBudget;
  }
  interface FastifyRequest {
    /** Set by the first hook. */
    response: ServerResponse | null;
    memory: MemoryHold | null;
  }
}

/** Prepares the holds of requests, which are opened when something large first needs one. */
export function installMemory(app: FastifyInstance, budget: ByteBudget): void {
  app.decorate('budget', budget);
  app.decorateRequest('response', null);
  app.decorateRequest('memory', null);
}

/** What this request holds of the memory budget until its response is sent or its client disconnects. */
export function memoryOf(request: FastifyRequest): MemoryHold {
  return request.memory ?? openMemory(request);
}

function openMemory(request: FastifyRequest): MemoryHold {
  const { response, caller } = request;
  const { socket } = request.raw;
  const memory = request.server.budget.open(caller?.tenantId ?? '');
  request.memory = memory;
  const end = (): void => {
    response?.off('close', end);
    socket.off('close', end);
    memory.close();
  };
  // A response queued behind another on its connection gets no event when the connection closes.
  response?.once('close', end);
  socket.once('close', end);
  // The response may already be sent, as for a message whose result arrives on an event stream.
  if (socket.destroyed || response?.destroyed) end();
  return memory;
}
