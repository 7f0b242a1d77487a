import type { LookupFunction } from 'node:net';

type Answered = Parameters<LookupFunction>[2];

/**
 * Looks a host name up once for all who want it at the same time. Node looks names up on two of libuv's four threads,
 * which every origin shares: the connections to one slow zone must not take both.
 */
export function createSharedLookup(lookup: LookupFunction): LookupFunction {
  const underWay = new Map<string, Answered[]>();
  return (hostname, options, callback) => {
    const { family, hints, all } = options;
    const key = `${hostname} ${family} ${hints} ${all}`;
    const waiting = underWay.get(key);
    if (waiting) {
      waiting.push(callback);
      return;
    }
    const callbacks = [callback];
    underWay.set(key, callbacks);
    lookup(hostname, options, (...answer) => {
      underWay.delete(key);
      for (const answered of callbacks) process.nextTick(answered, ...answer);
    });
  };
}
