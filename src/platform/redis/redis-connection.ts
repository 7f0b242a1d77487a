import { Redis } from 'ioredis';
import type pino from 'pino';
import type { Closeable } from '../kernel/closeable.ts';
import { GatewayError } from '../kernel/error.ts';
import { createOutageLog } from '../kernel/outage-log.ts';
import type { Secret } from '../kernel/secret.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { guardCommand, guardScripts } from './guard-commands.ts';

/** How long a call may wait for Redis before it goes on without it. */
const COMMAND_TIMEOUT_MS = 250;
/**
 * A server that took commands and sends nothing back is treated as gone: the connection is dropped and counts as
 * not ready until a new one completes its handshake, so that only the first calls wait out their command timeout.
 */
const SILENCE_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_DELAY_MS = 2000;

/** A write that succeeded shows for so long that writes work. */
const WRITE_CHECK_MS = 1000;

/**
 * The gateway's way to Redis or Valkey. Redis is optional: away, slow or refusing means "go on without it".
 *
 * Commands fail at once while the connection is down, and after 250 ms while the server does not answer. `getBuffer`, `set`
 * and scripts each have a breaker: after three failures in a row (a replica that is read-only, memory that is full, no
 * answer) they fail at once for 5 to 30 seconds, but for one that is sent to see.
 */
export interface RedisConnection extends Closeable {
  /** For writes and scripts. */
  readonly client: Redis;
  /** For reads. They have a connection of their own: Redis holds back all that follows a write it does not carry out. */
  readonly reader: Redis;
  /** Resolves when the server answered and takes writes; rejects with GatewayError `unavailable`. */
  ping(): Promise<void>;
  /** Both connections are there. */
  isReady(): boolean;
  /** False while it is pointless to send a read. */
  canRead(): boolean;
  /** False while it is pointless to send a write. */
  canWrite(): boolean;
}

export interface RedisOptions {
  readonly logger: Pick<pino.Logger, 'warn' | 'info'>;
  /** Begins the one key that `ping` writes. */
  readonly keyPrefix?: string;
}

/** Connects in the background and reconnects by itself; never throws because the server is away. */
export function connectRedis(
  url: Secret,
  { logger, keyPrefix = 'tool-gateway:' }: RedisOptions,
): RedisConnection {
  const options = {
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    retryStrategy: (attempt: number) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  };
  const client = new Redis(url.reveal(), options);
  const reader = new Redis(url.reveal(), options);
  const reportOutage = createOutageLog(logger, 'Redis is away; going on without it.');
  // Without a listener ioredis would print the error, and a plain emitter would end the process.
  for (const connection of [client, reader]) connection.on('error', reportOutage);
  client.on('ready', () => logger.info('Redis is connected.'));

  const breakerOf = (connection: Redis, kind: string): Breaker => {
    const report = createOutageLog(logger, `Redis fails ${kind}; going on without them.`);
    const breaker = createBreaker(report);
    connection.on('ready', breaker.reconnected);
    return breaker;
  };
  const reads = breakerOf(reader, 'reads');
  const writes = breakerOf(client, 'writes');
  guardCommand(reader, 'getBuffer', reads);
  guardCommand(client, 'set', writes);
  guardScripts(client, breakerOf(client, 'scripts'));

  let closed = false;
  let writtenMs = Number.NEGATIVE_INFINITY;

  /** A replica, or a server out of memory, answers pings. */
  async function checkWrites(): Promise<void> {
    if (performance.now() - writtenMs < WRITE_CHECK_MS) return;
    await client.set(`${keyPrefix}ping`, '', 'PX', WRITE_CHECK_MS);
    writtenMs = performance.now();
  }

  const isOpen = (connection: Redis): boolean => !closed && connection.status === 'ready';

  return {
    client,
    reader,
    isReady: () => isOpen(client) && isOpen(reader),
    canRead: () => isOpen(reader) && reads.admits(),
    canWrite: () => isOpen(client) && writes.admits(),
    async ping() {
      try {
        await Promise.all([reader.ping(), checkWrites()]);
      } catch (cause) {
        throw new GatewayError('unavailable', undefined, { cause });
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      // QUIT lets writes under way finish; a server that is away has none to finish.
      for (const connection of [client, reader]) {
        if (connection.status === 'ready') await connection.quit().catch(() => undefined);
        connection.disconnect();
      }
    },
  };
}
