import type { Server, Socket } from 'node:net';
import { addressBlock } from '../../access/limits/address-block.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newRequestId } from '../../platform/kernel/ids.ts';
import { formatRefusal } from '../errors/format-refusal.ts';
import { type Connection, isUnread, observe, openConnection } from './connection.ts';
import type { ConnectionGroup } from './connection-group.ts';
import { createConnectionRegister } from './connection-register.ts';

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

/** The open connections of one or more servers. */
export interface Connections extends Closeable {
  /** Counts and bounds the new connections of this server. */
  watch(server: Server): void;
  stats(): ConnectionStats;
}

/** How often every connection is checked: one timer for all instead of one for each response. */
const SWEEP_MS = 1000;

/**
 * Bounds the number of connections, and the time for which a response may stay unread. It costs something when a
 * connection opens and once a second, but nothing per request.
 */
export function createConnections(limits: ConnectionLimits): Connections {
  const { writeTimeoutMs, onFull = () => undefined } = limits;
  const register = createConnectionRegister(limits.maxConnections, limits.maxConnectionsPerAddress);
  const counts = { unread: 0, displaced: 0, refused: 0 };

  const blockOf = (address: string): string | null =>
    limits.isExempt?.(address) ? null : addressBlock(address);

  /** Resets the connection, which also discards what the kernel still holds for a client that does not read. */
  function cut(connection: Connection): void {
    register.remove(connection);
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
    const block = blockOf(remoteAddress);
    if (!hasRoom(register.ofBlock(block)) || !hasRoom(register.all)) {
      counts.refused++;
      refuse(socket);
      return;
    }
    const connection = openConnection(socket, block);
    register.add(connection);
    socket.once('close', () => register.remove(connection));
  }

  function sweep(): void {
    const nowMs = performance.now();
    for (const connection of register.all.members()) {
      observe(connection, nowMs);
      if (!isUnread(connection, nowMs - writeTimeoutMs)) continue;
      counts.unread++;
      cut(connection);
    }
  }

  const timer = setInterval(sweep, Math.min(SWEEP_MS, writeTimeoutMs / 4)).unref();
  return {
    watch: (server) => void server.on('connection', admit),
    stats: () => ({ open: register.all.size(), ...counts }),
    close: async () => clearInterval(timer),
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
