import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type MemoryHold, overBudget } from '../../platform/kernel/byte-budget.ts';
import type { UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

/** Bytes of a unit that are held unchanged; the pages after them are compressed. */
const PLAIN_BYTES = 1024 * 1024;

/** The payload of a page, and where its rows were found if the tool does not say it. */
export type HeldPage = Pick<UpstreamResponse, 'json' | 'found'>;

interface Page extends HeldPage {
  readonly isPacked: boolean;
}

/**
 * The pages of a unit until it is known whether the unit is whole: rows that have been passed on cannot be taken back.
 * `close` releases what they hold of the memory budget.
 */
export class HeldPages {
  readonly #holds: MemoryHold[] = [];
  #pages: Page[] = [];
  #plainBytes = 0;

  get count(): number {
    return this.#pages.length;
  }

  /** Keeps a page. `hold` is what it holds already. Rejects with `overloaded` if it does not fit. */
  async add({ json, found }: HeldPage, hold: MemoryHold): Promise<void> {
    const place = found && { found };
    if (this.#plainBytes + json.length <= PLAIN_BYTES) {
      this.#plainBytes += json.length;
      this.#holds.push(hold);
      this.#pages.push({ json, isPacked: false, ...place });
      return;
    }
    const bytes = await pack(json, { level: 1 });
    const packed = hold.fork();
    hold.close();
    this.#holds.push(packed);
    if (!packed.take(bytes.length)) throw overBudget();
    this.#pages.push({ json: bytes, isPacked: true, ...place });
  }

  /** The pages, in their order. */
  async *read(): AsyncGenerator<HeldPage, void, void> {
    for (const { isPacked, ...page } of this.#pages)
      yield isPacked ? { ...page, json: await unpack(page.json) } : page;
  }

  /** May be called twice. */
  close(): void {
    for (const hold of this.#holds.splice(0)) hold.close();
    this.#pages = [];
  }
}
