import { canonicalAddress } from '../../platform/kernel/ip-address.ts';

const GROUPS = 8;

/**
 * What counts as one source of requests: an IPv4 address, or the /64 of an IPv6 address, since one subscriber owns all
 * of it. Any other text is returned unchanged.
 */
export function addressBlock(address: string): string {
  const canonical = canonicalAddress(address);
  if (!canonical?.includes(':')) return canonical ?? address;
  return `${readGroups(canonical)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. `::` stands for the missing zeros. */
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
