import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { createConnections } from '../connections/connections.ts';
import { SERVER_BOUNDS } from '../http-server.ts';
import { boundPort, toListenError } from '../listen.ts';

/** Monitoring systems need only a few. */
const MAX_METRICS_CONNECTIONS = 100;

/** Serves `/metrics` on a separate port, which clients need not reach. Throws StartupError. */
export async function listenForMetrics(
  registry: Registry,
  host: string,
  port: number,
  writeTimeoutMs: number,
): Promise<Closeable & { readonly port: number }> {
  const connections = createConnections({
    maxConnections: MAX_METRICS_CONNECTIONS,
    maxConnectionsPerAddress: MAX_METRICS_CONNECTIONS,
    writeTimeoutMs,
  });
  const server = createServer(SERVER_BOUNDS, (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff');
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    });
  });
  connections.watch(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw toListenError(error, { host, port, setting: 'METRICS_PORT' });
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
