import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * From this size on, a response is sent in pieces: the kernel copies it, at about 0.3 ms per megabyte. The page of the API,
 * which needs no key, is smaller: a stream for each of its responses would let a thousand sockets that read nothing fill
 * the heap.
 */
export const PACED_BYTES = 384 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Pieces passed to the kernel in one turn of the event loop, for all large responses together: about 0.1 ms. */
const PIECES_PER_TURN = 4;

let left = PIECES_PER_TURN;
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Resolves when one more piece may be sent. Returns undefined if that is now. */
function nextPiece(): Promise<void> | undefined {
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(startTurn);
  }
  if (left > 0) {
    left--;
    return undefined;
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function startTurn(): void {
  const woken = waiting.splice(0, PIECES_PER_TURN);
  left = PIECES_PER_TURN - woken.length;
  isScheduled = woken.length > 0;
  if (isScheduled) setImmediate(startTurn);
  for (const wake of woken) wake();
}

/** A large body as a stream that yields to other work: otherwise a thousand readers of a file would block it for seconds. */
export const pacedBody = (parts: readonly Buffer[]): Readable =>
  Readable.from(pieces(parts), { objectMode: false, highWaterMark: PIECE_BYTES });

async function* pieces(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += PIECE_BYTES) {
      await nextPiece();
      yield part.subarray(start, start + PIECE_BYTES);
    }
  }
}

/** Sends a body, in pieces if it is large. */
export const sendBytes = (reply: FastifyReply, bytes: Buffer): FastifyReply =>
  bytes.length > PACED_BYTES
    ? reply.header('content-length', bytes.length).send(pacedBody([bytes]))
    : reply.send(bytes);
