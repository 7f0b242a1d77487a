import { Redis } from 'ioredis';
import type pino from 'pino';
import { GatewayError } from '../kernel/error.ts';
import { createOutageLog } from '../kernel/log-lines.ts';
import type { Secret } from '../kernel/secret.ts';

/** How long a call may wait for Redis before it continues without it. */
const COMMAND_TIMEOUT_MS = 250;
/**
 * A server that accepts commands and sends no reply is treated as away: the connection is dropped, and counts as not
 * ready until a new one completes its handshake, so that only the first calls wait for the whole command timeout.
 */
const SILENCE_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_DELAY_MS = 2000;

/** Of every connection. */
export const CONNECTION_OPTIONS = {
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SILENCE_TIMEOUT_MS,
  connectTimeout: CONNECT_TIMEOUT_MS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: true,
  autoResubscribe: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
} as const;

/** How long one successful write proves that writes work. */
const WRITE_CHECK_MS = 1000;

export interface RedisOptions {
  readonly logger: Pick<pino.Logger, 'warn' | 'info'>;
  /** Prefix of the one key that `ping` writes. */
  readonly keyPrefix?: string;
}

export type RedisConnection = ReturnType<typeof connectRedis>;

/**
 * Connects to Redis or Valkey in the background, and reconnects automatically. Redis is optional: if it is away, slow or
 * refusing, the gateway continues without it. Never throws because the server is away.
 *
 * Commands fail at once while the connection is down, and after 250 ms while the server does not reply. After three failures in
 * a row (read-only replica, full memory, no reply) all fail at once for 5 to 30 seconds, except for a probe.
 */
export function connectRedis(url: Secret, { logger, keyPrefix = 'tool-gateway:' }: RedisOptions) {
  const options = { ...CONNECTION_OPTIONS, autoPipeliningIgnoredCommands: [] as string[] };
  const client = new Redis(url.reveal(), options);
  const reader = new Redis(url.reveal(), options);
  const reportOutage = createOutageLog(logger, 'Redis is away. Continuing without it.');
  // Without a listener, ioredis would print every error.
  for (const connection of [client, reader]) connection.on('error', reportOutage);
  client.on('ready', () => logger.info('Redis is connected.'));

  const breaker = createBreaker(
    createOutageLog(logger, 'Redis fails commands. Continuing without it.'),
  );
  client.on('ready', breaker.reconnected);
  guardCommand(reader, 'getBuffer', breaker.read);
  guardCommand(client, 'set', breaker.run);
  guardScripts(client, breaker.run);

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
    /** For writes and scripts. */
    client,
    /** For reads, on a separate connection: while a write is stalled, Redis delays every command behind it. */
    reader,
    /**
     * A script that reads a whole batch. It is sent at once, not with the other commands of the turn, and its replies are
     * buffers.
     */
    readScript(name: string, lua: string): ReadScript {
      reader.defineCommand(name, { lua });
      reader.options.autoPipeliningIgnoredCommands?.push(name);
      const send = Reflect.get(reader, `${name}Buffer`) as (...args: unknown[]) => Promise<unknown>;
      return (keys, args) => breaker.read(() => send.call(reader, keys.length, ...keys, ...args));
    },
    /** Returns false while a read would fail. */
    canRead: (): boolean => isOpen(reader) && breaker.isClosed(),
    /** Returns false while a write would fail. */
    canWrite: (): boolean => isOpen(client) && breaker.admits(),
    /** Resolves if the server replies and accepts writes. Rejects with GatewayError `unavailable` otherwise. */
    async ping(): Promise<void> {
      try {
        await Promise.all([reader.ping(), checkWrites()]);
      } catch (cause) {
        throw new GatewayError('unavailable', undefined, { cause });
      }
    },
    async close(): Promise<void> {
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

export type ReadScript = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

type Guard = <T>(send: () => Promise<T>) => Promise<T>;

/** Makes the client send a command only while the breaker admits it. */
function guardCommand(client: Redis, name: string, guard: Guard): void {
  const send: unknown = Reflect.get(client, name);
  if (typeof send !== 'function') throw new Error(`Redis clients have no command named ${name}.`);
  Reflect.set(client, name, function (this: unknown, ...args: unknown[]) {
    // A pipeline copies the guarded scripts of its client. Its commands were already admitted when they were queued.
    if (this !== client) return Reflect.apply(send, this, args);
    return guard(() => Reflect.apply(send, client, args) as Promise<unknown>);
  });
}

/** Does the same for every script defined from now on. */
function guardScripts(client: Redis, guard: Guard): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, definition) => {
    define(name, definition);
    guardCommand(client, name, guard);
  };
}

/** Failed commands in a row after which the next ones are skipped. */
const FAILURES = 3;

/** How long commands are skipped before one is sent as a probe. Doubled each time the probe fails. */
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 30_000;

const SKIPPED = new Error('Redis has failed commands. They are skipped for a while.');

/**
 * Stops sending commands while Redis fails them: each would make its caller wait for the command timeout. A read says nothing
 * about writes, so that it neither probes nor ends a row of failures.
 * `onOpen` receives the error of the last command. `now` is monotonic, in milliseconds.
 */
export function createBreaker(
  onOpen: (error: unknown) => void,
  now: () => number = () => performance.now(),
) {
  let failures = 0;
  /** 0 while commands are sent. */
  let waitMs = 0;
  let untilMs = 0;
  let isProbing = false;
  let hasProbedReconnect = false;

  function open(nextWaitMs: number, error: unknown): void {
    waitMs = Math.min(nextWaitMs, LONGEST_WAIT_MS);
    untilMs = now() + waitMs;
    failures = 0;
    onOpen(error);
  }

  function succeed(): void {
    failures = 0;
    waitMs = 0;
    hasProbedReconnect = false;
  }

  function fail(error: unknown): void {
    if (!isCommandFailure(error)) return;
    failures += 1;
    if (failures >= FAILURES) open(FIRST_WAIT_MS, error);
  }

  /** Ignores the outcome of commands that were sent before the breaker opened. */
  const whileClosed =
    (settle: (outcome: unknown) => void) =>
    (outcome: unknown): void => {
      if (waitMs === 0) settle(outcome);
    };
  const onSuccess = whileClosed(succeed);
  const onFailure = whileClosed(fail);

  function probe<T>(send: () => Promise<T>): Promise<T> {
    isProbing = true;
    const reply = send();
    const onReply = (error?: unknown): void => {
      isProbing = false;
      if (error === undefined) succeed();
      else if (isCommandFailure(error)) open(2 * waitMs, error);
    };
    reply.then(() => onReply(), onReply);
    return reply;
  }

  /** Returns false while `run` would skip the command. */
  const admits = (): boolean => waitMs === 0 || (!isProbing && now() >= untilMs);

  return {
    admits,
    /** Sends a command, or rejects at once without sending it. */
    run<T>(send: () => Promise<T>): Promise<T> {
      if (!admits()) return Promise.reject(SKIPPED);
      if (waitMs > 0) return probe(send);
      const reply = send();
      reply.then(onSuccess, onFailure);
      return reply;
    },
    isClosed: (): boolean => waitMs === 0,
    /** Does the same for a command that only reads. */
    read<T>(send: () => Promise<T>): Promise<T> {
      if (waitMs > 0) return Promise.reject(SKIPPED);
      const reply = send();
      reply.then(undefined, onFailure);
      return reply;
    },
    /** Admits a command at once on a new connection; only once until a command succeeds. */
    reconnected(): void {
      if (waitMs === 0 || hasProbedReconnect) return;
      hasProbedReconnect = true;
      untilMs = now();
    },
  };
}

/**
 * Whether an error is about the command. A lost connection is not: it fails the next command at once, and ioredis
 * reconnects. Nor is a script that Redis does not know yet: it is sent again in full.
 */
function isCommandFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return !error.message.startsWith('NOSCRIPT');
  return error.message === 'Command timed out';
}
