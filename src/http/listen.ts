import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '../platform/kernel/startup-error.ts';
import type { WholeRequest } from './bodies/whole-request.ts';

/** Binds the address and returns the port. Throws a StartupError with a message for the operator. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
    if (host === 'localhost') await listenOnOtherLoopback(app);
  } catch (error) {
    throw toListenError(error, { host, port, setting: 'PORT' });
  }
  return boundPort(app.server) ?? port;
}

/** Throws the StartupError that `listen` would throw now. */
export async function assertCanListen(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    throw toListenError(error, { host, port, setting: 'PORT' });
  }
  server.close();
}

/**
 * `localhost` stands for an IPv4 and an IPv6 address. Given a server of ours, the framework binds only the first. Errors
 * are ignored because the machine may lack the other one.
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

/** The port that a server has bound; undefined while it does not listen. */
export function boundPort(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : undefined;
}

/** Where a server was to listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The setting that chooses the port. */
  readonly setting: 'PORT' | 'METRICS_PORT';
}

/** Explains to the operator why an address cannot be bound. */
export function toListenError(error: unknown, address: ListenAddress): StartupError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new StartupError(explain(code, address), { cause: error });
}

function explain(code: string, { host, port, setting }: ListenAddress): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop the process that uses it, or choose another port with ${setting}.`;
    case 'EACCES':
      return `This user may not open port ${port}. Choose a port above 1023 with ${setting}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${setting === 'PORT' ? 'HOST' : 'METRICS_HOST'} ${host} is not an address of this machine. Use 127.0.0.1 for this machine only, or 0.0.0.0 for every network.`;
    default:
      return `The gateway cannot listen on ${host}:${port} (${code}).`;
  }
}

/** Creates a server with all bounds of the gateway. It does not listen yet. */
export type OpenServer = (listener: RequestListener<typeof WholeRequest>) => Server;

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a server in addition to the framework's own. */
    openServer: OpenServer;
    /** The additional servers that listen. */
    otherServers: Server[];
  }
}

/** How long responses announce the close before the listener stops: the next request may already be on its way. */
const NOTICE_MS = 300;

/**
 * Closes the server without losing a call. Responses carry `connection: close` for a moment. Then no new connection is
 * accepted, and running calls finish. What remains after `graceMs` is cut.
 */
export async function closeGracefully(app: FastifyInstance, graceMs: number): Promise<void> {
  app.isClosing = true;
  await sleep(Math.min(NOTICE_MS, graceMs));
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

/** Waits for the work, but no longer than the grace period of a shutdown. */
export const withinGrace = (work: Promise<void>, graceMs: number): Promise<void> =>
  Promise.race([work, sleep(graceMs, undefined, { ref: false })]);
