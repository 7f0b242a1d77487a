import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import type { HiddenSecret } from '../../tools/tool-connection.ts';
import { redactorFor } from './redact-secrets.ts';

const KEY = 'Ab3dEf+GhIjKl/n0Pq==';

const hidden = (value: string, more: Partial<HiddenSecret> = {}): readonly HiddenSecret[] => [
  { value, name: 'serviceKey', in: 'query', prefix: '', ...more },
];

/** The JSON text after redaction, which must still be valid. */
function redactJson(json: string, secrets: readonly HiddenSecret[] = hidden(KEY)): string {
  const redacted = redactorFor(secrets).json(Buffer.from(json)).toString();
  JSON.parse(redacted);
  return redacted;
}

const redactValue = (text: string, secrets = hidden(KEY)): string =>
  JSON.parse(redactJson(JSON.stringify({ text }), secrets)).text;

const eachCharacter = (text: string, write: (character: string) => string): string =>
  [...text].map(write).join('');
const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const percentAll = (text: string) => eachCharacter(text, (character) => `%${hexOf(character)}`);
/** Both halves of a surrogate pair. */
const unicodeAll = (text: string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('every form of a secret', () => {
  const once = encodeURIComponent(KEY);
  test.each([
    ['unchanged', KEY],
    ['percent-encoded', once],
    ['percent-encoded in lower case', once.replace(/%../g, (code) => code.toLowerCase())],
    ['percent-encoded in part', KEY.replace('+', '%2b')],
    ['percent-encoded in every character', percentAll(KEY)],
    ['percent-encoded twice', encodeURIComponent(once)],
    ['percent-encoded twice in every character', percentAll(percentAll(KEY))],
    ['percent-encoded three times', encodeURIComponent(encodeURIComponent(once))],
    ['form-encoded', new URLSearchParams({ '': KEY }).toString().slice(1)],
    ['form-decoded', KEY.replaceAll('+', ' ')],
    ['with an escaped slash in a JSON text', KEY.replace('/', '\\/')],
    ['in JavaScript escapes', unicodeAll(KEY)],
    ['in upper-case JavaScript escapes', unicodeAll(KEY).replace('\\u002f', '\\u002F')],
    ['in short JavaScript escapes', KEY.replace('/', '\\x2F').replaceAll('=', '\\x3d')],
    ['in decimal references', eachCharacter(KEY, (c) => `&#${c.charCodeAt(0)};`)],
    ['in hexadecimal references', eachCharacter(KEY, (c) => `&#x00${hexOf(c)};`)],
    ['in upper-case references', eachCharacter(KEY, (c) => `&#X${hexOf(c).toUpperCase()};`)],
    ['percent-encoded in references', once.replaceAll('%', '&#37;')],
    ['in references within references', KEY.replace('+', '&amp;#43;')],
    [
      'in named references',
      KEY.replace('+', '&plus;').replace('/', '&sol;').replace('=', '&equals;'),
    ],
    ['with a slash escaped for HTML', KEY.replace('/', '&#x2F;')],
    ['in base64', base64(KEY)],
    ['in base64url', Buffer.from(KEY).toString('base64url')],
    ['in base64, percent-encoded', encodeURIComponent(base64(KEY))],
    ['in base64 as a password', base64(`user:${KEY}`)],
    ['in base64 as a user name', base64(`${KEY}:`)],
    ['in base64 within a longer text', base64(`x?key=${KEY}&page=1`)],
    ['in base64 within an address', base64(`GET /?key=${once}&page=1`)],
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
    ['in upper-case hexadecimal', Buffer.from(KEY).toString('hex').toUpperCase()],
  ])('is redacted: %s', (_, form) => {
    const redacted = redactValue(`before <${form}> after`);
    expect(redacted).toMatch(/^before <[\w/]*REDACTED\w*> after$/);
  });

  test('is redacted in escapes of the JSON itself', () => {
    expect(redactJson(`{"a":"${unicodeAll(KEY)}"}`)).toBe('{"a":"REDACTED"}');
    expect(redactJson(`{"a":"x${KEY.replace('/', '\\/')}y"}`)).toBe('{"a":"xREDACTEDy"}');
    expect(redactJson(`{"a":"${unicodeAll(encodeURIComponent(KEY))}"}`)).toBe('{"a":"REDACTED"}');
  });

  test('is redacted in keys, and every time it occurs', () => {
    expect(redactJson(`{"${KEY}":["${KEY}${KEY}",1]}`)).toBe('{"REDACTED":["REDACTEDREDACTED",1]}');
  });

  test('is redacted when it is a number', () => {
    const secrets = hidden('1234567890');
    expect(redactJson('[1234567890,-12345678901.5e3,{"a":1234567890}]', secrets)).toBe(
      '["REDACTED","REDACTED",{"a":"REDACTED"}]',
    );
    expect(redactJson('1234567890', secrets)).toBe('"REDACTED"');
  });

  test('leaves no part of an escape behind', () => {
    expect(
      redactJson(String.raw`["\"quoted\"key\"","\\quoted\"key\\"]`, hidden('quoted"key')),
    ).toBe(String.raw`["\"REDACTED\"","\\REDACTED\\"]`);
    // The last letter of an escape may equal the first letter of the secret.
    expect(redactJson(String.raw`["\nabcdefgh","\u00abcdefgh1"]`, hidden('nabcdefgh'))).toContain(
      '\\u00abcdefgh1',
    );
    redactJson(String.raw`["\nabcdefgh","\u00abcdefgh1"]`, hidden('bcdefgh1'));
  });
});

describe('a secret', () => {
  it('is not searched for across values', () => {
    const json = '["12345",67890,"abcde","fghij"]';
    expect(redactJson(json, hidden('12345",67890'))).toBe(json);
    expect(redactJson(json, hidden('abcde","fghij'))).toBe(json);
  });

  it('may contain characters that start escapes', () => {
    for (const secret of ['100%sure&safe', 'a\\b\\\\c\\u0041', '%41%42%43', '&amp;&lt;abc%']) {
      for (const text of [secret, encodeURIComponent(secret), unicodeAll(secret), `${secret}20;`]) {
        expect(redactValue(`<${text}>`, hidden(secret))).toContain('<REDACTED');
      }
    }
  });

  it('of only such characters is found, escaped or not', () => {
    const secret = `${'\\'.repeat(20)}end`;
    const before = '\\'.repeat(200);
    for (const text of [secret, secret.replaceAll('\\', '\\\\'), encodeURIComponent(secret)]) {
      expect(redactValue(`<${before}${text}>`, hidden(secret))).toMatch(/^<\W*REDACTED>$/);
    }
    expect(redactValue(`<${before}>`, hidden(secret))).toBe(`<${before}>`);
  });

  it('is found up to four decodings deep, and percent-encoded in what is decoded', () => {
    const encoded = (times: number): string =>
      times === 0 ? KEY : encodeURIComponent(encoded(times - 1));
    expect(redactValue(`<${encoded(5)}>`)).toBe('<REDACTED>');
    expect(redactValue(`<${encoded(6)}>`)).toBe(`<${encoded(6)}>`);
  });

  it('may be configured percent-encoded', () => {
    expect(redactValue(`<${KEY}>`, hidden(encodeURIComponent(KEY)))).toBe('<REDACTED>');
  });

  it('may contain characters beyond ASCII', () => {
    const secret = '열쇠는 여기에 é😀';
    const forms = [
      secret,
      encodeURIComponent(secret),
      eachCharacter(secret, (c) => `&#${c.codePointAt(0)};`),
      unicodeAll(secret),
      base64(secret),
    ];
    for (const form of forms) {
      expect(redactValue(`<${form}>`, hidden(secret))).toMatch(/^<REDACTED.{0,2}>$/);
    }
    expect(redactValue('<cl%E9-secr%e8te>', hidden('clé-secrète'))).toBe('<REDACTED>');
  });

  it('of user name and password is redacted as a whole and as the password alone', () => {
    const secrets = hidden('someone:pass/word', { prefix: 'Basic ', name: 'Authorization' });
    expect(redactValue('<pass/word>', secrets)).toBe('<REDACTED>');
    expect(redactValue(`<Basic ${base64('someone:pass/word')}>`, secrets)).toBe('<Basic REDACTED>');
    expect(redactValue(`<${base64('other:pass/word')}>`, secrets)).toMatch(/^<.*REDACTED.*>$/);
  });

  it('with a scheme is also redacted without it', () => {
    expect(redactValue('<abcdefgh12>', hidden('Bearer abcdefgh12'))).toBe('<REDACTED>');
  });

  it('may be one of several', () => {
    const secrets = [...hidden('first-key'), ...hidden('second-key')];
    expect(redactValue('second-key first%2Dkey', secrets)).toBe('REDACTED REDACTED');
  });

  test.each([
    [String.raw`0\u=\key`, String.raw`0\u005c\u00&#55;5=\u005ckey`],
    [String.raw`key-\"-key`, String.raw`key-\&#92;\&quot;-key`],
  ])(
    'with a backslash is redacted where some characters of its escapes are escaped again: %s',
    (secret, written) => {
      expect(redactValue(written, hidden(secret))).toBe('REDACTED');
    },
  );

  it('without a value is not searched for', () => {
    const json = Buffer.from('{"a":" "}');
    expect(redactorFor(hidden(' ')).json(json)).toBe(json);
    expect(redactorFor(undefined).json(json)).toBe(json);
  });
});

describe('a secret of fewer than 8 characters', () => {
  const short = hidden('abc', { name: 'key' });
  test.each([
    ['{"key":"abc"}', '{"key":"REDACTED"}'],
    ['{"KEY" : "a\\u0062c"}', '{"KEY" : "REDACTED"}'],
    ['{"a":"?key=abc&page=1"}', '{"a":"?key=REDACTED&page=1"}'],
    ['{"a":"?key=%61bc&page=1"}', '{"a":"?key=REDACTED&page=1"}'],
    ['{"a":"%26%6b%65%79%3D%61%62%63%26"}', '{"a":"%26%6b%65%79%3DREDACTED%26"}'],
    ['{"a":"?key%3Dabc%26page%3D1"}', '{"a":"?key%3DREDACTED%26page%3D1"}'],
    ['{"a":"{\\"key\\": \\"abc\\"}"}', '{"a":"{\\"key\\": \\"REDACTED\\"}"}'],
    ['{"a":"Key: abc"}', '{"a":"Key: REDACTED"}'],
    ['{"a":"<key>abc</key>"}', '{"a":"<key>REDACTED</key>"}'],
  ])('is redacted as the value of its parameter: %s', (json, expected) => {
    expect(redactJson(json, short)).toBe(expected);
  });

  test.each([
    '{"a":"abc"}',
    '{"key":"abcd"}',
    '{"key":["abc"]}',
    '{"a":"?keys=abc"}',
    '{"a":"?key=abcdef&other=abc"}',
    '{"a":"the key abc"}',
    '{"abc":"key"}',
  ])('is kept elsewhere: %s', (json) => {
    expect(redactJson(json, short)).toBe(json);
  });

  test('is redacted as a number, in a path, and after its scheme', () => {
    const numeric = hidden('1234', { name: 'key' });
    expect(redactJson('{"key":1234,"page":1234}', numeric)).toBe('{"key":"REDACTED","page":1234}');
    const inPath = hidden('abc', { name: 'key', in: 'path' });
    expect(redactJson('["http://host/abc/json","/abc","abc/d"]', inPath)).toBe(
      '["http://host/REDACTED/json","/REDACTED","abc/d"]',
    );
    const bearer = hidden('abc', { name: 'Authorization', in: 'header', prefix: 'Bearer ' });
    expect(
      redactJson('{"authorization":"Bearer abc","a":["Authorization: bearer abc"]}', bearer),
    ).toBe('{"authorization":"REDACTED","a":["Authorization: bearer REDACTED"]}');
    const basic = hidden('a:bc', { name: 'Authorization', in: 'header', prefix: 'Basic ' });
    expect(redactJson(`["Basic ${base64('a:bc')}","a:bc"]`, basic)).toBe(
      '["Basic REDACTED","a:bc"]',
    );
  });

  test('does not prevent the redaction of a longer one', () => {
    const both = [...hidden('abc', { name: 'key' }), ...hidden(KEY)];
    expect(redactValue(`key=abc ${KEY} key=abc`, both)).toBe('key=REDACTED REDACTED key=REDACTED');
  });
});

/** The encodings with which programs embed a text in another; each applies to some or all characters. */
const LAYERS: readonly ((text: string, some: (character: string) => boolean) => string)[] = [
  (text, some) =>
    eachCharacter(text, (character) =>
      some(character) || /[^\w.~-]/.test(character)
        ? [...Buffer.from(character)]
            .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
            .map((code) => (some(code) ? code.toUpperCase() : code))
            .join('')
        : character,
    ),
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
  (text, some) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/(?<!\\)\//g, (slash) => (some(slash) ? '\\/' : slash)),
  (text, some) =>
    eachCharacter(text, (character) =>
      some(character) || character < ' ' || /["\\]/.test(character)
        ? unicodeAll(character)
        : character,
    ),
  (text, some) =>
    eachCharacter(text, (character) => {
      const codePoint = character.codePointAt(0) ?? 0;
      if (!some(character) && !/[&<>"']/.test(character)) return character;
      return some(`#${character}`) ? `&#${codePoint};` : `&#x${codePoint.toString(16)};`;
    }),
];

const undoPercent = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
  );
const UNDO: readonly ((text: string) => string)[] = [
  undoPercent,
  (text) => undoPercent(text.replaceAll('+', ' ')),
  (text) =>
    text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, unit, letter) =>
      unit ? String.fromCharCode(Number.parseInt(unit, 16)) : letter,
    ),
  (text) =>
    text.replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (whole, hex, decimal) => {
      const codePoint = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return codePoint > 0x10ffff ? whole : String.fromCodePoint(codePoint);
    }),
];

/** Every result of up to three decodings of a text, in any order. */
function decodingsOf(text: string): Set<string> {
  const found = new Set([text]);
  let latest = [text];
  for (let round = 0; round < 3; round++) {
    latest = latest
      .flatMap((known) => UNDO.map((undo) => undo(known)))
      .filter((t) => !found.has(t));
    for (const decoded of latest) found.add(decoded);
  }
  return found;
}

/** Every string of a JSON value, keys included. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

const holds = (json: string, secret: string): boolean =>
  textsOf(JSON.parse(json)).some((text) =>
    [...decodingsOf(text)].some((decoded) => decoded.includes(secret)),
  );

const secretText = fc
  .oneof(
    fc.base64String({ minLength: 12, maxLength: 60 }),
    fc.string({
      minLength: 8,
      maxLength: 30,
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    }),
    fc.string({ minLength: 8, maxLength: 20, unit: fc.constantFrom(...'ab0+/=%&\\"; u') }),
    visibleText({ minLength: 8, maxLength: 12 }),
  )
  .filter((text) => text.trim() === text)
  // What remains of a secret whose own escapes are decoded may be too short.
  .filter((text) => [...decodingsOf(text)].every((decoded) => [...decoded].length >= 8));

const around = fc.string({ maxLength: 12, unit: fc.constantFrom(...'xyz =?:/<>,"가\n') });

describe('for any secret, surrounding text and encoding', () => {
  test('the response stays valid JSON and no longer contains it', () => {
    fc.assert(
      fc.property(
        secretText,
        around,
        around,
        fc.array(fc.tuple(fc.constantFrom(...LAYERS), fc.infiniteStream(fc.boolean())), {
          maxLength: 2,
        }),
        fc.jsonValue(),
        fc.boolean(),
        (secret, before, after, layers, other, isKey) => {
          const written = layers.reduce(
            (text, [layer, choices]) => layer(text, () => Boolean(choices.next().value)),
            before + secret + after,
          );
          const json = JSON.stringify(isKey ? { other, [written]: other } : [other, { written }]);
          expect(holds(redactJson(json, hidden(secret)), secret)).toBe(false);
        },
      ),
      { numRuns: MANY_RUNS },
    );
  });

  test('base64 of any surrounding text reveals none of it', () => {
    fc.assert(
      fc.property(secretText, fc.string(), fc.string(), (secret, before, after) => {
        const redacted = redactValue(base64(before + secret + after), hidden(secret));
        const stretches = redacted.match(/[A-Za-z0-9+/]+/g) ?? [];
        const shown = stretches.flatMap((stretch) =>
          [0, 1, 2, 3].map((skipped) => Buffer.from(stretch.slice(skipped), 'base64')),
        );
        expect(shown.filter((bytes) => bytes.includes(secret))).toEqual([]);
        expect(redacted).toContain('REDACTED');
      }),
    );
  });

  test('a response without it is the same buffer', () => {
    fc.assert(
      fc.property(secretText, fc.jsonValue(), (secret, value) => {
        const json = Buffer.from(JSON.stringify(value));
        fc.pre(!holds(json.toString(), secret));
        expect(redactorFor(hidden(secret)).json(json)).toBe(json);
      }),
    );
  });
});
