import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentEncode } from './percent-encode.ts';
import {
  COOKIE,
  FORM,
  LABEL,
  MATRIX,
  PIPE_DELIMITED,
  SIMPLE,
  SPACE_DELIMITED,
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
  ['matrix', MATRIX, false, EMPTY, ';color'],
  ['matrix', MATRIX, false, TEXT, ';color=blue'],
  ['matrix', MATRIX, false, LIST, ';color=blue,black,brown'],
  ['matrix', MATRIX, false, OBJECT, ';color=R,100,G,200,B,150'],
  ['matrix', MATRIX, true, EMPTY, ';color'],
  ['matrix', MATRIX, true, TEXT, ';color=blue'],
  ['matrix', MATRIX, true, LIST, ';color=blue;color=black;color=brown'],
  ['matrix', MATRIX, true, OBJECT, ';R=100;G=200;B=150'],
  ['label', LABEL, false, EMPTY, '.'],
  ['label', LABEL, false, TEXT, '.blue'],
  ['label', LABEL, false, LIST, '.blue,black,brown'],
  ['label', LABEL, false, OBJECT, '.R,100,G,200,B,150'],
  ['label', LABEL, true, EMPTY, '.'],
  ['label', LABEL, true, TEXT, '.blue'],
  ['label', LABEL, true, LIST, '.blue.black.brown'],
  ['label', LABEL, true, OBJECT, '.R=100.G=200.B=150'],
  ['simple', SIMPLE, false, EMPTY, ''],
  ['simple', SIMPLE, false, TEXT, 'blue'],
  ['simple', SIMPLE, false, LIST, 'blue,black,brown'],
  ['simple', SIMPLE, false, OBJECT, 'R,100,G,200,B,150'],
  ['simple', SIMPLE, true, EMPTY, ''],
  ['simple', SIMPLE, true, TEXT, 'blue'],
  ['simple', SIMPLE, true, LIST, 'blue,black,brown'],
  ['simple', SIMPLE, true, OBJECT, 'R=100,G=200,B=150'],
  ['form', FORM, false, EMPTY, 'color='],
  ['form', FORM, false, TEXT, 'color=blue'],
  ['form', FORM, false, LIST, 'color=blue,black,brown'],
  ['form', FORM, false, OBJECT, 'color=R,100,G,200,B,150'],
  ['form', FORM, true, EMPTY, 'color='],
  ['form', FORM, true, TEXT, 'color=blue'],
  ['form', FORM, true, LIST, 'color=blue&color=black&color=brown'],
  ['form', FORM, true, OBJECT, 'R=100&G=200&B=150'],
  ['spaceDelimited', SPACE_DELIMITED, false, LIST, 'color=blue%20black%20brown'],
  ['spaceDelimited', SPACE_DELIMITED, false, OBJECT, 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', PIPE_DELIMITED, false, LIST, 'color=blue%7Cblack%7Cbrown'],
  ['pipeDelimited', PIPE_DELIMITED, false, OBJECT, 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['cookie form', COOKIE, false, LIST, 'color=blue,black,brown'],
  ['cookie form', COOKIE, true, LIST, 'color=blue; color=black; color=brown'],
];

const EXPLODED_FORM: ValueStyle = { rule: FORM, explode: true, encode: percentEncode };

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
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (items) => {
        const query = writeStyle(EXPLODED_FORM, 'q', items) ?? '';
        expect(new URLSearchParams(query).getAll('q')).toEqual(items);
      }),
    );
  });
});
