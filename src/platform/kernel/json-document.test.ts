import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { JsonDocument, type Place, ROOT } from './json-document.ts';

const read = (json: string): JsonDocument => new JsonDocument(Buffer.from(json));

function isAccepted(json: string): boolean {
  try {
    read(json);
    return true;
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Expects that every value of a document, found by name, is the one that JSON.parse returns. */
function expectSame(document: JsonDocument, place: Place, value: unknown): void {
  expect(document.value(place)).toEqual(value);
  if (typeof value !== 'object' || value === null) return;
  expect(document.kind(place)).toBe(Array.isArray(value) ? 'array' : 'object');
  expect(document.count(place)).toBe(Object.keys(value).length);
  for (const [name, child] of Object.entries(value)) {
    expectSame(document, document.child(place, name) ?? -1, child);
  }
}

const printed = fc
  .tuple(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 1, '\t\r\n'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe('a JSON document', () => {
  it('finds every value that JSON.parse returns', () => {
    fc.assert(fc.property(printed, (json) => expectSame(read(json), ROOT, JSON.parse(json))));
  });

  it('accepts exactly the texts that JSON.parse accepts, even with one character changed', () => {
    const alphabet = [
      ...'{}[]",:\\/ue+-.01a tfn\t\n\u0000\u007f',
      ' ',
      '\ufeff',
      '한',
      'null',
      'true',
    ];
    fc.assert(
      fc.property(
        printed,
        fc.nat(),
        fc.constantFrom(0, 1, 2),
        fc.constantFrom(...alphabet, ''),
        (json, position, removed, inserted) => {
          const at = position % (json.length + 1);
          const text = json.slice(0, at) + inserted + json.slice(at + removed);
          expect(isAccepted(text), text).toBe(isJson(text.toWellFormed()));
        },
      ),
      { numRuns: MANY_RUNS },
    );
  });

  it.each([
    ...[
      '',
      ' ',
      '[',
      '{',
      '[1,]',
      '[,1]',
      '{"a":1,}',
      '{"a"}',
      '{"a":}',
      '{a:1}',
      "['a']",
      '[1 2]',
    ],
    ...[
      '01',
      '-',
      '-01',
      '1.',
      '.5',
      '1e',
      '1e+',
      '+1',
      '0x1',
      'tru',
      'truee',
      'nul',
      'NaN',
      '1 1',
    ],
    ...[
      '"',
      '"\\',
      '"\\x"',
      '"\\u12"',
      '"\\u12g4"',
      '"\n"',
      '"\t"',
      '[]]',
      '{}}',
      '[}',
      '{]',
      '\v1',
    ],
    ...['0', '-0', '1.50', '1E5', '1e-5', '""', '"\\u0000\\/\\""', ' [ ] ', '{ }', '{"":{"":[]}}'],
  ])('accepts or rejects %j as JSON.parse does', (text) => {
    expect(isAccepted(text)).toBe(isJson(text));
  });

  it('preserves the original text of a value', () => {
    const json = ' { "a" : [ 1.50 , {"b" : "x\\"]}" } ] }\n';
    const document = read(json);
    const a = document.child(ROOT, 'a') ?? -1;
    expect(json.slice(document.start(a), document.end(a))).toBe('[ 1.50 , {"b" : "x\\"]}" } ]');
  });

  it('uses the last of two equal keys and decodes escaped keys', () => {
    const document = read('{"a":1,"\\u0061":2,"__proto__":3}');
    expect(document.value(document.child(ROOT, 'a') ?? -1)).toBe(2);
    expect(document.value(document.child(ROOT, '__proto__') ?? -1)).toBe(3);
    expect(document.child(ROOT, '\\u0061')).toBeUndefined();
    expect(document.child(ROOT, 'constructor')).toBeUndefined();
  });

  it('finds a member by its name however the key is spelled', () => {
    const entries = fc.uniqueArray(fc.tuple(visibleText(), fc.boolean()), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(entries, fc.string(), (members, other) => {
        const keys = members.map(([name, isSpelledOut]) =>
          isSpelledOut ? spelledOut(name) : JSON.stringify(name),
        );
        const document = read(`{${keys.map((key, index) => `${key}:${index}`).join(',')}}`);
        for (const [index, [name]] of members.entries()) {
          expect(document.value(document.child(ROOT, name) ?? -1)).toBe(index);
        }
        const isKnown = members.some(([name]) => name === other);
        expect(document.child(ROOT, other) !== undefined).toBe(isKnown);
      }),
    );
  });

  it('sees whether an array has an element that is neither an object nor an array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
        expect(read(JSON.stringify(values)).hasScalar(ROOT)).toBe(values.some(isScalar));
      }),
    );
  });

  it('finds elements only by index', () => {
    const document = read('[[],{"a":[1]},"x"]');
    expect(document.value(document.child(ROOT, '1') ?? -1)).toEqual({ a: [1] });
    for (const name of ['3', '-1', '01', 'length', '']) {
      expect(document.child(ROOT, name)).toBeUndefined();
    }
  });

  it('reads deep and long documents without exhausting stack or table', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(read(deep).end(ROOT)).toBe(200_000);
    const long = read(JSON.stringify(Array.from({ length: 50_000 }, (_, index) => index)));
    expect(long.value(long.child(ROOT, '49999') ?? -1)).toBe(49_999);
  });

  it('cannot be read after a later document', () => {
    const earlier = read('[1]');
    expect(isAccepted('[')).toBe(false);
    expect(() => earlier.kind(ROOT)).toThrow('later document');
  });
});

/** A JSON string in which every character is escaped. */
const spelledOut = (text: string): string =>
  `"${text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
