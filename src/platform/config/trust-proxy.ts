import { isIP } from 'node:net';

/** Proxies that a client's address is forwarded by; further ones are neither read nor believed. */
export const MAX_HOPS = 32;

/** Whose `X-Forwarded-For` is believed: so many proxies nearest to the gateway, or those in these networks. */
export type TrustedProxies =
  | { readonly hops: number }
  /** Each an address, `/` and the length of the prefix. */
  | { readonly networks: readonly string[] };

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const INSTEAD =
  'Give the number of proxies in front of the gateway, such as 1, or their addresses and networks, such as 10.0.0.0/8, 192.168.1.5';

/** Reads TRUST_PROXY; undefined trusts nobody. Throws what is wrong with it and what to write instead. */
export function parseTrustProxy(text: string): TrustedProxies | undefined {
  if (text === 'false' || text === '0') return undefined;
  if (text === 'true') {
    throw new Error(
      `must not be true: every client could then choose the address that it is limited and audited by. ${INSTEAD}`,
    );
  }
  if (/^\d+$/.test(text)) return { hops: parseHops(Number(text)) };
  return { networks: text.split(',').flatMap((part) => parseNetwork(part.trim())) };
}

function parseHops(hops: number): number {
  if (hops <= MAX_HOPS) return hops;
  throw new Error(`must be a number of proxies up to ${MAX_HOPS}. ${INSTEAD}`);
}

function parseNetwork(text: string): readonly string[] {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named) return named;
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const length = prefix === undefined ? longest : Number(prefix);
  // A prefix of 0 would be every address, and so the same as `true`.
  if (family === 0 || address.includes('%') || length < 1 || length > longest) {
    throw new Error(`has "${text}", which is neither an address nor a network. ${INSTEAD}`);
  }
  return [`${address}/${length}`];
}
