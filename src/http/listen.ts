import { lookup } from 'node:dns/promises';
import type { RequestListener, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '../platform/kernel/startup-error.ts';
import type { WholeRequest } from './bodies/whole-request.ts';

/** Binds the address and returns the port. Throws StartupError in words for the operator. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
    if (host === 'localhost') await listenOnOtherLoopback(app);
  } catch (error) {
    throw listenFault(error, host, port, 'PORT');
  }
  const address = app.server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/**
 * `localhost` names an address of IPv4 and one of IPv6, and the framework binds the first only when it is given its
 * server. That the machine has the other one is not sure.
 */
async function listenOnOtherLoopback(app: FastifyInstance): Promise<void> {
  const bound = app.server.address();
  if (typeof bound !== 'object' || bound === null) return;
  const addresses = await lookup('localhost', { all: true });
  for (const { address } of addresses.filter((each) => each.address !== bound.address)) {
    const server = app.openServer(app.routing);
    server.on('error', () => undefined).listen(bound.port, address);
    app.otherServers.push(server);
  }
}

/** Why an address cannot be bound, in words for the operator; `setting` is where the port was chosen. */
export function listenFault(
  error: unknown,
  host: string,
  port: number,
  setting: 'PORT' | 'METRICS_PORT',
): StartupError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown fault';
  return new StartupError(describeFault(code, host, port, setting), { cause: error });
}

function describeFault(code: string, host: string, port: number, setting: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop what runs there, or choose another with ${setting}.`;
    case 'EACCES':
      return `Port ${port} may not be opened by this user. Choose one above 1023 with ${setting}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is not an address of this machine.`;
    default:
      return `The gateway cannot listen on ${host}:${port} (${code}).`;
  }
}

/** Makes a server that does not listen yet, with every bound of the gateway's. */
export type OpenServer = (listener: RequestListener<typeof WholeRequest>) => Server;

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes another server beside the framework's own. */
    openServer: OpenServer;
    /** Those of them that listen. */
    otherServers: Server[];
  }
}

/** How long clients are told to leave before the listener goes: their next request may be on its way. */
const FAREWELL_MS = 300;

/**
 * Ends the server without losing a call: answers say `connection: close` for a moment, then nothing new is
 * accepted, calls under way are answered, and what is left after `graceMs` is cut off.
 */
export async function closeGracefully(app: FastifyInstance, graceMs: number): Promise<void> {
  app.isLeaving = true;
  await sleep(Math.min(FAREWELL_MS, graceMs));
  const servers = [app.server, ...app.otherServers];
  const timer = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, graceMs);
  await Promise.all([app.close(), ...app.otherServers.map(closeServer)]);
  clearTimeout(timer);
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });

/** Waits for what a shutdown waits for, but no longer than it may take. */
export const withinGrace = (work: Promise<void>, graceMs: number): Promise<void> =>
  Promise.race([work, sleep(graceMs, undefined, { ref: false })]);
