import { type Lease, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import { BodyParts } from '../route.ts';

/** Encoded JSON: one buffer, or a large payload in pieces. */
export type Encoded = Buffer | BodyParts;

/** Above this size, copying costs more than sending the pieces one after another. */
const LARGE_BYTES = 32 * 1024;

/** Joins strings and buffers into one body. Copies them into one buffer only if the body is small. */
export function splice(...given: (string | Buffer)[]): Encoded {
  const pieces = joinTexts(given);
  let length = 0;
  for (const piece of pieces) {
    length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
  }
  if (length > LARGE_BYTES) {
    return new BodyParts(
      pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
    );
  }
  const out = Buffer.allocUnsafe(length);
  let end = 0;
  for (const piece of pieces) {
    end += typeof piece === 'string' ? out.write(piece, end) : piece.copy(out, end);
  }
  return out;
}

/** Joins strings that follow one another: measuring and writing one costs more than joining two. */
function joinTexts(pieces: readonly (string | Buffer)[]): (string | Buffer)[] {
  const joined: (string | Buffer)[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') joined.push(text);
      joined.push(piece);
      text = '';
    }
  }
  if (text !== '') joined.push(text);
  return joined;
}

/** The bytes of a body, in order. */
export const piecesOf = (encoded: Encoded): readonly Buffer[] =>
  encoded instanceof BodyParts ? encoded.parts : [encoded];

/** Acquires memory for the large pieces of a body until the lease closes. Returns false if there is not enough. */
export const holds = (lease: () => Lease, encoded: Encoded): boolean =>
  piecesOf(encoded).every((piece) => piece.length <= SMALL_BYTES || lease().hold(piece));

/** A JSON array of encoded values. */
export function joinArray(elements: readonly Encoded[]): Encoded {
  return splice(
    ...elements.flatMap((element, index) => [index === 0 ? '[' : ',', ...piecesOf(element)]),
    ']',
  );
}
