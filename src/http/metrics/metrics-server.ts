import type { Registry } from 'prom-client';
import { openSmallServer, type SmallServer } from '../small-server.ts';

/** Serves `/metrics` on a separate port, which clients need not reach. Throws StartupError. */
export const listenForMetrics = (
  registry: Registry,
  host: string,
  port: number,
  writeTimeoutMs: number,
): Promise<SmallServer> =>
  openSmallServer(
    (request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      void registry.metrics().then((text) => {
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      });
    },
    { host, port, setting: 'METRICS_PORT' },
    writeTimeoutMs,
  );
