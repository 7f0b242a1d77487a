import { type ByteSource, SMALL_BYTES } from './byte-budget.ts';

const EMPTY = Buffer.alloc(0);
const SMALLEST_SPACE = 4096;
/** Up to here, the whole announced length is allocated at once: growing to it would leave as much garbage again. */
const AT_ONCE_BYTES = 1024 * 1024;

export interface BodyBounds {
  readonly maxBytes: number;
  /** The length that the sender announced, or 0. Saves a copy if true, but is never trusted. */
  readonly expectedBytes: number;
  /** Charged once the body is no longer small. */
  readonly memory: ByteSource;
}

/** Why a chunk was refused. */
export type BodyRefusal = 'too_large' | 'over_budget';

/** Collects the chunks of one body up to a limit. A body of one chunk is not copied. */
export class BodyCollector {
  readonly #bounds: BodyBounds;
  #space: Buffer = EMPTY;
  #isOwn: boolean = false;
  #length = 0;
  #charged = 0;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  /** Returns null when the chunk was accepted. */
  add(chunk: Buffer): BodyRefusal | null {
    const length = this.#length + chunk.length;
    if (length > this.#bounds.maxBytes) return 'too_large';
    if (this.#length === 0) {
      if (!this.#charge(length)) return 'over_budget';
      this.#space = chunk;
    } else {
      if (!this.#reserve(length)) return 'over_budget';
      this.#space.set(chunk, this.#length);
    }
    this.#length = length;
    return null;
  }

  /** Bytes that it holds of the memory budget. */
  get takenBytes(): number {
    return this.#charged;
  }

  /** Returns the memory of a refused body at once. The collector must not be used again. */
  discard(): void {
    if (this.#isOwn) free(this.#space);
  }

  /** The whole body, for short-lived use: it may hold more memory than its length. */
  whole(): Buffer {
    return this.#length === this.#space.length
      ? this.#space
      : this.#space.subarray(0, this.#length);
  }

  /**
   * The whole body. It may stay in a cache for hours, so it must not hold much more memory than its length:
   * a small chunk can be a slice of a 64 KiB read buffer, or of the pool behind `Buffer.from`.
   */
  finish(): Buffer {
    const body = this.whole();
    const heldBytes = body.buffer.byteLength;
    return heldBytes > 2 * body.length + SMALLEST_SPACE ? exactCopy(body) : body;
  }

  /**
   * Grows by doubling instead of listing the chunks: a list of ten million one-byte chunks would take a hundred times
   * the memory of the body. Returns false when the budget has no room.
   */
  #reserve(length: number): boolean {
    if (this.#isOwn && length <= this.#space.length) return true;
    const { maxBytes, expectedBytes } = this.#bounds;
    const doubled = Math.max(SMALLEST_SPACE, Math.min(2 * length, maxBytes));
    const isNear = length <= expectedBytes && expectedBytes <= Math.max(doubled, AT_ONCE_BYTES);
    const capacity = isNear ? expectedBytes : doubled;
    if (!this.#charge(capacity)) return false;
    const space = Buffer.allocUnsafeSlow(capacity);
    space.set(this.#space.subarray(0, this.#length));
    if (this.#isOwn) free(this.#space);
    this.#space = space;
    this.#isOwn = true;
    return true;
  }

  #charge(capacity: number): boolean {
    if (capacity <= SMALL_BYTES) return true;
    const fits = this.#bounds.memory.take(capacity - this.#charged);
    if (fits) this.#charged = capacity;
    return fits;
  }
}

/** Returns the memory of bytes that nothing else uses, which would otherwise wait for V8 to collect them. */
export function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function exactCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
