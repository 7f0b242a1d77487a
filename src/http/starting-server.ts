import { GatewayError } from '../platform/kernel/error.ts';
import { newRequestId } from '../platform/kernel/ids.ts';
import { refusalBody } from './errors/format-refusal.ts';
import type { ListenAddress } from './listen.ts';
import { openSmallServer, type SmallServer } from './small-server.ts';

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
        })
        .end(body);
    },
    address,
    writeTimeoutMs,
  );

const healthReport = (status: 'healthy' | 'degraded'): string =>
  JSON.stringify({ status, service: 'mcp-gateway', timestamp: new Date().toISOString() });
