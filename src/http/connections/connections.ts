import type { Server, Socket } from 'node:net';
import { addressBlock } from '../../access/limits/address-block.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newRequestId } from '../../platform/kernel/ids.ts';
import { formatRefusal } from '../errors/format-refusal.ts';
import { type Connection, isUnread, look, openConnection } from './connection.ts';
import { type ConnectionGroup, createConnectionGroup } from './connection-group.ts';

export interface ConnectionLimits {
  /** Connections in all. */
  readonly maxConnections: number;
  /** Connections of one address, or of one /64 of IPv6. */
  readonly maxConnectionsPerAddress: number;
  /** How long a client may leave what there is to take, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Addresses that stand for many clients and have no bound of their own. */
  readonly isExempt?: (address: string) => boolean;
  /** Called for each connection that a bound has ended or refused. */
  readonly onFull?: () => void;
}

/** Counts since start, beside the connections open now. */
export interface ConnectionStats {
  readonly open: number;
  /** Cut because the client took nothing. */
  readonly unread: number;
  /** Closed to make room for a new one. */
  readonly displaced: number;
  /** Refused because there was no room. */
  readonly refused: number;
}

/** The open connections of one or more servers. */
export interface Connections extends Closeable {
  /** Counts and bounds the connections of this server from now on. */
  watch(server: Server): void;
  stats(): ConnectionStats;
}

/** How often every connection is looked at: one timer for all instead of one for each answer. */
const SWEEP_MS = 1000;

/**
 * Bounds the number of connections, and the time that an answer may stay unread. Costs something when a connection
 * opens and once a second, and nothing for a request.
 */
export function createConnections(limits: ConnectionLimits): Connections {
  const { writeTimeoutMs, onFull = () => undefined } = limits;
  const all = createConnectionGroup(limits.maxConnections);
  const blocks = new Map<string, ConnectionGroup>();
  const counts = { unread: 0, displaced: 0, refused: 0 };

  const blockOf = (address: string): string | null =>
    limits.isExempt?.(address) ? null : addressBlock(address);

  function remember(connection: Connection): void {
    all.add(connection);
    const { block } = connection;
    if (block === null) return;
    const group = blocks.get(block) ?? createConnectionGroup(limits.maxConnectionsPerAddress);
    blocks.set(block, group);
    group.add(connection);
  }

  function forget(connection: Connection): void {
    all.delete(connection);
    const { block } = connection;
    const group = block === null ? undefined : blocks.get(block);
    group?.delete(connection);
    if (block !== null && group?.size() === 0) blocks.delete(block);
  }

  /** What the kernel still holds for a client that does not read goes too: hence a reset. */
  function cut(connection: Connection): void {
    forget(connection);
    connection.socket.resetAndDestroy();
  }

  /** Makes room where there is none; false when every connection there is in use. */
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
    // Gone already.
    if (remoteAddress === undefined) return;
    const block = blockOf(remoteAddress);
    if (!hasRoom(block === null ? undefined : blocks.get(block)) || !hasRoom(all)) {
      counts.refused++;
      refuse(socket);
      return;
    }
    const connection = openConnection(socket, block);
    remember(connection);
    socket.once('close', () => forget(connection));
  }

  function sweep(): void {
    const nowMs = performance.now();
    for (const connection of all.members()) {
      look(connection, nowMs);
      if (!isUnread(connection, nowMs - writeTimeoutMs)) continue;
      counts.unread++;
      cut(connection);
    }
  }

  const timer = setInterval(sweep, Math.min(SWEEP_MS, writeTimeoutMs / 4)).unref();
  return {
    watch: (server) => void server.on('connection', admit),
    stats: () => ({ open: all.size(), ...counts }),
    close: async () => clearInterval(timer),
  };
}

function refuse(socket: Socket): void {
  const busy = new GatewayError(
    'overloaded',
    'The gateway has as many connections open as it may; retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );
  socket.write(formatRefusal(busy, newRequestId()));
  socket.destroySoon();
}
