import { describe, expect, test } from 'vitest';
import { parseTrustProxy } from './trust-proxy.ts';

describe('TRUST_PROXY', () => {
  test.each(['false', '0'])('%s trusts no proxy', (text) => {
    expect(parseTrustProxy(text)).toBeUndefined();
  });

  test('accepts a number of proxies', () => {
    expect(parseTrustProxy('2')).toEqual({ hops: 2 });
  });

  test('accepts addresses, networks and names of networks', () => {
    expect(parseTrustProxy('10.0.0.0/8, 192.168.1.5,fd00::/8, loopback')).toEqual({
      networks: ['10.0.0.0/8', '192.168.1.5/32', 'fd00::/8', '127.0.0.0/8', '::1/128'],
    });
  });

  test('refuses true, and explains why and what to write instead', () => {
    expect(() => parseTrustProxy('true')).toThrow(
      /^must not be true: every client could then choose .* Set the number of proxies/,
    );
  });

  test.each([
    '33',
    '-1',
    '1.5',
    'yes',
    'proxy.internal',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    'fd00::/129',
    'fe80::1%eth0',
    '10.0.0.0/8,',
    '10.0.0.0/8/8',
    'constructor',
  ])('refuses %s', (text) => {
    expect(() => parseTrustProxy(text)).toThrow(INSTEAD);
  });
});

const INSTEAD = /Set the number of proxies in front of the gateway/;
