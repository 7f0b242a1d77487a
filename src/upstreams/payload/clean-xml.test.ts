import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanXml } from './clean-xml.ts';
import { readXml } from './read-xml.ts';
import { foldXml } from './xml-fold.ts';

const read = (xml: string): unknown => readXml(Buffer.from(xml)).value(0);

describe('cleanXml', () => {
  it.each([
    ['a control character', '<a>x\u0001y\u001fz</a>', '<a>x y z</a>'],
    ['a trailing NUL', '<a>1</a>\0\0', '<a>1</a>  '],
    ['a bare &', '<a>R&D & co &; &#; &#x;</a>', '<a>R&amp;D &amp; co &amp;; &amp;#; &amp;#x;</a>'],
    ['an unknown entity', '<a>&middot;&constructor;</a>', '<a>&amp;middot;&amp;constructor;</a>'],
    ['&nbsp;', '<a>x&nbsp;y</a>', '<a>x\u00a0y</a>'],
    ['a reference to a forbidden character', '<a>x&#0;y&#x1f;z&#xffff;</a>', '<a>x y z </a>'],
    ['a reference beyond Unicode', '<a>x&#x110000;y&#99999999;</a>', '<a>x y </a>'],
    ['& in an attribute', '<a b="?x=1&y=2"/>', '<a b="?x=1&amp;y=2"/>'],
  ])('repairs %s', (_, xml, clean) => {
    expect(cleanXml(xml)).toBe(clean);
    expect(cleanXml(clean)).toBe(clean);
  });

  it.each([
    '<a>&amp;&lt;&gt;&quot;&apos;&#44032;&#xAC01;&#9;</a>',
    '<a><![CDATA[R&D &nbsp;]]></a>',
    '<!-- R&D --><a/>',
    '<?php echo a&b ?><a/>',
    '<a><![CDATA[never & closed</a>',
    '<a>\t\r\n</a>',
  ])('leaves %s as it is', (xml) => {
    expect(cleanXml(xml)).toBe(xml);
  });

  it('repairs what stands between verbatim parts', () => {
    const xml = '<a>&<![CDATA[&]]>&<!--&-->&<b/>&<![CDATA[&]]></a>';
    expect(cleanXml(xml)).toBe('<a>&amp;<![CDATA[&]]>&amp;<!--&-->&amp;<b/>&amp;<![CDATA[&]]></a>');
  });

  it('takes time in proportion to the text', () => {
    const startMs = performance.now();
    for (const part of ['&', '<![CDATA[', '<!--', '&#x', '<', '<!--&-->&', ']]>&']) {
      cleanXml(part.repeat(200_000));
    }
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});

describe('readXml', () => {
  const text = fc
    .string({ unit: 'grapheme' })
    .map((value) => value.replace(/[\p{Cc}\u2028\u0085<>&]/gu, '').trim())
    .filter((value) => value.isWellFormed());
  const fault = fc.constantFrom('&', '& ', '\u0000', '\u0008', '\u001b', '&nbsp;', '&;', 'R&D');

  it('reads good XML as it is', () => {
    const good = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.tuple(text, text)).map((rows) => xmlOf(rows.map((row) => row.join('&amp;')))),
    );
    fc.assert(
      fc.property(good, (xml) => {
        let expected: unknown;
        try {
          expected = JSON.parse(JSON.stringify(foldXml(xml)));
        } catch {
          return;
        }
        expect(read(xml)).toEqual(expected);
      }),
    );
  });

  it('loses no text around faults', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fault, text), { minLength: 1 }), (rows) => {
        const spoken = rows.map(([before, wrong, after]) => {
          const shown = wrong === '&nbsp;' ? '\u00a0' : wrong.replace(/\p{Cc}/gu, ' ');
          return `${before}${shown}${after}`.trim();
        });
        const xml = `${xmlOf(rows.map((row) => row.join('')))}\0`;
        const value = read(xml) as { r: { c: string | string[] } };
        expect([value.r.c].flat()).toEqual(spoken);
      }),
    );
  });

  it('reads XML after a control character', () => {
    expect(read('\0\u0001<?xml version="1.0"?><a>1</a>\0')).toEqual({ a: '1' });
  });

  it('refuses with the same error as before what cannot be repaired', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (xml) => {
        const original = errorOf(() => foldXml(xml));
        const error = errorOf(() => read(xml));
        if (error !== undefined) expect(String(error)).toBe(String(original));
      }),
    );
    for (const xml of ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b; & </a>', '<html>&nbsp;</html>']) {
      expect(String(errorOf(() => read(xml)))).toBe(String(errorOf(() => foldXml(xml))));
    }
  });
});

const xmlOf = (cells: readonly string[]): string =>
  `<r>${cells.map((cell) => `<c>${cell}</c>`).join('')}</r>`;

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
