import { isIP } from 'node:net';

/** The longest chain of proxies that is read. Further entries are neither read nor trusted. */
export const MAX_HOPS = 32;

/** The proxies whose `X-Forwarded-For` is trusted: a number of them nearest to the gateway, or those in these networks. */
export type TrustedProxies =
  | { readonly hops: number }
  /** Each is an address, `/` and the length of the prefix. */
  | { readonly networks: readonly string[] };

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const HINT =
  'Set the number of proxies in front of the gateway, such as 1, or their addresses and networks, such as 10.0.0.0/8, 192.168.1.5';

/** Parses TRUST_PROXY; undefined trusts no proxy. Throws an error that says what is wrong and what to write instead. */
export function parseTrustProxy(text: string): TrustedProxies | undefined {
  if (text === 'false' || text === '0') return undefined;
  if (text === 'true') {
    throw new Error(
      `must not be true: every client could then choose the address by which it is limited and audited. ${HINT}`,
    );
  }
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    if (hops <= MAX_HOPS) return { hops };
    throw new Error(`must be a number of proxies up to ${MAX_HOPS}. ${HINT}`);
  }
  return { networks: text.split(',').flatMap((part) => parseNetwork(part.trim())) };
}

function parseNetwork(text: string): readonly string[] {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named) return named;
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const length = prefix === undefined ? longest : Number(prefix);
  // A prefix of 0 would match every address, like `true`.
  if (family === 0 || address.includes('%') || length < 1 || length > longest) {
    throw new Error(`contains "${text}", which is neither an address nor a network. ${HINT}`);
  }
  return [`${address}/${length}`];
}
