import { createServer, type RequestListener } from 'node:http';
import type { Closeable } from '../platform/kernel/closing.ts';
import { createConnections } from './connections/connections.ts';
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
