import type { Server, Socket } from 'node:net';
import type pino from 'pino';
import { addressBlock } from '../../access/limits/failure-limiter.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newRequestId } from '../../platform/kernel/ids.ts';
import { atMostOnceAMinute } from '../../platform/kernel/log-lines.ts';
import { formatRefusal } from '../errors/format-refusal.ts';
import { type Connection, isIdle, isUnread, observe, openConnection } from './connection.ts';
import { connectionsWithin, descriptorLimit } from './descriptors.ts';

export interface ConnectionLimits {
  /** Connections in total. */
  readonly maxConnections: number;
  /** Connections of one address, or of one IPv6 /64. */
  readonly maxConnectionsPerAddress: number;
  /** How long a client may leave data unread, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Whether an address stands for many clients and is exempt from the bound on one address. */
  readonly isExempt?: (address: string) => boolean;
  /** Called for each connection that arrives while a bound is reached. */
  readonly onFull?: () => void;
}

/** The connections open now, and counts since the start. */
export interface ConnectionStats {
  readonly open: number;
  /** Cut because the client read nothing. */
  readonly unread: number;
  /** Closed to make room for a new one. */
  readonly displaced: number;
  /** Refused because all others were in use. */
  readonly refused: number;
}

export type Connections = ReturnType<typeof createConnections>;

/** How often every connection is checked: one timer for all instead of one for each response. */
const SWEEP_MS = 1000;

/**
 * The open connections of one or more servers. Bounds their number, and the time for which a response may stay unread. It
 * costs something when a connection opens and once a second, but nothing per request.
 */
export function createConnections(limits: ConnectionLimits) {
  const { maxConnectionsPerAddress, writeTimeoutMs, onFull = () => undefined } = limits;
  const all = createConnectionGroup(limits.maxConnections);
  /** The connections that are not exempt, by their address block. */
  const blocks = new Map<string, ConnectionGroup>();
  const counts = { unread: 0, displaced: 0, refused: 0 };

  function add(connection: Connection): void {
    all.members.add(connection);
    const { block } = connection;
    if (block === null) return;
    const group = blocks.get(block) ?? createConnectionGroup(maxConnectionsPerAddress);
    blocks.set(block, group);
    group.members.add(connection);
  }

  function remove(connection: Connection): void {
    all.members.delete(connection);
    const block = connection.block ?? '';
    const group = blocks.get(block);
    group?.members.delete(connection);
    if (group?.members.size === 0) blocks.delete(block);
  }

  /** Resets the connection, which also discards what the kernel still holds for a client that does not read. */
  function cut(connection: Connection): void {
    remove(connection);
    connection.socket.resetAndDestroy();
  }

  /** Makes room in a full group. Returns false when all of its connections are in use. */
  function hasRoom(group: ConnectionGroup | undefined): boolean {
    if (!group?.isFull()) return true;
    onFull();
    const victim = group.leastUseful();
    if (!victim) return false;
    counts.displaced++;
    cut(victim);
    return true;
  }

  function admit(socket: Socket): void {
    const { remoteAddress } = socket;
    // The socket is already closed.
    if (remoteAddress === undefined) return;
    const block = limits.isExempt?.(remoteAddress) ? null : addressBlock(remoteAddress);
    if (!hasRoom(blocks.get(block ?? '')) || !hasRoom(all)) {
      counts.refused++;
      refuse(socket);
      return;
    }
    const connection = openConnection(socket, block);
    add(connection);
    socket.once('close', () => remove(connection));
  }

  function sweep(): void {
    const nowMs = performance.now();
    for (const connection of all.members) {
      observe(connection, nowMs);
      if (!isUnread(connection, nowMs - writeTimeoutMs)) continue;
      counts.unread++;
      cut(connection);
    }
  }

  const timer = setInterval(sweep, Math.min(SWEEP_MS, writeTimeoutMs / 4)).unref();
  return {
    /** Counts and bounds the new connections of this server. */
    watch: (server: Server): void => void server.on('connection', admit),
    stats: (): ConnectionStats => ({ open: all.members.size, ...counts }),
    close: async (): Promise<void> => clearInterval(timer),
  };
}

function refuse(socket: Socket): void {
  const busy = new GatewayError(
    'overloaded',
    'The gateway has too many open connections. Retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );
  socket.write(formatRefusal(busy, newRequestId()));
  socket.destroySoon();
}

/** How long a connection must be unread or idle to count as such: two sweeps. */
const MIN_UNUSED_MS = 2000;

/** How often candidates are chosen: a client that opens connections quickly must not trigger a scan of all for each. */
const CHOICE_MS = 1000;
const MAX_CANDIDATES = 1000;

type ConnectionGroup = ReturnType<typeof createConnectionGroup>;

/** Connections that share a bound. */
function createConnectionGroup(max: number) {
  const members = new Set<Connection>();
  let candidates: Connection[] = [];
  let chosenMs = Number.NEGATIVE_INFINITY;

  const isCandidate = (connection: Connection, sinceMs: number): boolean =>
    isUnread(connection, sinceMs) || isIdle(connection, sinceMs);

  function choose(nowMs: number): void {
    if (nowMs - chosenMs < CHOICE_MS) return;
    chosenMs = nowMs;
    const sinceMs = nowMs - MIN_UNUSED_MS;
    const rank = (connection: Connection): number =>
      isUnread(connection, sinceMs) ? connection.readMs - nowMs : connection.busyMs;
    candidates = [...members]
      .filter((connection) => isCandidate(connection, sinceMs))
      .sort((a, b) => rank(b) - rank(a))
      .slice(-MAX_CANDIDATES);
  }

  return {
    members,
    isFull: (): boolean => members.size >= max,
    /** The connection unread for longest, else the one idle for longest. Undefined when all are in use. */
    leastUseful(): Connection | undefined {
      const nowMs = performance.now();
      choose(nowMs);
      for (;;) {
        const next = candidates.pop();
        if (!next || (members.has(next) && isCandidate(next, nowMs - MIN_UNUSED_MS))) return next;
      }
    },
  };
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/i;

interface ClientConnectionsOptions {
  readonly settings: Pick<
    Settings,
    'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_ADDRESS' | 'WRITE_TIMEOUT_MS'
  >;
  readonly logger: Pick<pino.Logger, 'warn'>;
  /** Whether an address belongs to a trusted proxy, which stands for many clients. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/** Bounds client connections by the settings, and by the number of files that the process may open. */
export function openClientConnections(options: ClientConnectionsOptions): Connections {
  const { settings, logger, isTrustedProxy } = options;
  const limit = descriptorLimit();
  const maxConnections = connectionsWithin(limit, settings.MAX_CONNECTIONS);
  if (maxConnections < settings.MAX_CONNECTIONS) {
    logger.warn(
      { descriptorLimit: limit, maxConnections },
      'The limit on open files is too low for MAX_CONNECTIONS, so fewer connections are accepted. Raise it with ulimit -n or LimitNOFILE.',
    );
  }
  return createConnections({
    maxConnections,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    writeTimeoutMs: settings.WRITE_TIMEOUT_MS,
    isExempt: (address) => LOOPBACK.test(address) || isTrustedProxy(address),
    onFull: atMostOnceAMinute(() =>
      logger.warn(
        'Connections have reached MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS. Those unread or idle for longest are closed for new ones.',
      ),
    ),
  });
}
