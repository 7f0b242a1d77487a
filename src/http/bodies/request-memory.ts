import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget, MemoryHold } from '../../platform/kernel/byte-budget.ts';

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
