import { describe, expect, it } from 'vitest';
import { decodeWindows949 } from './windows-949.ts';

const decode = (hex: string, lossy = false): string | null =>
  decodeWindows949(Buffer.from(hex, 'hex'), lossy);

describe('decodeWindows949', () => {
  it.each([
    ['b0a1', '가'],
    ['c8fe', '힝'],
    ['8141', '갂'],
    ['8c63', '똠'],
    ['94ee', '뷁'],
    ['bc84', '펲'],
    ['c164', '햏'],
    ['c652', '힣'],
    ['a1d8', '※'],
    ['a2e6', '€'],
    ['a2e7', '®'],
    ['f9d3', '漢'],
    ['5c7e', '\\~'],
    ['', ''],
  ])('decodes the bytes %s to %s', (bytes, text) => {
    expect(decode(bytes)).toBe(text);
  });

  it.each(['80', 'ff41', 'b0', 'c653', 'c9a1', '8120', '815b'])('rejects the bytes %s', (bytes) => {
    expect(decode(bytes)).toBeNull();
  });

  it('replaces invalid bytes if lossy, and keeps the ASCII that follows', () => {
    expect(decode('b0a1ff61b0', true)).toBe('가\ufffda\ufffd');
    expect(decode('c9a162', true)).toBe('\ufffdb');
  });

  it('decodes each byte pair to a different character, including all Hangul syllables', () => {
    const characters: string[] = [];
    for (let pair = 0x8141; pair <= 0xfefe; pair++) {
      const character = decode(pair.toString(16));
      if (character?.length === 1) characters.push(character);
    }
    expect(new Set(characters).size).toBe(characters.length);
    expect(characters).toHaveLength(17_048);
    const syllables = characters.filter((character) => character >= '가' && character <= '힣');
    expect(syllables).toHaveLength(11_172);
  });
});
