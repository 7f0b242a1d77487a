import { type Lease, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import { BodyParts } from '../route.ts';

/** JSON made of bytes that are ready and text around them. */
export type Encoded = Buffer | BodyParts;

/** From here on copying costs more than sending the pieces one after another. */
const LARGE_BYTES = 32 * 1024;

/** Joins texts and ready bytes into one body, copied into one buffer only while it is small. */
export function splice(...pieces: (string | Buffer)[]): Encoded {
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

/** The bytes of a body, in order. */
export const piecesOf = (encoded: Encoded): readonly Buffer[] =>
  encoded instanceof BodyParts ? encoded.parts : [encoded];

/** Whether the lease has room for what is large of a body; it is held until the lease ends. */
export const holds = (lease: () => Lease, encoded: Encoded): boolean =>
  piecesOf(encoded).every((piece) => piece.length <= SMALL_BYTES || lease().hold(piece));

/** A JSON array of bodies that are JSON each. */
export function joinArray(elements: readonly Encoded[]): Encoded {
  return splice(
    ...elements.flatMap((element, index) => [index === 0 ? '[' : ',', ...piecesOf(element)]),
    ']',
  );
}
