import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server as HttpServer, RequestListener } from 'node:http';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '../platform/kernel/error.ts';
import type { WholeRequest } from './bodies/whole-request.ts';

/** Binds the address and returns the port. Throws a StartupError with a message for the operator. */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<number> {
  const { host, port, reusePort = false } = address;
  try {
    const options = { host, port, reusePort };
    await app.listen(options);
    if (host === 'localhost') await listenOnOtherLoopback(app, reusePort);
  } catch (error) {
    throw toListenError(error, address);
  }
  return boundPort(app.server) ?? port;
}

/** Throws the StartupError that `listen` would throw now. Resolves with the port: a free one instead of 0. */
export async function assertCanListen(host: string, port: number): Promise<number> {
  try {
    const server = createServer().listen({ host, port });
    await once(server, 'listening');
    const bound = boundPort(server) ?? port;
    await closeServer(server);
    return bound;
  } catch (error) {
    throw toListenError(error, { host, port, setting: 'PORT' });
  }
}

/**
 * `localhost` stands for an IPv4 and an IPv6 address. Given a server of ours, the framework binds only the first. Errors
 * are ignored because the machine may lack the other one.
 */
async function listenOnOtherLoopback(app: FastifyInstance, reusePort: boolean): Promise<void> {
  const bound = app.server.address();
  if (typeof bound !== 'object' || bound === null) return;
  const addresses = await lookup('localhost', { all: true });
  for (const { address } of addresses.filter((each) => each.address !== bound.address)) {
    const server = app.openServer(app.routing);
    server.on('error', () => undefined).listen({ port: bound.port, host: address, reusePort });
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
  /** Whether other processes of this gateway listen there, too. */
  readonly reusePort?: boolean;
}

/** Explains to the operator why an address cannot be bound. */
export const toListenError = (error: unknown, address: ListenAddress): StartupError =>
  new StartupError(explain(error, address), { cause: error });

function explain(error: unknown, { host, port, setting }: ListenAddress): string {
  const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
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
export type OpenServer = (listener: RequestListener<typeof WholeRequest>) => HttpServer;

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a server in addition to the framework's own. */
    openServer: OpenServer;
    /** The additional servers that listen. */
    otherServers: HttpServer[];
  }
}

/**
 * Announces that the server will close, while it keeps serving: responses carry `connection: close`, and load balancers
 * find `/health/serving` at 503. Resolves after the notice, at once if the server does not listen.
 */
export async function announceEnd(app: FastifyInstance, noticeMs: number): Promise<void> {
  app.isClosing = true;
  if (app.server.listening) await sleep(noticeMs);
}

/** Closes the server: no new connection is accepted, and running calls finish. What remains after `graceMs` is cut. */
export async function closeGracefully(app: FastifyInstance, graceMs: number): Promise<void> {
  const servers = [app.server, ...app.otherServers];
  const timer = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, graceMs);
  await Promise.all([app.close(), ...app.otherServers.map(closeServer)]);
  clearTimeout(timer);
}

const closeServer = (server: Server | HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeIdleConnections' in server) server.closeIdleConnections();
  });

/** Waits for the work, but no longer than the grace period of a shutdown. */
export const withinGrace = (work: Promise<void>, graceMs: number): Promise<void> =>
  Promise.race([work, sleep(graceMs, undefined, { ref: false })]);
