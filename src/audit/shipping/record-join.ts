/** More than this is released when it is no longer used. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/**
 * Joins JSON arrays in one, in memory that is used again: new memory for each batch would make garbage as fast as records are
 * shipped. As strings, they would be large objects, which only a full garbage collection frees.
 */
export class RecordJoin {
  #memory = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** Joins arrays that are not empty. The result is valid until the next call. */
  join(arrays: readonly string[]): Buffer {
    if (this.#memory.length > MAX_KEPT_BYTES) this.#memory = Buffer.allocUnsafeSlow(FIRST_BYTES);
    let used = 0;
    for (const array of arrays) {
      const needed = used + Buffer.byteLength(array);
      if (needed > this.#memory.length) {
        const larger = Buffer.allocUnsafeSlow(2 * needed);
        this.#memory.copy(larger, 0, 0, used);
        this.#memory = larger;
      }
      // The comma takes the place of the bracket that ended the array before.
      if (used > 0) this.#memory.write(',', used - 1);
      used += this.#memory.write(used > 0 ? array.slice(1) : array, used);
    }
    return this.#memory.subarray(0, used);
  }
}
