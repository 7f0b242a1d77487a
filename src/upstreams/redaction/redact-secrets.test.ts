import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { HiddenSecret } from './hidden-secret.ts';
import { redactorFor } from './redact-secrets.ts';

const KEY = 'Ab3dEf+GhIjKl/n0Pq==';

const hidden = (value: string, more: Partial<HiddenSecret> = {}): readonly HiddenSecret[] => [
  { value, name: 'serviceKey', in: 'query', prefix: '', ...more },
];

/** The JSON text after redaction, which must still be JSON. */
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
/** Both halves of what takes two. */
const unicodeAll = (text: string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('every form of a secret', () => {
  const once = encodeURIComponent(KEY);
  test.each([
    ['as it is', KEY],
    ['percent-encoded', once],
    ['percent-encoded in lower case', once.replace(/%../g, (code) => code.toLowerCase())],
    ['percent-encoded in part', KEY.replace('+', '%2b')],
    ['percent-encoded in every character', percentAll(KEY)],
    ['percent-encoded twice', encodeURIComponent(once)],
    ['percent-encoded twice in every character', percentAll(percentAll(KEY))],
    ['percent-encoded three times', encodeURIComponent(encodeURIComponent(once))],
    ['form-encoded', new URLSearchParams({ '': KEY }).toString().slice(1)],
    ['decoded as a form', KEY.replaceAll('+', ' ')],
    ['with a slash escaped in a JSON text', KEY.replace('/', '\\/')],
    ['as a JSON text in JavaScript escapes', unicodeAll(KEY)],
    ['in capital JavaScript escapes', unicodeAll(KEY).replace('\\u002f', '\\u002F')],
    ['in short JavaScript escapes', KEY.replace('/', '\\x2F').replaceAll('=', '\\x3d')],
    ['in decimal references', eachCharacter(KEY, (c) => `&#${c.charCodeAt(0)};`)],
    ['in hexadecimal references', eachCharacter(KEY, (c) => `&#x00${hexOf(c)};`)],
    ['in capital references', eachCharacter(KEY, (c) => `&#X${hexOf(c).toUpperCase()};`)],
    [
      'in named references',
      KEY.replace('+', '&plus;').replace('/', '&sol;').replace('=', '&equals;'),
    ],
    ['percent-encoded in references', once.replaceAll('%', '&#37;')],
    ['in references within references', KEY.replace('+', '&amp;#43;')],
    ['in base64', base64(KEY)],
    ['in base64url', Buffer.from(KEY).toString('base64url')],
    ['in base64, percent-encoded', encodeURIComponent(base64(KEY))],
    ['in base64 as a password', base64(`user:${KEY}`)],
    ['in base64 as a name', base64(`${KEY}:`)],
    ['in base64 of a text around it', base64(`x?key=${KEY}&page=1`)],
    ['in base64 of an address', base64(`GET /?key=${once}&page=1`)],
    ['in hexadecimal digits', Buffer.from(KEY).toString('hex')],
    ['in capital digits', Buffer.from(KEY).toString('hex').toUpperCase()],
  ])('is hidden: %s', (_, form) => {
    const redacted = redactValue(`before <${form}> after`);
    expect(redacted).toMatch(/^before <[\w/]*REDACTED\w*> after$/);
  });

  test('is hidden in escapes of the JSON itself', () => {
    expect(redactJson(`{"a":"${unicodeAll(KEY)}"}`)).toBe('{"a":"REDACTED"}');
    expect(redactJson(`{"a":"x${KEY.replace('/', '\\/')}y"}`)).toBe('{"a":"xREDACTEDy"}');
    expect(redactJson(`{"a":"${unicodeAll(encodeURIComponent(KEY))}"}`)).toBe('{"a":"REDACTED"}');
  });

  test('is hidden in keys, and each time', () => {
    expect(redactJson(`{"${KEY}":["${KEY}${KEY}",1]}`)).toBe('{"REDACTED":["REDACTEDREDACTED",1]}');
  });

  test('is hidden where it is a number', () => {
    const secrets = hidden('1234567890');
    expect(redactJson('[1234567890,-12345678901.5e3,{"a":1234567890}]', secrets)).toBe(
      '["REDACTED","REDACTED",{"a":"REDACTED"}]',
    );
    expect(redactJson('1234567890', secrets)).toBe('"REDACTED"');
  });

  test('leaves no half of an escape behind', () => {
    expect(
      redactJson(String.raw`["\"quoted\"key\"","\\quoted\"key\\"]`, hidden('quoted"key')),
    ).toBe(String.raw`["\"REDACTED\"","\\REDACTED\\"]`);
    // The last letter of an escape may look like the secret's first.
    expect(redactJson(String.raw`["\nabcdefgh","\u00abcdefgh1"]`, hidden('nabcdefgh'))).toContain(
      '\\u00abcdefgh1',
    );
    redactJson(String.raw`["\nabcdefgh","\u00abcdefgh1"]`, hidden('bcdefgh1'));
  });
});

describe('a secret', () => {
  it('is not looked for across values', () => {
    const json = '["12345",67890,"abcde","fghij"]';
    expect(redactJson(json, hidden('12345",67890'))).toBe(json);
    expect(redactJson(json, hidden('abcde","fghij'))).toBe(json);
  });

  it('may itself hold what begins escapes', () => {
    for (const secret of ['100%sure&safe', 'a\\b\\\\c\\u0041', '%41%42%43', '&amp;&lt;abc%']) {
      for (const text of [secret, encodeURIComponent(secret), unicodeAll(secret), `${secret}20;`]) {
        expect(redactValue(`<${text}>`, hidden(secret))).toContain('<REDACTED');
      }
    }
  });

  it('of nothing but such characters hides too much rather than to search for ever', () => {
    const secret = `${'\\'.repeat(20)}end`;
    expect(redactValue(`<${'\\'.repeat(200)}>`, hidden(secret))).toBe('<REDACTED>');
  });

  it('may be given as addresses have it', () => {
    expect(redactValue(`<${KEY}>`, hidden(encodeURIComponent(KEY)))).toBe('<REDACTED>');
  });

  it('may go beyond ASCII', () => {
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

  it('of a name and a password is hidden in both parts of use', () => {
    const secrets = hidden('someone:pass/word', { prefix: 'Basic ', name: 'Authorization' });
    expect(redactValue('<pass/word>', secrets)).toBe('<REDACTED>');
    expect(redactValue(`<Basic ${base64('someone:pass/word')}>`, secrets)).toBe('<Basic REDACTED>');
    expect(redactValue(`<${base64('other:pass/word')}>`, secrets)).toMatch(/^<.*REDACTED.*>$/);
  });

  it('with a scheme is hidden without it too', () => {
    expect(redactValue('<abcdefgh12>', hidden('Bearer abcdefgh12'))).toBe('<REDACTED>');
  });

  it('may be one of several', () => {
    const secrets = [...hidden('first-key'), ...hidden('second-key')];
    expect(redactValue('second-key first%2Dkey', secrets)).toBe('REDACTED REDACTED');
  });

  it('without a value is not looked for', () => {
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
  ])('is hidden as its parameter: %s', (json, expected) => {
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
  ])('stays elsewhere: %s', (json) => {
    expect(redactJson(json, short)).toBe(json);
  });

  test('is hidden as a number, a word, a part of a path, and after its scheme', () => {
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

  test('does not stand in the way of a longer one', () => {
    const both = [...hidden('abc', { name: 'key' }), ...hidden(KEY)];
    expect(redactValue(`key=abc ${KEY} key=abc`, both)).toBe('key=REDACTED REDACTED key=REDACTED');
  });
});

/** Ways in which programs write a text into another; each takes some of the characters or all. */
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

/** Everything that up to three decodings in any order make of a text. */
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
    fc.string({ minLength: 8, maxLength: 12, unit: 'grapheme' }),
  )
  .filter((text) => text.trim().length >= 8 && text.trim() === text);

const around = fc.string({ maxLength: 12, unit: fc.constantFrom(...'xyz =?:/<>,"가\n') });

describe('whatever the secret, the text around it and how it is written', () => {
  test('the answer stays JSON and holds it no more', () => {
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
      { numRuns: 500 },
    );
  });

  test('base64 of any text around it shows nothing of it', () => {
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

  test('an answer without it is the very same buffer', () => {
    fc.assert(
      fc.property(secretText, fc.jsonValue(), (secret, value) => {
        const json = Buffer.from(JSON.stringify(value));
        fc.pre(!holds(json.toString(), secret));
        expect(redactorFor(hidden(secret)).json(json)).toBe(json);
      }),
    );
  });
});
