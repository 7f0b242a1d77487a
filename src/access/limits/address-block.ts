import ipaddr from 'ipaddr.js';
import { canonicalAddress } from '../../platform/kernel/addresses.ts';

/**
 * What counts as one source of requests: an IPv4 address, or the /64 of an IPv6 address, since one subscriber owns all
 * of it. Any other text is returned unchanged.
 */
export function addressBlock(address: string): string {
  const canonical = canonicalAddress(address);
  if (!canonical?.includes(':')) return canonical ?? address;
  const groups = ipaddr.IPv6.parse(canonical).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
