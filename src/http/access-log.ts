import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Characters of a path that are logged. */
const MAX_PATH_LENGTH = 500;

/** Writes one line for a request once its response has ended or its client has left. */
export type LogAccess = (request: FastifyRequest, reply: FastifyReply) => void;

/** Creates the access log. Its lines have the path without the query, and the id of the API key. */
export const createAccessLog =
  (logger: Pick<Logger, 'info'>): LogAccess =>
  (request, { raw }) => {
    const startedMs = performance.now();
    const { socket, method, url = '' } = request.raw;
    const sentBefore = socket.bytesWritten;
    const { clientAddress, id: requestId } = request;
    raw.once('close', () => {
      const line = {
        method,
        path: pathOf(url),
        status: raw.headersSent ? raw.statusCode : null,
        ms: Math.round((performance.now() - startedMs) * 10) / 10,
        bytes: socket.bytesWritten - sentBefore,
        clientAddress,
        apiKeyId: request.caller?.apiKeyId ?? null,
        requestId,
      };
      logger.info(line, 'request');
    });
  };

const pathOf = (url: string): string => url.split('?', 1)[0]?.slice(0, MAX_PATH_LENGTH) ?? '';

export type ResponseCounts = ReturnType<typeof createResponseCounts>;

/** HTTP statuses have three digits. */
const STATUSES = 1000;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeaders[string][];

/** Counts the responses of HTTP servers by their status. */
export function createResponseCounts() {
  const counts = new Float64Array(STATUSES);
  /** Counts a response that was written without the class. */
  const add = (status: number): void => {
    counts[status] = (counts[status] ?? 0) + 1;
  };

  /** The class of a server's responses. It counts when the head is written, which costs less than an event of each. */
  class CountedResponse<R extends IncomingMessage> extends ServerResponse<R> {
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      super.writeHead(status, reason as string, headers as OutgoingHttpHeaders);
      add(status);
      return this;
    }
  }

  return {
    CountedResponse,
    add,
    *entries(): Generator<readonly [status: number, count: number]> {
      for (const [status, count] of counts.entries()) if (count > 0) yield [status, count];
    },
  };
}
