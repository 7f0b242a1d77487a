import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { Secret } from '../kernel/secret.ts';
import {
  decrypt,
  encrypt,
  keyIdOf,
  newEncryptionKey,
  readEncryptionKey,
  type SecretOwner,
} from './cipher.ts';

const KEY = readEncryptionKey(newEncryptionKey());
const OTHER_KEY = readEncryptionKey(newEncryptionKey());
const text = visibleText();
const owner: fc.Arbitrary<SecretOwner> = fc.record({
  tenantId: text,
  subjectId: text,
  field: text,
});

describe('an encrypted secret', () => {
  it('is decrypted for its owner', () => {
    fc.assert(
      fc.property(text, owner, (value, whose) => {
        const encrypted = encrypt(KEY, new Secret(value), whose);
        expect(decrypt(KEY, encrypted, whose).reveal()).toBe(value);
      }),
    );
  });

  it('is not decrypted for any other owner', () => {
    fc.assert(
      fc.property(text, owner, owner, (value, whose, other) => {
        fc.pre(JSON.stringify(Object.values(whose)) !== JSON.stringify(Object.values(other)));
        const encrypted = encrypt(KEY, new Secret(value), whose);
        expect(() => decrypt(KEY, encrypted, other)).toThrow();
      }),
    );
  });

  it('is not decrypted once any byte of it has changed', () => {
    const whose = { tenantId: 't', subjectId: 's', field: 'f' };
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (value, at, flip) => {
          const [version, id, body = ''] = encrypt(KEY, new Secret(value), whose).split('.');
          const bytes = Buffer.from(body, 'base64url');
          const index = at % bytes.length;
          bytes[index] = (bytes[index] ?? 0) ^ flip;
          const changed = `${version}.${id}.${bytes.toString('base64url')}`;
          expect(() => decrypt(KEY, changed, whose)).toThrow();
        },
      ),
    );
  });

  it('is not decrypted with another key, or when it is cut short', () => {
    const whose = { tenantId: 't', subjectId: 's', field: 'f' };
    const encrypted = encrypt(KEY, new Secret('x'), whose);
    expect(() => decrypt(OTHER_KEY, encrypted, whose)).toThrow();
    expect(() => decrypt(KEY, encrypted.slice(0, 40), whose)).toThrow();
    expect(() => decrypt(KEY, '', whose)).toThrow();
  });

  it('names its key, and never contains its text', () => {
    const whose = { tenantId: 't', subjectId: 's', field: 'f' };
    const encrypted = encrypt(KEY, new Secret('a secret of some length'), whose);
    expect(keyIdOf(encrypted)).toBe(KEY.id);
    expect(
      Buffer.from(encrypted.split('.')[2] ?? '', 'base64url').toString('latin1'),
    ).not.toContain('secret');
    expect(encrypt(KEY, new Secret('x'), whose)).not.toBe(encrypt(KEY, new Secret('x'), whose));
  });

  it.each(['', 'v1', 'v1.abc', 'v2.abc.def', 'text'])('has no key id in %j', (value) => {
    expect(keyIdOf(value)).toBeUndefined();
  });
});

describe('an encryption key', () => {
  it('has an id that another key does not have, and that does not reveal it', () => {
    const text = newEncryptionKey();
    const { id } = readEncryptionKey(text);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(readEncryptionKey(text).id).toBe(id);
    expect(OTHER_KEY.id).not.toBe(KEY.id);
    expect(Buffer.from(text.reveal(), 'base64').toString('hex')).not.toContain(id);
  });

  it.each(['', 'c2hvcnQ=', Buffer.alloc(33).toString('base64')])('is refused as %j', (value) => {
    expect(() => readEncryptionKey(new Secret(value))).toThrow('32 bytes');
  });
});
