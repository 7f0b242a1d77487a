import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = '::ffff:';

/**
 * An IP address in canonical form, so that it can be compared as text: IPv6 as in RFC 5952 and without a zone, which
 * names an interface of one machine; IPv4 even if it was mapped to an IPv6 address (`::ffff:192.0.2.1`, RFC 4291
 * section 2.5.5.2). Null for any other text.
 */
export function canonicalAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return null;
  const [withoutZone = ''] = text.split('%', 1);
  const { address } = new SocketAddress({ address: withoutZone, family: 'ipv6' });
  const embedded = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(embedded) ? embedded : address;
}

/** A host in the form used in a URL: an IPv6 address is put in brackets (RFC 3986 section 3.2.2). */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The host at which a program on this machine reaches a server bound to `host`: a wildcard is not an address to call. */
export const localHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : urlHost(host);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a host as in a URL or a Host header, with or without a port, is this machine. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host);

/** An address as it is shown: a query may contain a secret. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
