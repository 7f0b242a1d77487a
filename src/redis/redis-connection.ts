import { Redis } from 'ioredis';
import type pino from 'pino';
import type { Closeable } from '../kernel/closeable.ts';
import { GatewayError } from '../kernel/error.ts';
import type { Secret } from '../kernel/secret.ts';
import { createOutageLog } from './outage-log.ts';

/** How long a call may wait for Redis before it goes on without it. */
const COMMAND_TIMEOUT_MS = 250;
/**
 * A server that took commands and sends nothing back is treated as gone: the connection is dropped and counts as
 * not ready until a new one completes its handshake, so that only the first calls wait out their command timeout.
 */
const SILENCE_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_DELAY_MS = 2000;

/** The gateway's one connection to Redis or Valkey. Redis is optional: away or slow means "go on without it". */
export interface RedisConnection extends Closeable {
  /** Commands fail at once while the connection is down, and after 250 ms while the server does not answer. */
  readonly client: Redis;
  /** Resolves when the server answered; rejects with GatewayError `unavailable`. */
  ping(): Promise<void>;
  /** False while it is pointless to send a command. */
  isReady(): boolean;
}

/** Connects in the background and reconnects by itself; never throws because the server is away. */
export function connectRedis(
  url: Secret,
  { logger }: { logger: Pick<pino.Logger, 'warn' | 'info'> },
): RedisConnection {
  const client = new Redis(url.reveal(), {
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  });
  const reportOutage = createOutageLog(logger, 'Redis is away; going on without it.');
  // Without a listener ioredis would print the error, and a plain emitter would end the process.
  client.on('error', reportOutage);
  client.on('ready', () => logger.info('Redis is connected.'));
  let closed = false;

  return {
    client,
    isReady: () => !closed && client.status === 'ready',
    async ping() {
      try {
        await client.ping();
      } catch (cause) {
        throw new GatewayError('unavailable', undefined, { cause });
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      // QUIT lets writes under way finish; a server that is away has none to finish.
      if (client.status === 'ready') await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
}
