import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { canonicalAddress } from '../../platform/kernel/ip-address.ts';

const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['loopback', 'unspecified']);

/** Whether a connection to this IP address ends at this machine. */
export function isOwnAddress(text: string): boolean {
  const address = canonicalAddress(text);
  if (address === null) return false;
  if (OF_THIS_MACHINE.has(ipaddr.parse(address).range())) return true;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => canonicalAddress(own.address) === address),
  );
}
