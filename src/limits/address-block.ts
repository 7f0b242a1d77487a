import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;

/**
 * What is counted as one origin of requests: an IPv4 address, also when written inside an IPv6 one
 * (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2), or the /64 that an IPv6 address belongs to. Anything that is not an
 * address stands for itself.
 */
export function addressBlock(address: string): string {
  if (isIPv4(address) || !isIPv6(address)) return address;
  const groups = readGroups(withoutZone(address));
  const [g0, g1, g2, g3, g4, g5, g6 = 0, g7 = 0] = groups;
  const isMapped = !(g0 || g1 || g2 || g3 || g4) && g5 === 0xffff;
  if (isMapped) return [g6 >> 8, g6 & 0xff, g7 >> 8, g7 & 0xff].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** `fe80::1%eth0`: the zone names an interface of this machine. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? address;

/** The eight groups of a valid IPv6 address; `::` stands for as many zeros as are missing. */
function readGroups(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = readPart(head);
  if (tail === undefined) return before;
  const after = readPart(tail);
  const zeros = new Array<number>(GROUPS - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after];
}

function readPart(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
