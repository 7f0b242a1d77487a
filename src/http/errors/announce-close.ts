import type { FastifyReply } from 'fastify';

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
