import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../platform/kernel/error.ts';
import { newRequestId } from '../platform/kernel/ids.ts';
import type { ResponseCounts } from './access-log.ts';
import { WholeRequest } from './bodies/whole-request.ts';
import { responseOn } from './connections/connection.ts';
import { MAX_HEADERS } from './errors/check-request.ts';
import { formatRefusal, refusalBody } from './errors/format-refusal.ts';

/** Room for long addresses, a key, and the headers of browsers and proxies. More gets 431. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How long the head of a request may take: clients send it at once. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a whole request may take: 1 MiB at 140 kbit/s. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How long an idle connection stays open: longer than the usual 60 s of proxies, which must close first. */
const KEEP_ALIVE_MS = 72_000;
/** How often the timeouts of head and request are checked. */
const CHECK_MS = 5000;
/** Unbounded: the cost of a connection does not depend on how many requests it has carried. */
const MAX_REQUESTS_PER_CONNECTION = 0;

/** The bounds of every HTTP server of the gateway. `Connections` bounds the connections themselves. */
export const SERVER_BOUNDS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_MS,
};

/** Creates a server for the gateway's clients. It does not listen yet. */
export function createHttpServer(
  listener: RequestListener<typeof WholeRequest>,
  responses: ResponseCounts,
): Server {
  const server = createServer<typeof WholeRequest>(
    {
      ...SERVER_BOUNDS,
      IncomingMessage: WholeRequest,
      ServerResponse: responses.CountedResponse,
      // Without this, a second Host or Authorization would be dropped silently. Joined, the two are invalid.
      joinDuplicateHeaders: true,
      // `checkRequest` refuses a missing Host with the gateway's own message.
      requireHostHeader: false,
    },
    listener,
  );
  // One more than allowed, so that `checkRequest` notices when a request has too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.on('clientError', (error, socket: Socket) => refuseUnreadable(error, socket, responses));
  // The client is told to continue when its body is needed: not before its key has been checked.
  server.on('checkContinue', (request: WholeRequest, response) => {
    request.onRead(() => response.writeContinue());
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (_request, response) => {
    const refusal = new GatewayError('expectation_failed');
    const body = refusalBody(refusal);
    response.writeHead(refusal.row.httpStatus, {
      'content-length': Buffer.byteLength(body),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-error-code': refusal.code,
      'x-request-id': newRequestId(),
      connection: 'close',
    });
    response.end(body);
  });
  return server;
}

/** Refuses a request that the parser cannot read, and closes its connection. */
function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  responses: ResponseCounts,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // A response that has started cannot be taken back, and must not contain a second one.
  if (!responseOn(socket)?.headersSent) {
    const refusal = toRefusal(error);
    responses.add(refusal.row.httpStatus);
    socket.write(formatRefusal(refusal, newRequestId()));
  }
  socket.destroySoon();
}

function toRefusal({ code }: NodeJS.ErrnoException): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('headers_too_large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new GatewayError('too_large', 'The chunk extensions of the request are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('request_timeout');
    default:
      return new GatewayError('invalid_request', 'The request is not valid HTTP/1.1.');
  }
}
