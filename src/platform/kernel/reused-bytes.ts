/** More than this is released when it is no longer used. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/**
 * Memory for bytes that are written one after another, and used again for the next ones: new memory for each would make garbage
 * as fast as they are written. It grows to at most twice what the largest use needed.
 */
export class ReusedBytes {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;

  /** Where the next bytes will be. */
  get length(): number {
    return this.#used;
  }

  /** Room for this many bytes after those that are used. Valid until the next call. */
  reserve(length: number): Buffer {
    const at = this.#used;
    this.#used += length;
    if (this.#used > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#used);
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return this.#bytes.subarray(at, this.#used);
  }

  /** What has been written. Valid until the next call. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }
}
