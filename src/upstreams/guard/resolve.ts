import { lookup, Resolver } from 'node:dns/promises';

/** Returns the addresses of a host name; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** One query, repeated once; per server of the system's configuration. */
const TIMEOUT_MS = 2000;
const TRIES = 2;

/**
 * Resolves names by DNS alone. Unlike `dns.lookup` it uses none of the four threads of libuv, which one slow zone would
 * stall, and does not read the hosts file, whose names are local.
 */
export function createDnsResolve(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, maxTimeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = [v4, v6].flatMap((result) =>
      result.status === 'fulfilled' ? result.value : [],
    );
    if (addresses.length > 0) return addresses;
    throw v4.status === 'rejected' ? v4.reason : new Error('The name has no address.');
  };
}

/** Resolves names as other programs of this machine do, with its hosts file: for private upstreams in development. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
