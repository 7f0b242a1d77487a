import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBlock } from './failure-limiter.ts';

describe('addressBlock', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not an address', 'not an address'],
    ['', ''],
  ])('counts %j as %j', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });

  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 });
  const write = (numbers: number[]) => numbers.map((group) => group.toString(16)).join(':');

  it('is the same for every address of a /64, and differs between two /64s', () => {
    fc.assert(
      fc.property(groups, groups, groups, groups, (network, other, host, otherHost) => {
        fc.pre(network.some((group) => group !== 0) && other.some((group) => group !== 0));
        const block = addressBlock(`${write(network)}:${write(host)}`);
        expect(addressBlock(`${write(network)}:${write(otherHost)}`)).toBe(block);
        const sameNetwork = write(network) === write(other);
        expect(addressBlock(`${write(other)}:${write(host)}`) === block).toBe(sameNetwork);
      }),
    );
  });
});
