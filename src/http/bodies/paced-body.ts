import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** From here on an answer is sent in pieces: the kernel copies what it takes, some 0.3 ms for each megabyte. */
export const PACED_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Handed to the kernel in one turn of the event loop, for all large answers together: some 0.1 ms. */
const PIECES_A_TURN = 4;

let left = PIECES_A_TURN;
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Resolves when there is time for one more piece: at once, unless many are being sent. */
function nextPiece(): Promise<void> | undefined {
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(beginTurn);
  }
  if (left > 0) {
    left--;
    return undefined;
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function beginTurn(): void {
  const woken = waiting.splice(0, PIECES_A_TURN);
  left = PIECES_A_TURN - woken.length;
  isScheduled = woken.length > 0;
  if (isScheduled) setImmediate(beginTurn);
  for (const wake of woken) wake();
}

/** A large answer as a stream that lets others in between: a thousand readers of a file would stop everything for seconds. */
export const pacedBody = (parts: readonly Buffer[]): Readable =>
  Readable.from(pieces(parts), { objectMode: false, highWaterMark: PIECE_BYTES });

async function* pieces(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      await nextPiece();
      yield part.subarray(at, at + PIECE_BYTES);
    }
  }
}

/** Sends a body, in pieces when it is large. */
export const sendBytes = (reply: FastifyReply, bytes: Buffer): FastifyReply =>
  bytes.length > PACED_BYTES
    ? reply.header('content-length', bytes.length).send(pacedBody([bytes]))
    : reply.send(bytes);
