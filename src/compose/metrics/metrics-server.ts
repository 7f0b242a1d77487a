import { Registry } from 'prom-client';
import { openSmallServer, type SmallServer } from '../../http/small-server.ts';
import type { Settings } from '../../platform/config/settings.ts';

type MetricsSettings = Pick<
  Settings,
  'HOST' | 'METRICS_HOST' | 'METRICS_PORT' | 'WRITE_TIMEOUT_MS'
>;

/** Serves `/metrics` on METRICS_PORT, which clients need not reach. `read` must not reject. Throws StartupError. */
export const listenForMetrics = (
  { HOST, METRICS_HOST, METRICS_PORT: port, WRITE_TIMEOUT_MS }: MetricsSettings,
  read: () => Promise<string>,
): Promise<SmallServer> =>
  openSmallServer(
    (request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      void read().then((text) => {
        response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
      });
    },
    { host: METRICS_HOST ?? HOST, port, setting: 'METRICS_PORT' },
    WRITE_TIMEOUT_MS,
  );
