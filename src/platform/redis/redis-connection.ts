import { Redis } from 'ioredis';
import type pino from 'pino';
import type { Closeable } from '../kernel/closeable.ts';
import { GatewayError } from '../kernel/error.ts';
import { createOutageLog } from '../kernel/outage-log.ts';
import type { Secret } from '../kernel/secret.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { guardCommand, guardScripts } from './guard-commands.ts';

/** How long a call may wait for Redis before it continues without it. */
const COMMAND_TIMEOUT_MS = 250;
/**
 * A server that accepts commands and sends no reply is treated as away: the connection is dropped, and counts as not
 * ready until a new one completes its handshake, so that only the first calls wait for the whole command timeout.
 */
const SILENCE_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_DELAY_MS = 2000;

/** How long one successful write proves that writes work. */
const WRITE_CHECK_MS = 1000;

/**
 * The gateway's connections to Redis or Valkey. Redis is optional: if it is away, slow or refusing, the gateway continues
 * without it.
 *
 * Commands fail at once while the connection is down, and after 250 ms while the server does not reply. `getBuffer`, `set`
 * and scripts each have a breaker: after three failures in a row (read-only replica, full memory, no reply) they fail at
 * once for 5 to 30 seconds, except for a probe.
 */
export interface RedisConnection extends Closeable {
  /** For writes and scripts. */
  readonly client: Redis;
  /** For reads, on a separate connection: while a write is stalled, Redis delays every command behind it. */
  readonly reader: Redis;
  /** Resolves if the server replies and accepts writes. Rejects with GatewayError `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Returns false while a read would fail. */
  canRead(): boolean;
  /** Returns false while a write would fail. */
  canWrite(): boolean;
}

export interface RedisOptions {
  readonly logger: Pick<pino.Logger, 'warn' | 'info'>;
  /** Prefix of the one key that `ping` writes. */
  readonly keyPrefix?: string;
}

/** Connects in the background and reconnects automatically. Never throws because the server is away. */
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
  const reportOutage = createOutageLog(logger, 'Redis is away. Continuing without it.');
  // Without a listener, ioredis would print every error.
  for (const connection of [client, reader]) connection.on('error', reportOutage);
  client.on('ready', () => logger.info('Redis is connected.'));

  const breakerOf = (connection: Redis, kind: string): Breaker => {
    const report = createOutageLog(logger, `Redis fails ${kind}. Continuing without them.`);
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

  /** A ping is not enough: a replica or a server without memory replies to it. */
  async function checkWrites(): Promise<void> {
    if (performance.now() - writtenMs < WRITE_CHECK_MS) return;
    await client.set(`${keyPrefix}ping`, '', 'PX', WRITE_CHECK_MS);
    writtenMs = performance.now();
  }

  const isOpen = (connection: Redis): boolean => !closed && connection.status === 'ready';

  return {
    client,
    reader,
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
      // QUIT lets pending writes finish. A server that is away has none.
      for (const connection of [client, reader]) {
        if (connection.status === 'ready') await connection.quit().catch(() => undefined);
        connection.disconnect();
      }
    },
  };
}
