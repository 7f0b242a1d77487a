import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** True once the shutdown has begun. */
    isLeaving: boolean;
  }
}

/** Every answer given once the shutdown has begun tells its client to leave, also when its request came before. */
export function announceClose(reply: FastifyReply): void {
  if (reply.server.isLeaving) reply.header('connection', 'close');
}
