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
