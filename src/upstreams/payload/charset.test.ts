import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PUBLIC_DATA_PAYLOADS } from '../../public-data/payload-domain.ts';
import { createUtf8Converter } from './charset.ts';

const toUtf8 = createUtf8Converter(PUBLIC_DATA_PAYLOADS.charset);

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const utf8 = (body: Buffer, contentType = ''): string => toUtf8(body, contentType).toString();

const HANGUL = hex('bec6c164c16420 8c63b9e6b0a2c7cf'.replaceAll(' ', ''));

describe('toUtf8', () => {
  it('returns the same bytes when they are already UTF-8', () => {
    const body = Buffer.from('{"a":"한글"}');
    for (const type of ['', 'application/json', 'application/json; charset="UTF-8"']) {
      expect(toUtf8(body, type)).toBe(body);
    }
  });

  it.each([
    'euc-kr',
    'EUC-KR',
    'cp949',
    'MS949',
    'x-windows-949',
    'UHC',
    'ks_c_5601-1987',
    'korean',
  ])('decodes Korean declared as %s in the content-type', (label) => {
    expect(utf8(HANGUL, `text/plain; charset=${label}`)).toBe('아햏햏 똠방각하');
  });

  it('decodes Korean declared in the XML declaration', () => {
    const head = '<?xml version="1.0" encoding="euc-kr"?><a>';
    const body = Buffer.concat([Buffer.from(head), HANGUL]);
    expect(utf8(body, 'text/xml')).toBe(`${head}아햏햏 똠방각하`);
  });

  it('tries EUC-KR for undeclared bytes that are not UTF-8', () => {
    expect(utf8(HANGUL, 'text/plain')).toBe('아햏햏 똠방각하');
    expect(utf8(HANGUL, 'application/json;charset=utf-8')).toBe('아햏햏 똠방각하');
  });

  it('prefers valid UTF-8 to a Western charset that a server declares by default', () => {
    const body = Buffer.from('한글');
    expect(utf8(body, 'text/xml;charset=ISO-8859-1')).toBe('한글');
    expect(utf8(hex('636166e9'), 'text/plain;charset=ISO-8859-1')).toBe('café');
  });

  it('decodes UTF-16 with and without a byte order mark, but not if it is only declared', () => {
    const le = Buffer.from('{"a":"한"}', 'utf16le');
    const be = Buffer.from(le).swap16();
    for (const body of [
      le,
      be,
      Buffer.concat([hex('fffe'), le]),
      Buffer.concat([hex('feff'), be]),
    ]) {
      expect(utf8(body, 'application/json')).toBe('{"a":"한"}');
    }
    const mistaken = '<?xml version="1.0" encoding="utf-16"?><a/>';
    expect(utf8(Buffer.from(mistaken), 'text/xml; charset=utf-16')).toBe(mistaken);
  });

  it('removes a byte order mark and ignores an unknown charset', () => {
    expect(utf8(Buffer.from('\ufeff{}'), 'application/json; charset=euc-kr')).toBe('{}');
    expect(utf8(Buffer.from('{"a":"한"}'), 'application/json; charset=x-none')).toBe('{"a":"한"}');
  });

  it('replaces bytes that are invalid in every charset', () => {
    expect(utf8(hex('61ff62'), 'text/plain')).toBe('a\ufffdb');
    expect(utf8(hex('b0a1ff61b0'), 'text/plain;charset=euc-kr')).toBe('가\ufffda\ufffd');
  });

  it('restores Hangul from every charset that can encode it', () => {
    const syllables = fc.string({
      unit: fc.integer({ min: 0xac00, max: 0xd7a3 }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    });
    fc.assert(
      fc.property(syllables, (text) => {
        expect(utf8(Buffer.from(text), 'text/plain;charset=utf-8')).toBe(text);
        const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
        expect(utf8(utf16, 'text/plain')).toBe(text);
      }),
    );
  });

  it('never fails, whatever the bytes and the content-type', () => {
    const label = fc.constantFrom('', 'euc-kr', 'utf-8', 'utf-16', 'shift_jis', 'latin1', '\u0000');
    fc.assert(
      fc.property(fc.uint8Array(), label, (bytes, charset) => {
        expect(toUtf8(Buffer.from(bytes), `text/plain;charset=${charset}`)).toBeInstanceOf(Buffer);
      }),
    );
  });
});
