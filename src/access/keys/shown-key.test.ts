import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShownKey } from './shown-key.ts';

describe('the last key that a connection showed', () => {
  it('returns its digest for the same text only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (first, second) => {
        const shown = new ShownKey();
        expect(shown.digestOf(first)).toBeUndefined();
        shown.remember(first, 'digest');
        expect(shown.digestOf(second)).toBe(
          second === first && first !== '' ? 'digest' : undefined,
        );
      }),
    );
  });

  it('distinguishes keys that differ in one character', () => {
    const key = `tg_live_${'a'.repeat(43)}`;
    const shown = new ShownKey();
    shown.remember(key, 'digest');
    expect(shown.digestOf(key)).toBe('digest');
    for (let i = 0; i < key.length; i++) {
      expect(shown.digestOf(`${key.slice(0, i)}!${key.slice(i + 1)}`)).toBeUndefined();
    }
  });
});
