import type { LookupFunction } from 'node:net';

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * Looks up a host name once for all concurrent requests. Node performs look-ups on two of libuv's four threads, which
 * all origins share: the connections to one slow zone must not occupy both.
 */
export function createSharedLookup(lookup: LookupFunction): LookupFunction {
  const pending = new Map<string, LookupCallback[]>();
  return (hostname, options, callback) => {
    const { family, hints, all } = options;
    const key = `${hostname} ${family} ${hints} ${all}`;
    const waiting = pending.get(key);
    if (waiting) {
      waiting.push(callback);
      return;
    }
    const callbacks = [callback];
    pending.set(key, callbacks);
    lookup(hostname, options, (...result) => {
      pending.delete(key);
      for (const each of callbacks) process.nextTick(each, ...result);
    });
  };
}
