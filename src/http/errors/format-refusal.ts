import type { FastifyReply } from 'fastify';
import type { GatewayError } from '../../platform/kernel/error.ts';

/** The body of every refusal over HTTP: two fields. */
export const refusalBody = (error: GatewayError): string =>
  JSON.stringify({ error: error.row.httpName, message: error.message });

/** A complete response for a request that never reached the framework. It ends the connection. */
export function formatRefusal(error: GatewayError, requestId: string): string {
  const body = refusalBody(error);
  const { httpStatus, httpName } = error.row;
  const { retryAfterSeconds } = error.details;
  return [
    `HTTP/1.1 ${httpStatus} ${httpName}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `x-error-code: ${error.code}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

declare module 'fastify' {
  interface FastifyInstance {
    /** True once the shutdown has started. */
    isClosing: boolean;
  }
}

/** Asks the client to close its connection once the shutdown has started, even if its request came before. */
export function announceClose(reply: FastifyReply): void {
  if (reply.server.isClosing) reply.header('connection', 'close');
}
