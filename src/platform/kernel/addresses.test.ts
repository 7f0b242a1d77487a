import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalAddress } from './addresses.ts';

describe('canonicalAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '::'],
    ['010.0.0.1', null],
    ['1.2.3', null],
    ['1.2.3.4\n', null],
    ['1.2.3.4:80', null],
    ['unknown', null],
    ['', null],
  ])('writes %j as %j', (text, written) => {
    expect(canonicalAddress(text)).toBe(written);
  });

  it('writes every address in one form, and leaves that form unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const written = canonicalAddress(text) ?? '';
        expect(isIP(written)).not.toBe(0);
        expect(canonicalAddress(written)).toBe(written);
      }),
    );
  });
});
