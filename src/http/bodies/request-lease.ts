import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget, Lease } from '../../platform/kernel/byte-budget.ts';

declare module 'fastify' {
  interface FastifyInstance {
    budget: ByteBudget;
  }
  interface FastifyRequest {
    /** Where the answer goes; set by the first hook. */
    response: ServerResponse | null;
    lease: Lease | null;
  }
}

/** Gives every request a share of the memory budget, opened when something large first asks for it. */
export function installLeases(app: FastifyInstance, budget: ByteBudget): void {
  app.decorate('budget', budget);
  app.decorateRequest('response', null);
  app.decorateRequest('lease', null);
}

/** What this request holds of the memory budget until its answer has left or its client has gone. */
export function leaseOf(request: FastifyRequest): Lease {
  return request.lease ?? openLease(request);
}

function openLease(request: FastifyRequest): Lease {
  const { response, caller } = request;
  const { socket } = request.raw;
  const lease = request.server.budget.open(caller?.tenantId ?? '');
  request.lease = lease;
  const end = (): void => {
    response?.off('close', end);
    socket.off('close', end);
    lease.close();
  };
  // An answer that waits behind an earlier one on the same connection is never told that the connection has gone.
  response?.once('close', end);
  socket.once('close', end);
  // The answer may have left already, as that to a message whose reply comes on an event stream.
  if (socket.destroyed || response?.destroyed) end();
  return lease;
}
