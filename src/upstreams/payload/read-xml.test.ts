import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, visibleText } from '../../../test/support/arbitrary-text.ts';
import { cleanXml, foldXml, readXml, type XmlNode } from './read-xml.ts';

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
  const text = visibleText()
    .map((value) => value.replace(/[\p{Cc}\u2028\u0085<>&]/gu, '').trim())
    .filter((value) => value.isWellFormed());
  const fault = fc.constantFrom('&', '& ', '\u0000', '\u0008', '\u001b', '&nbsp;', '&;', 'R&D');

  it('reads good XML as it is', () => {
    const good = fc.oneof(
      anyText(),
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
      fc.property(anyText(), (xml) => {
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

const folded = (xml: string): unknown => JSON.parse(JSON.stringify(foldXml(xml)));

describe('foldXml', () => {
  it.each([
    ['<a>1</a>', { a: '1' }],
    ['<a/>', { a: '' }],
    ['<a> 007 </a>', { a: '007' }],
    ['<a x="1" y=" 2 "/>', { a: { '@x': '1', '@y': ' 2 ' } }],
    ['<a x="1">text</a>', { a: { '@x': '1', '#text': 'text' } }],
    ['<a>one<b>two</b> three</a>', { a: { b: 'two', '#text': 'one three' } }],
    ['<a><![CDATA[ <b> & ]]></a>', { a: '<b> &' }],
    ['<a><![CDATA[]]></a>', { a: '' }],
    ['<a><b>1</b><b>2</b><b/></a>', { a: { b: ['1', '2', ''] } }],
    ['<a><b>1</b><c>2</c><b>3</b></a>', { a: { b: ['1', '3'], c: '2' } }],
    ['<a>&#44032;&#xAC01;&lt;&amp;&gt;&quot;&apos;</a>', { a: `가각<&>"'` }],
    ['<가격 단위="원">1,000</가격>', { 가격: { '@단위': '원', '#text': '1,000' } }],
    [
      '<s:a xmlns:s="urn:x" xmlns="urn:y"><s:b s:c="1"/></s:a>',
      { 's:a': { 's:b': { '@s:c': '1' } } },
    ],
    ['<!-- c --><?p i?><a><!-- c -->1<?p i?></a>', { a: '1' }],
  ])('folds %s', (xml, expected) => {
    expect(folded(xml)).toEqual(expected);
  });

  it.each([
    ['<items/>', { items: { item: [] } }],
    ['<items>\n</items>', { items: { item: [] } }],
    ['<items total="0"/>', { items: { '@total': '0', item: [] } }],
    ['<items><item>1</item></items>', { items: { item: ['1'] } }],
    ['<items><item/><item/></items>', { items: { item: ['', ''] } }],
    ['<items>none</items>', { items: 'none' }],
    ['<items><row/></items>', { items: { row: '' } }],
    ['<list><item>1</item></list>', { list: { item: '1' } }],
  ])('always makes items.item an array: %s', (xml, expected) => {
    expect(folded(xml)).toEqual(expected);
  });

  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'toJSON',
    'hasOwnProperty',
    'length',
  ])('treats an element called %s like any other', (name) => {
    const once = foldXml(`<a><${name}>1</${name}></a>`);
    expect(JSON.stringify(once)).toBe(`{"a":{"${name}":"1"}}`);
    const twice = foldXml(`<a><${name}>1</${name}><${name} p="2"/></a>`);
    expect(JSON.stringify(twice)).toBe(`{"a":{"${name}":["1",{"@p":"2"}]}}`);
    expect(JSON.stringify(foldXml(`<${name}/>`))).toBe(`{"${name}":""}`);
    expect(({} as Record<string, unknown>)['p']).toBeUndefined();
  });

  it.each([
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an entity definition', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an external entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
    ['an unknown entity', '<a>&nbsp;</a>'],
    ['an entity named like an inherited property', '<a>&constructor;</a>'],
    ['a character that XML forbids', '<a>&#0;</a>'],
    ['truncated text', '<a><b>1</b>'],
    ['mismatched tags', '<a><b></a></b>'],
    ['two roots', '<a/><b/>'],
    ['text after the root', '<a/>b'],
    ['an attribute given twice', '<a x="1" x="2"/>'],
    ['an HTML page', '<html><body>Blocked</body></html>'],
    ['a script instead of a response', "<script>alert('error')</script>"],
    ['an empty text', ''],
  ])('refuses %s', (_, xml) => {
    expect(() => foldXml(xml)).toThrow();
  });

  it('refuses nesting beyond 200 levels', () => {
    const nest = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels);
    expect(() => foldXml(nest(200))).not.toThrow();
    expect(() => foldXml(nest(201))).toThrow('nested too deeply');
  });

  it('either folds a string or throws an Error', () => {
    const xmlLike = fc.string({
      unit: fc.constantFrom(
        '<',
        '>',
        '/',
        'a',
        '&',
        ';',
        '"',
        '=',
        ' ',
        '!',
        '[',
        ']',
        '-',
        '?',
        '#',
      ),
    });
    fc.assert(
      fc.property(fc.oneof(anyText(), xmlLike), (text) => {
        try {
          expect(typeof foldXml(text)).toBe('object');
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  it('restores any tree from the XML that is written from it', () => {
    fc.assert(
      fc.property(tree, (root) => {
        expect(JSON.stringify(foldXml(write('root', root)))).toBe(JSON.stringify({ root }));
      }),
    );
  });
});

const name = fc.oneof(
  fc.stringMatching(/^[a-z가-힣][a-z0-9._-]{0,8}$/).filter((word) => word !== 'items'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'item'),
);
const text = visibleText()
  .map((value) => value.replace(/[\p{Cc}\u2028\u0085]/gu, '').trim())
  .filter((value) => value.isWellFormed());

/** Objects of named text, objects and arrays of at least two. */
const { tree } = fc.letrec<{ tree: XmlNode; node: XmlNode | XmlNode[] }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc
      .array(fc.tuple(name, tie('node')), { minLength: 1, maxLength: 5 })
      .map((entries): XmlNode => Object.fromEntries(entries)),
  ),
  node: fc.oneof(tie('tree'), fc.array(tie('tree'), { minLength: 2, maxLength: 4 })),
}));

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function write(element: string, node: XmlNode | XmlNode[]): string {
  if (Array.isArray(node)) return node.map((each) => write(element, each)).join('');
  const inner =
    typeof node === 'string'
      ? escaped(node)
      : Object.entries(node)
          .map(([key, value]) => write(key, value))
          .join('\n');
  return `<${element}>${inner}</${element}>`;
}
