import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Internal properties of a server's socket in Node.js. */
interface ServerSocket extends Socket {
  /** `writeQueueSize` is what the kernel has not accepted yet. Node.js uses it for its own socket timeouts. */
  readonly _handle?: { readonly writeQueueSize: number; readonly bytesWritten: number } | null;
  /** The response that is being created or sent. */
  readonly _httpMessage?: ServerResponse | null;
}

/** What the bounds need to know of an open connection. Times are on the monotonic clock, in milliseconds. */
export interface Connection {
  readonly socket: ServerSocket;
  /** The address block under which it counts; null when it is exempt. */
  readonly block: string | null;
  /** Bytes that the kernel has accepted from this process. */
  sentBytes: number;
  /** When the client last read data, or had nothing to read. */
  readMs: number;
  /** When the last response ended, or when the connection was accepted if it had none. */
  busyMs: number;
}

export const openConnection = (socket: Socket, block: string | null): Connection => ({
  socket,
  block,
  sentBytes: 0,
  readMs: performance.now(),
  busyMs: performance.now(),
});

/** Records what has happened on the connection since the last observation. */
export function observe(connection: Connection, nowMs: number): void {
  const { socket } = connection;
  const sentBytes = sentBytesOf(socket);
  const hasMoved = sentBytes !== connection.sentBytes;
  connection.sentBytes = sentBytes;
  if (hasMoved || socket.writableLength === 0) connection.readMs = nowMs;
  if (hasMoved || responseOn(socket)) connection.busyMs = nowMs;
}

/** Whether the client has left data unread since this time. Needs `observe` to be called regularly. */
export const isUnread = ({ socket, readMs }: Connection, sinceMs: number): boolean =>
  readMs <= sinceMs && socket.writableLength > 0;

/** Whether no complete request has arrived since this time. */
export const isIdle = ({ socket, busyMs }: Connection, sinceMs: number): boolean =>
  busyMs <= sinceMs && !responseOn(socket);

/** The response that is being created or sent on a server's socket. */
export const responseOn = (socket: ServerSocket): ServerResponse | undefined =>
  socket._httpMessage ?? undefined;

/**
 * `socket.bytesWritten` counts what was passed to libuv, and a large body is passed in one piece: a slow reader would
 * look like one that reads nothing.
 */
function sentBytesOf({ _handle: handle }: ServerSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
