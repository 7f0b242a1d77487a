import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node.js keeps of a server's socket beyond its public face. */
interface ServerSocket extends Socket {
  /** How much of what was written the kernel has not taken yet; Node.js judges its own socket time-outs by it. */
  readonly _handle?: { readonly writeQueueSize: number; readonly bytesWritten: number } | null;
  /** The answer that is being made or sent. */
  readonly _httpMessage?: ServerResponse | null;
}

/** An open connection, as far as its bounds are concerned. Times are of the monotonic clock, in milliseconds. */
export interface Connection {
  readonly socket: ServerSocket;
  /** What it is counted under beside the total; null when it is exempt. */
  readonly block: string | null;
  /** Bytes that the kernel took from this process. */
  takenBytes: number;
  /** When the client last took something, or had nothing to take. */
  tookMs: number;
  /** When the last answer ended; when it was accepted, if there was none. */
  busyMs: number;
}

export const openConnection = (socket: Socket, block: string | null): Connection => ({
  socket,
  block,
  takenBytes: 0,
  tookMs: performance.now(),
  busyMs: performance.now(),
});

/** Notes what has happened on the connection since the last look. */
export function look(connection: Connection, nowMs: number): void {
  const { socket } = connection;
  const takenBytes = readTaken(socket);
  const hasMoved = takenBytes !== connection.takenBytes;
  connection.takenBytes = takenBytes;
  if (hasMoved || socket.writableLength === 0) connection.tookMs = nowMs;
  if (hasMoved || answerOf(socket)) connection.busyMs = nowMs;
}

/** Is there something to take that the client has left for as long as this? True only of what `look` has seen. */
export const isUnread = ({ socket, tookMs }: Connection, sinceMs: number): boolean =>
  tookMs <= sinceMs && socket.writableLength > 0;

/** Has nothing been asked, or not completely, for as long as this? */
export const isIdle = ({ socket, busyMs }: Connection, sinceMs: number): boolean =>
  busyMs <= sinceMs && !answerOf(socket);

/** The answer that is being made or sent on a server's socket. */
export const answerOf = (socket: ServerSocket): ServerResponse | undefined =>
  socket._httpMessage ?? undefined;

/**
 * `socket.bytesWritten` counts what was handed to libuv, a large body in one piece; a reader that takes it slowly would
 * look like one that takes nothing.
 */
function readTaken({ _handle: handle }: ServerSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
