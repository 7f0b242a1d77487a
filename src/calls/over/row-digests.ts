import { JsonDocument } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import { findRows } from '../../upstreams/payload/rows.ts';

/** The digests of the rows of a page, of 53 bits each; empty for a payload without rows at the pointer. */
export function digestsOf(json: Buffer, items: string): number[] {
  const document = new JsonDocument(json);
  const place = findRows(document, parsePointer(items));
  if (place === undefined) return [];
  return document
    .children(place)
    .map((row) => digestOf(json, document.start(row), document.end(row)));
}

/** Not against forgers, who could only spoil their own answer: against rows that come twice by accident. */
function digestOf(bytes: Buffer, start: number, end: number): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    high = Math.imul(high ^ byte, 2_654_435_761);
    low = Math.imul(low ^ byte, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (low & 0x1fffff) * 0x1_0000_0000 + (high >>> 0) + 1;
}

const FIRST_CAPACITY = 1024;

/** A set of digests. In a `Set`, a million of them would take 40 MB instead of 16. */
export class DigestSet {
  #slots = new Float64Array(FIRST_CAPACITY);
  #size = 0;

  has(digest: number): boolean {
    return this.#slots[this.#slotOf(digest)] === digest;
  }

  add(digest: number): void {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === digest) return;
    this.#slots[slot] = digest;
    this.#size++;
  }

  /** The slot that has the digest, or the free one where it belongs. */
  #slotOf(digest: number): number {
    const mask = this.#slots.length - 1;
    let slot = digest % this.#slots.length;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== digest) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const known = this.#slots;
    this.#slots = new Float64Array(known.length * 2);
    for (const digest of known) if (digest !== 0) this.#slots[this.#slotOf(digest)] = digest;
  }
}
