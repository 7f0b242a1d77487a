import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../platform/kernel/error.ts';
import { newRequestId } from '../platform/kernel/ids.ts';
import { WholeRequest } from './bodies/whole-request.ts';
import { answerOf } from './connections/connection.ts';
import { MAX_HEADERS } from './errors/check-request.ts';
import { formatRefusal, refusalBody } from './errors/format-refusal.ts';

/** Room for long addresses, a key, and what browsers and proxies add. More gets 431. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How long the head of a request may take: a client writes it in one go. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a whole request may take: 1 MiB at 140 kbit/s. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How long a connection is kept without a request; longer than the 60 s of usual proxies, which must close first. */
const KEEP_ALIVE_MS = 72_000;
/** How often the two times above are checked. */
const CHECK_MS = 5000;
/** No bound: a connection costs the same however many requests it has carried. */
const MAX_REQUESTS_PER_CONNECTION = 0;

/** What every HTTP server of the gateway bounds; the connections themselves are bounded by `Connections`. */
export const SERVER_BOUNDS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_MS,
};

/** A server for the gateway's clients that does not listen yet. */
export function createHttpServer(listener: RequestListener<typeof WholeRequest>): Server {
  const server = createServer<typeof WholeRequest>(
    {
      ...SERVER_BOUNDS,
      IncomingMessage: WholeRequest,
      // A second Host or Authorization would be dropped without a word; joined, it is no valid one.
      joinDuplicateHeaders: true,
      // Said in our own words by `checkRequest`.
      requireHostHeader: false,
    },
    listener,
  );
  // One more than is taken, so that `checkRequest` sees that there are too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.on('clientError', answerUnreadable);
  // Told to go on when the body is wanted: not before the key has been checked.
  server.on('checkContinue', (request: WholeRequest, response) => {
    request.whenWanted(() => response.writeContinue());
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (_request, response) => {
    const refusal = new GatewayError('expectation_failed');
    const body = refusalBody(refusal);
    response.writeHead(refusal.row.httpStatus, {
      'content-length': Buffer.byteLength(body),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-request-id': newRequestId(),
      connection: 'close',
    });
    response.end(body);
  });
  return server;
}

/** The last word on a connection whose bytes are no request, or no longer. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // An answer that has begun cannot be taken back, and another one must not end up inside of it.
  if (!answerOf(socket)?.headersSent) socket.write(formatRefusal(toRefusal(error), newRequestId()));
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
