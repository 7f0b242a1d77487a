import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerText } from '../../../test/support/compile-text.ts';
import { compilePattern } from '../request/compile-pattern.ts';
import { translatePattern } from './translate-pattern.ts';

describe('translatePattern', () => {
  it.each([
    ['/^\\d{5}$/', '12345', '1234'],
    ['/^[a-z]+$/i', 'aBc', 'a1'],
    ['/[A-Z]{2}\\d/', 'AB1', 'ab1'],
    ['#^a/b$#u', 'a/b', 'a-b'],
    ['/^a\\/b$/D', 'a/b', 'ab'],
    ['/a|b/A', 'bc', 'cb'],
    ['\\A\\d+\\z', '12', '12a'],
    ['\\A\\d+\\Z', '12', 'a12'],
    ['^[[:alpha:]]+$', 'abc', 'ab1'],
    ['^[^[:space:][:punct:]_]+$', 'ab1', 'a b'],
    ['^[:digit:]+$', '12', ':'],
    ['(?i)^abc|d$', 'xD', 'x'],
    ['^a(?i)b|^c', 'C', 'A'],
    ['^(?:a(?i)b)c$', 'aBc', 'aBC'],
    ['^(?i:a)b$', 'Ab', 'AB'],
    ['(?s)^a.b$', 'a\nb', 'ab'],
    ['(?x)^ a  b # no blanks\n $', 'ab', 'a  b'],
    ['^(?P<y>\\d\\d)-(?P=y)$', '12-12', '12-13'],
    ["^(?'y'\\d)\\k'y'$", '11', '12'],
    ['^(a)\\g{1}$', 'aa', 'ab'],
    ['^(?>a+)b$', 'aab', 'aa'],
    ['^(?>a|ab)c$', 'ac', 'abc'],
    ['^a++b$', 'aab', 'b'],
    ['^(?:ab)*+c$', 'ababc', 'aba'],
    ['^"[^"]*+"$', '"a"', '"a'],
    ['^\\pL+$', 'é', '1'],
    ['^\\p{^L}$', '1', 'a'],
    ['^\\p{IsHangul}+$', '한글', 'abc'],
    ['^\\p{Han}+$', '漢字', 'abc'],
    ['^\\p{Punct}$', '!', 'a'],
    ['^[\\p{L}\\-\\_ ]+$', 'é-_ ', '1'],
    ['^\\p{L}{2}]$', 'éa]', 'é]'],
    ['^\\Qa.b\\E+$', 'a.bb', 'acb'],
    ['^\\x{263A}$', '☺', 'x'],
    ['^a{,3}$', 'aaa', 'aaaa'],
    ['^(?#note)a$', 'a', 'b'],
  ])('reads %s', (written, good, bad) => {
    const translated = translatePattern(written);
    const pattern = 'pattern' in translated ? translated.pattern : undefined;
    expect(pattern).not.toBe('^(?i:a)b$' === written ? '' : written);
    const expression = compilePattern(pattern ?? '(');
    expect([good, bad].map((text) => expression?.test(text))).toEqual([true, false]);
  });

  it.each([
    '\\h+',
    '\\Ka',
    '^a\\G',
    '(?R)',
    '^(a(?1)?b)$',
    '(?(1)a|b)',
    '(?|a|b)',
    '(*UTF8)a',
    '[a-z&&[^aeiou]]',
    '[a-z-[aeiou]]',
    '[[:^alpha:]]',
    '[[.hyphen.]]',
    '(?n)a',
    '\\p{InGreek}',
    '\\p{javaLetter}',
    '(a)\\1b++',
  ])('says what it cannot read in %s', (written) => {
    const translated = translatePattern(written);
    expect(translated).toHaveProperty('foreign', expect.stringMatching(/./));
  });

  it.each([
    '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
    '^\\/api\\/v1',
    '/v1/',
    '/a/b',
    '^(?!foo)(?<n>a)\\k<n>(?<=a)(?<!b)[^]]*?$',
    '^[[:\\w]$',
    '[\\w-[\\]]',
    '\\p{Script=Greek}\\u{1F600}',
    '^#[0-9a-f]{6}$',
    '(a)\\1',
    '^(?:\\p{1,200})+$',
    '^[!#$%&*+/=?^_{|}~-]+$',
    '\\cA\\x41\\u0041\\0',
  ])('leaves %s of ECMAScript as it is', (pattern) => {
    expect(translatePattern(pattern)).toEqual({ pattern });
  });

  it('leaves every pattern that ECMAScript has no other words for as it is', () => {
    const atom = fc.constantFrom(
      'a',
      '.',
      '\\d',
      '[a-z]',
      '[^\\s\\]]',
      '\\.',
      '^',
      '$',
      '\\b',
      'é',
      '-',
    );
    const count = fc.constantFrom('', '*', '+?', '?', '{2}', '{1,3}?');
    const { pattern } = fc.letrec<{ pattern: string; group: string; atom: string }>((tie) => ({
      atom,
      group: fc
        .tuple(fc.constantFrom('(', '(?:', '(?=', '(?<!'), tie('pattern'))
        .map(([open, inner]) => `${open}${inner})`),
      pattern: fc
        .array(fc.tuple(fc.oneof({ maxDepth: 3 }, tie('atom'), tie('group')), count), {
          maxLength: 4,
        })
        .map((parts) => parts.map((part) => part.join('')).join('')),
    }));
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), (alternatives) => {
        const written = alternatives.join('|');
        expect(translatePattern(written)).toEqual({ pattern: written });
      }),
    );
  });

  it('gives a pattern or a reason for any text, in time', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '(?',
        '(',
        ')',
        '[',
        ']',
        '[:',
        '\\',
        '\\Q',
        '(?i)',
        '++',
        '{,',
        '|',
        '/',
        '^',
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const translated = translatePattern(pieces.join(''));
        expect(Object.values(translated)).toEqual([expect.any(String)]);
      }),
    );
  });

  it('is told to the author of a description, and strict patterns stay', async () => {
    const register = async (pattern: string) => {
      const schema = { type: 'string', pattern };
      const { api, operations } = await registerText(
        JSON.stringify({
          openapi: '3.1.0',
          info: { title: 'Patterns' },
          servers: [{ url: 'https://api.example.com' }],
          paths: {
            '/a': {
              get: { operationId: 'read', parameters: [{ name: 'z', in: 'query', schema }] },
            },
          },
        }),
      );
      const [tool] = api.tools;
      const properties = tool?.inputSchema['properties'] as Record<string, { pattern?: string }>;
      return [properties['z']?.pattern, operations[0]?.reason];
    };
    expect(await register('^\\d+$')).toEqual(['^\\d+$', null]);
    expect(await register('\\A\\d+\\z')).toEqual([
      '^\\d+$',
      expect.stringContaining('translated to ^\\d+$'),
    ]);
    expect(await register('^\\h$')).toEqual([
      undefined,
      expect.stringContaining('no equivalent of "\\\\h"'),
    ]);
  });
});
