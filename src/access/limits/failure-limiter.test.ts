import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestRedis, type TestRedis, testRedisUrl } from '../../../test/support/redis.ts';
import {
  addressBlock,
  createFailureLimiter,
  type FailureLimiter,
  LOOK_UPS_OF_ALL_BLOCKED,
  LOOK_UPS_OF_BLOCKED,
  MAX_BLOCKED,
} from './failure-limiter.ts';

async function fail(limiter: FailureLimiter, address: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await limiter.recordFailure(address);
}

describe('the failure limiter', () => {
  it('blocks an address after too many failures, and reports for how long', async () => {
    const limiter = createFailureLimiter({ limitPerMinute: 3 });
    await fail(limiter, '192.0.2.1', 2);
    expect(limiter.refusalFor('192.0.2.1')).toBeNull();
    await fail(limiter, '192.0.2.1', 1);
    expect(limiter.refusalFor('192.0.2.1')).toEqual({
      allowed: false,
      limit: 3,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 60,
    });
  });

  it('blocks no other address', async () => {
    const limiter = createFailureLimiter({ limitPerMinute: 1 });
    await fail(limiter, '192.0.2.1', 1);
    expect(limiter.refusalFor('192.0.2.2')).toBeNull();
  });

  it('counts the addresses of one IPv6 /64 together', async () => {
    const limiter = createFailureLimiter({ limitPerMinute: 2 });
    await limiter.recordFailure('2001:db8::1');
    await limiter.recordFailure('2001:db8::2');
    expect(limiter.refusalFor('2001:db8:0:0:ffff::')).toMatchObject({ allowed: false });
    expect(limiter.refusalFor('2001:db8:0:1::1')).toBeNull();
  });

  it('recognises an IPv4 address in either notation', async () => {
    const limiter = createFailureLimiter({ limitPerMinute: 1 });
    await fail(limiter, '::ffff:192.0.2.1', 1);
    expect(limiter.refusalFor('192.0.2.1')).toMatchObject({ allowed: false });
  });

  it('limits look-ups per second, of one blocked address and of all together', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
    try {
      const limiter = createFailureLimiter({ limitPerMinute: 1 });
      const takeAll = (address: string) => {
        let taken = 0;
        while (limiter.mayLookUp(address)) taken++;
        return taken;
      };
      await fail(limiter, '192.0.2.1', 1);
      expect(takeAll('192.0.2.1')).toBe(LOOK_UPS_OF_BLOCKED);
      await fail(limiter, '192.0.2.1', 1);
      expect(takeAll('192.0.2.1')).toBe(0);
      clock.mockReturnValue(1500);
      expect(takeAll('192.0.2.1')).toBe(LOOK_UPS_OF_BLOCKED / 2);
      let taken = 0;
      for (let n = 0; n < 20; n++) {
        await fail(limiter, `198.51.100.${n}`, 1);
        taken += takeAll(`198.51.100.${n}`);
      }
      expect(taken).toBe(LOOK_UPS_OF_ALL_BLOCKED - LOOK_UPS_OF_BLOCKED / 2);
    } finally {
      clock.mockRestore();
    }
  });

  it('remembers a bounded number of blocked addresses, and forgets the one blocked longest ago', async () => {
    const limiter = createFailureLimiter({ limitPerMinute: 1 });
    const address = (n: number) => `10.0.${n >> 8}.${n & 255}`;
    for (let n = 0; n <= MAX_BLOCKED; n++) await limiter.recordFailure(address(n));
    expect(limiter.refusalFor(address(0))).toBeNull();
    expect(limiter.refusalFor(address(1))).not.toBeNull();
  });

  it('blocks no address when the limit is 0', async () => {
    const limiter = createFailureLimiter({ limitPerMinute: 0 });
    await fail(limiter, '192.0.2.1', 100);
    expect(limiter.refusalFor('192.0.2.1')).toBeNull();
  });
});

describe.runIf(testRedisUrl)('the failure limiter over Redis', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await openTestRedis();
  });
  afterAll(() => redis.cleanUp());

  it('counts failures across all replicas', async () => {
    const replica = () =>
      createFailureLimiter({
        limitPerMinute: 4,
        redis: redis.connection,
        keyPrefix: `${redis.keyPrefix}failures`,
      });
    const [one, two] = [replica(), replica()];
    await fail(one, '192.0.2.1', 3);
    expect(one.refusalFor('192.0.2.1')).toBeNull();
    await fail(two, '192.0.2.1', 1);
    // It learns within a moment of the failures that the other has seen, and blocks with its next one.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await fail(two, '192.0.2.1', 1);
    expect(two.refusalFor('192.0.2.1')).toMatchObject({ allowed: false });
  });
});

describe('addressBlock', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
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
