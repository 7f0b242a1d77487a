import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_HOPS, parseTrustProxy } from '../platform/config/trust-proxy.ts';
import { canonicalAddress } from '../platform/kernel/addresses.ts';
import { createClientAddress } from './client-address.ts';

const requestFrom = (remoteAddress: string | undefined, forwarded?: string) => ({
  socket: { remoteAddress } as IncomingMessage['socket'],
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

const derive = (trustProxy: string, peer: string | undefined, forwarded?: string): string =>
  createClientAddress(parseTrustProxy(trustProxy)).of(requestFrom(peer, forwarded));

describe('the address of a client', () => {
  it.each([
    ['0', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['1', '10.0.0.1', undefined, '10.0.0.1'],
    ['1', '10.0.0.1', '', '10.0.0.1'],
    ['1', '10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
    ['2', '10.0.0.1', '9.9.9.9, 1.1.1.1 , 2.2.2.2', '1.1.1.1'],
    ['3', '10.0.0.1', '1.1.1.1,2.2.2.2', '1.1.1.1'],
    ['2', '10.0.0.1', 'unknown, 2.2.2.2', '2.2.2.2'],
    ['1', '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    ['2', '10.0.0.1', '1.1.1.1, , 2.2.2.2', '2.2.2.2'],
    ['1', '10.0.0.1', ',', '10.0.0.1'],
    ['1', '10.0.0.1', '1.1.1.1:4711', '1.1.1.1'],
    ['1', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['1', '10.0.0.1', '2001:DB8:0::1', '2001:db8::1'],
    ['1', '10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
    ['1', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['10.0.0.0/8', '10.0.0.1', '9.9.9.9, 1.1.1.1, 10.1.1.1', '1.1.1.1'],
    ['10.0.0.0/8', '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['10.0.0.0/8', '11.0.0.1', '1.1.1.1', '11.0.0.1'],
    ['192.168.1.5, fd00::/8', 'fd00::7', '1.1.1.1, 192.168.1.5', '1.1.1.1'],
    ['loopback', '::1', '1.1.1.1', '1.1.1.1'],
    ['uniquelocal', '10.0.0.1', '172.16.0.1, 192.168.0.1', '172.16.0.1'],
  ])('with TRUST_PROXY=%s, from %s with %j, is %s', (trustProxy, peer, forwarded, client) => {
    expect(derive(trustProxy, peer, forwarded)).toBe(client);
  });

  it.each(['0', '1', '10.0.0.0/8'])('is canonical with TRUST_PROXY=%s', (trustProxy) => {
    expect(derive(trustProxy, '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(derive(trustProxy, 'fe80::1%eth0')).toBe('fe80::1');
    expect(derive(trustProxy, undefined)).toBe('unknown');
  });

  it('reads a bounded part of a very long list', () => {
    const proxies = new Array(5000).fill('10.0.0.1');
    expect(derive('10.0.0.0/8', '10.0.0.1', ['1.1.1.1', ...proxies].join(','))).toBe('10.0.0.1');
    const shorter = ['1.1.1.1', ...proxies.slice(0, MAX_HOPS - 1)];
    expect(derive('10.0.0.0/8', '10.0.0.1', shorter.join(','))).toBe('1.1.1.1');
  });

  it('is the same on the next request', () => {
    const { of } = createClientAddress({ hops: 1 });
    expect(of(requestFrom('10.0.0.1', '1.1.1.1'))).toBe('1.1.1.1');
    expect(of(requestFrom('10.0.0.1', '1.1.1.1'))).toBe('1.1.1.1');
    expect(of(requestFrom('10.0.0.2', 'x'))).toBe('10.0.0.2');
  });
});

it('a forwarded address is reported once if no proxy is trusted', () => {
  let told = 0;
  const { of } = createClientAddress(undefined, () => void told++);
  expect(of(requestFrom('10.0.0.1'))).toBe('10.0.0.1');
  expect(told).toBe(0);
  for (let n = 0; n < 3; n++) expect(of(requestFrom('10.0.0.1', '1.1.1.1'))).toBe('10.0.0.1');
  expect(told).toBe(1);
});

describe('a trusted proxy', () => {
  it('is recognised by its address', () => {
    const { isProxy } = createClientAddress(parseTrustProxy('10.0.0.0/8'));
    expect(['10.1.1.1', '::ffff:10.1.1.1', '11.0.0.1'].map(isProxy)).toEqual([true, true, false]);
  });

  it('is every peer if proxies are counted, and no peer if none is trusted', () => {
    expect(createClientAddress({ hops: 1 }).isProxy('11.0.0.1')).toBe(true);
    expect(createClientAddress(undefined).isProxy('127.0.0.1')).toBe(false);
  });
});

const address = fc.oneof(fc.ipV4(), fc.ipV6());
/** As the system writes it. */
const socketAddress = address.map((text) => canonicalAddress(text) ?? '');
const value = fc.oneof(
  address,
  fc.ipV4().map((ip) => `${ip}:80`),
  fc.ipV6().map((ip) => `[${ip}]:80`),
  fc.constantFrom('', ' ', 'unknown', '_hidden', '10.0.0.1', '127.0.0.1', '::1'),
  fc.string(),
);
const trust = fc.oneof(
  fc.integer({ min: 0, max: MAX_HOPS }).map(String),
  fc.constantFrom('10.0.0.0/8', 'loopback', 'uniquelocal,::1', 'fd00::/8,127.0.0.1'),
);

describe('the address of a client that sends any header', () => {
  it('is an IP address: a forwarded one or that of the socket', () => {
    fc.assert(
      fc.property(
        trust,
        socketAddress,
        fc.array(value, { maxLength: 50 }),
        (trustProxy, peer, values) => {
          const client = derive(trustProxy, peer, values.join(','));
          expect(isIP(client)).not.toBe(0);
          expect(client.startsWith('::ffff:') && isIPv4(client.slice(7))).toBe(false);
          const forwarded = values.join(',').split(',').map(canonicalOf);
          expect([canonicalAddress(peer), ...forwarded]).toContain(client);
        },
      ),
    );
  });

  it('cannot be chosen by the client behind a counted number of proxies', () => {
    const chain = fc.array(address, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 20 }),
        chain,
        socketAddress,
        (sent, written, peer) => {
          const header = [...sent, ...written].join(', ');
          const client = derive(String(written.length), peer, header);
          expect(client).toBe(canonicalAddress(written[0] ?? ''));
        },
      ),
    );
  });

  it('cannot be chosen by the client behind proxies in trusted networks', () => {
    const outside = fc.ipV4().filter((ip) => !ip.startsWith('10.'));
    const inside = fc.integer({ min: 0, max: 255 }).map((n) => `10.0.0.${n}`);
    const inner = fc.array(inside, { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(value), outside, inner, inside, (sent, real, proxies, peer) => {
        const header = [...sent, real, ...proxies].join(', ');
        expect(derive('10.0.0.0/8', peer, header)).toBe(real);
      }),
    );
  });
});

/** The address in an element of the list, with or without a port. */
function canonicalOf(element: string): string | null {
  const text = element.trim();
  return (
    canonicalAddress(text) ??
    canonicalAddress(text.replace(/:\d+$/, '')) ??
    canonicalAddress(text.replace(/^\[(.*)\](?::\d+)?$/, '$1'))
  );
}
