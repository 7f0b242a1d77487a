import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldXml, type XmlNode } from './xml-fold.ts';

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
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), xmlLike), (text) => {
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
const text = fc
  .string({ unit: 'grapheme' })
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
