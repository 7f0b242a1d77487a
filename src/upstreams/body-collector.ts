const EMPTY = Buffer.alloc(0);
const SMALLEST_SPACE = 4096;

/** Gathers the chunks of one body up to a limit. A body of one chunk is not copied. */
export class BodyCollector {
  readonly #maxBytes: number;
  readonly #expectedBytes: number;
  #space: Buffer = EMPTY;
  #isOwn: boolean = false;
  #length = 0;

  /** `expectedBytes`: what the sender announced, or 0; it saves a copy if true, and is never trusted. */
  constructor(maxBytes: number, expectedBytes: number) {
    this.#maxBytes = maxBytes;
    this.#expectedBytes = expectedBytes;
  }

  /** False if the limit is passed; the chunk is not taken then. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (this.#length === 0) this.#space = chunk;
    else {
      this.#reserve(length);
      this.#space.set(chunk, this.#length);
    }
    this.#length = length;
    return true;
  }

  /**
   * The whole body. It may be kept in a cache for hours, so it must not hold much more memory than its length:
   * a small chunk can be a slice of a read buffer of 64 KiB, or of the pool behind `Buffer.from`.
   */
  finish(): Buffer {
    const body = this.#space.subarray(0, this.#length);
    const heldBytes = body.buffer.byteLength;
    return heldBytes > 2 * body.length + SMALLEST_SPACE ? exactCopy(body) : body;
  }

  /**
   * Grows by doubling instead of listing the chunks: a list of ten million chunks of one byte each would take
   * a hundred times the memory of the body.
   */
  #reserve(length: number): void {
    if (this.#isOwn && length <= this.#space.length) return;
    const doubled = Math.max(SMALLEST_SPACE, Math.min(2 * length, this.#maxBytes));
    const isNear = length <= this.#expectedBytes && this.#expectedBytes <= doubled;
    const space = Buffer.allocUnsafeSlow(isNear ? this.#expectedBytes : doubled);
    space.set(this.#space.subarray(0, this.#length));
    this.#space = space;
    this.#isOwn = true;
  }
}

function exactCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
