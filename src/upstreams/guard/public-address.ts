import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalAddress } from '../../platform/kernel/ip-address.ts';

/** Global unicast (RFC 4291 section 2.4); everything else of IPv6 is special or unassigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** IETF protocol assignments (RFC 2928), Teredo among them. */
const PROTOCOL_ASSIGNMENTS = ipaddr.parseCIDR('2001::/23');

/** The host agent of Azure, which every virtual machine reaches at this public address. */
const AZURE_HOST = '168.63.129.16';

/**
 * Whether an IP address belongs to the public internet: unicast, and outside of the special-purpose ranges of the IANA
 * registries (RFC 6890), those that embed an IPv4 address included (NAT64, 6to4, Teredo). False for any other text, and
 * for an address with a zone, which names an interface of this machine.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const canonical = canonicalAddress(text) ?? text;
  if (canonical === AZURE_HOST) return false;
  const address = ipaddr.parse(canonical);
  if (address.range() !== 'unicast') return false;
  return (
    address.kind() === 'ipv4' ||
    (address.match(GLOBAL_UNICAST) && !address.match(PROTOCOL_ASSIGNMENTS))
  );
}
