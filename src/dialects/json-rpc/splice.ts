import { type MemoryHold, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import { BodyParts } from '../route.ts';

/** Encoded JSON: one buffer, or a large payload in pieces. */
export type Encoded = Buffer | BodyParts;

/** Above this size, copying costs more than sending the pieces one after another. */
const LARGE_BYTES = 32 * 1024;

/** Memory in which small bodies are put together. Their length is known only then: measuring a text costs as much as writing it. */
const scratch = Buffer.allocUnsafeSlow(LARGE_BYTES);

/** A UTF-16 code unit takes at most as many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Joins texts and buffers into one body. Copies them into one buffer only if the body is small. */
export function splice(
  before: string,
  pieces: readonly (string | Buffer)[],
  after: string,
): Encoded {
  let end = writeText(before, 0);
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      end = writeText(text, end);
      end = writeBytes(piece, end);
      text = '';
    }
  }
  end = writeText(text + after, end);
  if (end === FULL) return toParts([before, ...pieces, after]);
  const body = Buffer.allocUnsafe(end);
  scratch.copy(body, 0, 0, end);
  return body;
}

/** In place of an end: the body may not fit into the scratch memory. */
const FULL = -1;

function writeText(text: string, start: number): number {
  if (start === FULL || start + MAX_BYTES_PER_UNIT * text.length > LARGE_BYTES) return FULL;
  return start + scratch.write(text, start);
}

function writeBytes(bytes: Buffer, start: number): number {
  if (start === FULL || start + bytes.length > LARGE_BYTES) return FULL;
  return start + bytes.copy(scratch, start);
}

/** A large body. Texts that follow one another become one part. */
function toParts(pieces: readonly (string | Buffer)[]): BodyParts {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') parts.push(Buffer.from(text));
      parts.push(piece);
      text = '';
    }
  }
  if (text !== '') parts.push(Buffer.from(text));
  return new BodyParts(parts);
}

export const piecesOf = (encoded: Encoded): readonly Buffer[] =>
  encoded instanceof BodyParts ? encoded.parts : [encoded];

/** Acquires memory for the large pieces of a body until it closes. Returns false if there is not enough. */
export const holds = (memory: () => MemoryHold, encoded: Encoded): boolean =>
  piecesOf(encoded).every((piece) => piece.length <= SMALL_BYTES || memory().hold(piece));

export function joinArray(elements: readonly Encoded[]): Encoded {
  const pieces = elements.flatMap((element, index) => [
    index === 0 ? '' : ',',
    ...piecesOf(element),
  ]);
  return splice('[', pieces, ']');
}
