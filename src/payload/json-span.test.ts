import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spanAt } from './json-span.ts';

const at = (json: string, ...path: string[]): string => {
  const bytes = Buffer.from(json);
  const { start, end } = spanAt(bytes, path);
  return bytes.toString('utf8', start, end);
};

describe('spanAt', () => {
  it('finds the bytes of members and elements as they were written', () => {
    const json = ' { "a" : [ 1.50 , {"b" : "x\\"]}" } ] , "c":{ } }\n';
    expect(at(json)).toBe(json.trim());
    expect(at(json, 'a')).toBe('[ 1.50 , {"b" : "x\\"]}" } ]');
    expect(at(json, 'a', '0')).toBe('1.50');
    expect(at(json, 'a', '1', 'b')).toBe('"x\\"]}"');
    expect(at(json, 'c')).toBe('{ }');
  });

  it('takes the last of two equal keys, as JSON.parse does, and reads escaped keys', () => {
    expect(at('{"a":1,"\\u0061":2}', 'a')).toBe('2');
    expect(at('{"":{"한":true}}', '', '한')).toBe('true');
  });

  it('throws for a value that is not there', () => {
    expect(() => at('{"a":[]}', 'a', '0')).toThrow('no value at /a/0');
  });

  it('does not run out of stack on deep nesting', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(at(deep, 'a')).toHaveLength(200_000);
  });

  it('agrees with JSON.parse about every value of any document', () => {
    fc.assert(
      fc.property(
        fc.json({ noUnicodeString: false }),
        fc.constantFrom(undefined, 1, '\t'),
        (text, indent) => {
          const json = JSON.stringify(JSON.parse(text), null, indent);
          for (const [path, value] of values(JSON.parse(json))) {
            expect(JSON.parse(at(json, ...path))).toEqual(value);
          }
        },
      ),
    );
  });
});

function* values(value: unknown, path: string[] = []): Generator<[string[], unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* values(child, [...path, key]);
}
