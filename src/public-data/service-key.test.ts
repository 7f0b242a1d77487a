import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/support/arbitrary-text.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { decodeServiceKey } from './service-key.ts';

const decoded = (key: string): string => decodeServiceKey(new Secret(key)).reveal();

describe('decodeServiceKey', () => {
  it('decodes the encoded form, with escapes in upper or lower case', () => {
    expect(decoded('ab%2Bcd%2Fef%3D%3D')).toBe('ab+cd/ef==');
    expect(decoded('ab%2bcd%2fef%3d%3d')).toBe('ab+cd/ef==');
  });

  it('leaves the decoded form and a hexadecimal key unchanged', () => {
    expect(decoded('ab+cd/ef==')).toBe('ab+cd/ef==');
    expect(decoded('0f3a99')).toBe('0f3a99');
  });

  it('removes white space around the key', () => {
    expect(decoded(' ab%3D\n')).toBe('ab=');
  });

  it('keeps malformed escapes instead of failing', () => {
    expect(decoded('a%b%2Bc%%zz%')).toBe('a%b+c%%zz%');
    expect(decoded('%E0%A4%A')).toBe('%E0%A4%A');
  });

  it('returns the same key for both forms of any base64 key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        const key = Buffer.from(bytes).toString('base64');
        expect(decoded(key)).toBe(key);
        expect(decoded(encodeURIComponent(key))).toBe(key);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(anyText(), (key) => void decoded(key)));
  });
});
