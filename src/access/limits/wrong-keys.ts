import { createLru } from '../../platform/kernel/memo.ts';
import { type Clock, isoTime } from '../../platform/kernel/time.ts';

/** Addresses that are remembered. */
export const MAX_WRONG_KEY_ADDRESSES = 10_000;
/** How long after its first wrong key an address is forgotten, or counts from 0. */
const KEPT_MS = 48 * 60 * 60 * 1000;
/** Addresses that are shown. */
export const MAX_SHOWN_ADDRESSES = 20;

export type WrongKeys = ReturnType<typeof createWrongKeys>;

/** Counts requests with wrong keys by the address block that they came from. */
export function createWrongKeys(clock: Clock) {
  const byAddress = createLru<{ count: number; firstMs: number; lastMs: number }>(
    MAX_WRONG_KEY_ADDRESSES,
  );
  const isKept = ({ firstMs }: { readonly firstMs: number }) => clock.now() - firstMs < KEPT_MS;
  return {
    count(address: string): void {
      const nowMs = clock.now();
      const known = byAddress.get(address);
      if (known && isKept(known)) Object.assign(known, { count: known.count + 1, lastMs: nowMs });
      else byAddress.set(address, { count: 1, firstMs: nowMs, lastMs: nowMs });
    },
    /** The addresses with most, and how many came from all that are remembered. */
    most() {
      const all = [...byAddress.entries()]
        .filter(([, counted]) => isKept(counted))
        .sort(([, a], [, b]) => b.count - a.count);
      return {
        total: all.reduce((sum, [, { count }]) => sum + count, 0),
        addresses: all
          .slice(0, MAX_SHOWN_ADDRESSES)
          .map(([address, { count, firstMs, lastMs }]) => ({
            address,
            count,
            firstAt: isoTime(firstMs),
            lastAt: isoTime(lastMs),
          })),
      };
    },
  };
}
