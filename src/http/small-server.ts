import { createServer, type RequestListener } from 'node:http';
import type { Closeable } from '../platform/kernel/closing.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { newRequestId } from '../platform/kernel/ids.ts';
import { createConnections } from './connections/connections.ts';
import { refusalBody } from './errors/format-refusal.ts';
import { SERVER_BOUNDS } from './http-server.ts';
import { boundPort, type ListenAddress, toListenError } from './listen.ts';

/** Health checks and monitoring systems need only a few. */
const MAX_CONNECTIONS = 100;

export type SmallServer = Closeable & { readonly port: number };

/** Serves a few addresses to a few clients, apart from the gateway's own server. Throws StartupError. */
export async function openSmallServer(
  listener: RequestListener,
  address: ListenAddress,
  writeTimeoutMs: number,
): Promise<SmallServer> {
  const connections = createConnections({
    maxConnections: MAX_CONNECTIONS,
    maxConnectionsPerAddress: MAX_CONNECTIONS,
    writeTimeoutMs,
  });
  const server = createServer(SERVER_BOUNDS, (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff');
    listener(request, response);
  });
  connections.watch(server);
  const { host, port, reusePort = false } = address;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port, reusePort }, resolve);
  }).catch((error: unknown) => {
    throw toListenError(error, address);
  });
  return {
    port: boundPort(server) ?? port,
    close: async () => {
      await connections.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const RETRY_AFTER_SECONDS = 5;

const NOT_STARTED = refusalBody(
  new GatewayError('unavailable', 'The gateway is starting: it waits for its database.'),
);

/**
 * Answers in place of a gateway that waits for its database: `/health` is 200, everything else 503
 * (docs/contract.md#health). Throws StartupError.
 */
export const openStartingServer = (
  address: ListenAddress,
  writeTimeoutMs: number,
): Promise<SmallServer> =>
  openSmallServer(
    (request, response) => {
      const path = request.url?.split('?', 1)[0]?.replace(/\/$/, '');
      const isHealth = path === '/health';
      const isReport = isHealth || path === '/health/serving';
      const body = isReport ? healthReport(isHealth ? 'healthy' : 'degraded') : NOT_STARTED;
      // Unread, the rest of a body would reset the connection before the response arrives.
      request.resume();
      response
        .writeHead(isHealth ? 200 : 503, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
          'x-request-id': newRequestId(),
          connection: 'close',
          ...(isHealth ? {} : { 'retry-after': String(RETRY_AFTER_SECONDS) }),
          ...(isReport ? {} : { 'x-error-code': 'unavailable' }),
        })
        .end(body);
    },
    address,
    writeTimeoutMs,
  );

const healthReport = (status: 'healthy' | 'degraded'): string =>
  JSON.stringify({ status, service: 'mcp-gateway', timestamp: new Date().toISOString() });
