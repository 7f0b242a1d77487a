import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import {
  percentEncode,
  STYLE_RULES,
  type StyleRule,
  type ValueStyle,
  writeDeepObject,
  writeStyle,
} from './write-style.ts';

const EMPTY = '';
const TEXT = 'blue';
const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

/** The table "Style Examples" of OpenAPI 3.1, with RFC 6570's delimiters. */
const TABLE: readonly (readonly [string, StyleRule, boolean, unknown, string])[] = [
  ['matrix', STYLE_RULES.matrix, false, EMPTY, ';color'],
  ['matrix', STYLE_RULES.matrix, false, TEXT, ';color=blue'],
  ['matrix', STYLE_RULES.matrix, false, LIST, ';color=blue,black,brown'],
  ['matrix', STYLE_RULES.matrix, false, OBJECT, ';color=R,100,G,200,B,150'],
  ['matrix', STYLE_RULES.matrix, true, EMPTY, ';color'],
  ['matrix', STYLE_RULES.matrix, true, TEXT, ';color=blue'],
  ['matrix', STYLE_RULES.matrix, true, LIST, ';color=blue;color=black;color=brown'],
  ['matrix', STYLE_RULES.matrix, true, OBJECT, ';R=100;G=200;B=150'],
  ['label', STYLE_RULES.label, false, EMPTY, '.'],
  ['label', STYLE_RULES.label, false, TEXT, '.blue'],
  ['label', STYLE_RULES.label, false, LIST, '.blue,black,brown'],
  ['label', STYLE_RULES.label, false, OBJECT, '.R,100,G,200,B,150'],
  ['label', STYLE_RULES.label, true, EMPTY, '.'],
  ['label', STYLE_RULES.label, true, TEXT, '.blue'],
  ['label', STYLE_RULES.label, true, LIST, '.blue.black.brown'],
  ['label', STYLE_RULES.label, true, OBJECT, '.R=100.G=200.B=150'],
  ['simple', STYLE_RULES.simple, false, EMPTY, ''],
  ['simple', STYLE_RULES.simple, false, TEXT, 'blue'],
  ['simple', STYLE_RULES.simple, false, LIST, 'blue,black,brown'],
  ['simple', STYLE_RULES.simple, false, OBJECT, 'R,100,G,200,B,150'],
  ['simple', STYLE_RULES.simple, true, EMPTY, ''],
  ['simple', STYLE_RULES.simple, true, TEXT, 'blue'],
  ['simple', STYLE_RULES.simple, true, LIST, 'blue,black,brown'],
  ['simple', STYLE_RULES.simple, true, OBJECT, 'R=100,G=200,B=150'],
  ['form', STYLE_RULES.form, false, EMPTY, 'color='],
  ['form', STYLE_RULES.form, false, TEXT, 'color=blue'],
  ['form', STYLE_RULES.form, false, LIST, 'color=blue,black,brown'],
  ['form', STYLE_RULES.form, false, OBJECT, 'color=R,100,G,200,B,150'],
  ['form', STYLE_RULES.form, true, EMPTY, 'color='],
  ['form', STYLE_RULES.form, true, TEXT, 'color=blue'],
  ['form', STYLE_RULES.form, true, LIST, 'color=blue&color=black&color=brown'],
  ['form', STYLE_RULES.form, true, OBJECT, 'R=100&G=200&B=150'],
  ['spaceDelimited', STYLE_RULES.spaceDelimited, false, LIST, 'color=blue%20black%20brown'],
  [
    'spaceDelimited',
    STYLE_RULES.spaceDelimited,
    false,
    OBJECT,
    'color=R%20100%20G%20200%20B%20150',
  ],
  ['pipeDelimited', STYLE_RULES.pipeDelimited, false, LIST, 'color=blue%7Cblack%7Cbrown'],
  ['pipeDelimited', STYLE_RULES.pipeDelimited, false, OBJECT, 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['cookie form', STYLE_RULES.cookie, false, LIST, 'color=blue,black,brown'],
  ['cookie form', STYLE_RULES.cookie, true, LIST, 'color=blue; color=black; color=brown'],
];

const EXPLODED_FORM: ValueStyle = { rule: STYLE_RULES.form, explode: true, encode: percentEncode };

describe('writing a value in a style', () => {
  it.each(TABLE)('%s writes %#', (_, rule, explode, value, expected) => {
    expect(writeStyle({ rule, explode, encode: percentEncode }, 'color', value)).toBe(expected);
  });

  it('writes a deep object with a bracketed key for each property', () => {
    expect(writeDeepObject('color', OBJECT, percentEncode)).toBe(
      'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    );
  });

  it('adds brackets for nested objects and repeats the key for arrays', () => {
    expect(writeDeepObject('q', { a: { b: 1 }, c: ['x', 'y'] }, percentEncode)).toBe(
      'q%5Ba%5D%5Bb%5D=1&q%5Bc%5D=x&q%5Bc%5D=y',
    );
  });

  it('writes nothing for an empty array, an empty object, or members that are all null', () => {
    for (const value of [[], {}, [null], { a: null }]) {
      expect(writeStyle(EXPLODED_FORM, 'color', value)).toBeUndefined();
    }
    expect(writeDeepObject('color', {}, percentEncode)).toBeUndefined();
  });

  it('writes objects in an array as JSON', () => {
    expect(writeStyle(EXPLODED_FORM, 'q', [{ a: 1 }])).toBe('q=%7B%22a%22%3A1%7D');
  });

  it('writes any array in exploded form so that URLSearchParams reads the same array', () => {
    const text = visibleText();
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (items) => {
        const query = writeStyle(EXPLODED_FORM, 'q', items) ?? '';
        expect(new URLSearchParams(query).getAll('q')).toEqual(items);
      }),
    );
  });
});
