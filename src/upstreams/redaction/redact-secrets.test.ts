import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { percentEncode } from '../../tools/request/write-style.ts';
import type { HiddenSecret } from '../../tools/tool-connection.ts';
import { redactorFor } from './redact-secrets.ts';

const KEY = 'Ab3dEf+GhIjKl/n0Pq==';

const hidden = (value: string, more: Partial<HiddenSecret> = {}): readonly HiddenSecret[] => [
  { value, name: 'serviceKey', in: 'query', prefix: '', ...more },
];

/** What is left around a secret; in base64, also what was encoded with it. */
const AROUND = /^<before [\w+/=-]*REDACTED(?:[\w+/-]*|%3D)={0,2} after>$/;

const redactText = (text: string, secrets = hidden(KEY)): string =>
  redactorFor(secrets).text(Buffer.from(text)).toString();

/** The JSON text after redaction, which must still be valid. */
function redactJson(json: string, secrets: readonly HiddenSecret[] = hidden(KEY)): string {
  const redacted = redactorFor(secrets).json(Buffer.from(json)).toString();
  JSON.parse(redacted);
  return redacted;
}

const redactValue = (text: string, secrets = hidden(KEY)): string =>
  JSON.parse(redactJson(JSON.stringify({ text }), secrets)).text;

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');
const eachOf = (bytes: Buffer, write: (byte: number) => string): string =>
  [...bytes].map(write).join('');
const unicodeOf = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const unicodeAll = (text: string): string => text.replace(/[\s\S]/g, unicodeOf);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Each form of a secret, which can be put into a text or a JSON string as it is. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  unchanged: (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'percent-encoded in every character': (secret) =>
    eachOf(Buffer.from(secret), (byte) => `%${hexOf(byte)}`),
  'form-encoded': (secret) => new URLSearchParams({ '': secret }).toString().slice(1),
  'form-decoded': (secret) => secret.replaceAll('+', ' '),
  'JSON-escaped': (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON-escaped with slashes': (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'JSON-escaped beyond ASCII': (secret) =>
    JSON.stringify(secret)
      .slice(1, -1)
      .replace(/[\x80-\uffff]/g, unicodeOf),
  'JSON-escaped in every character': (secret) => secret.replace(/[\s\S]/g, unicodeOf),
  'JSON-escaped in upper case': (secret) =>
    secret.replace(/[\s\S]/g, (unit) => unicodeOf(unit).replace(/[a-f]/g, (x) => x.toUpperCase())),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in upper-case hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': base64,
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 after one byte': (secret) => base64(`:${secret}.`),
  'in base64url after two bytes': (secret) => Buffer.from(`a:${secret}`).toString('base64url'),
  'in base64 within an address': (secret) => base64(`/?key=${percentEncode(secret)}&page=1`),
};

describe('every form of a secret', () => {
  const SECRETS = [KEY, '열쇠는 é😀 "여기/', 'x&y=<z>+[1];{2}'];
  test.each(Object.entries(FORMS))('is redacted: %s', (_, write) => {
    for (const secret of SECRETS) {
      const form = write(secret);
      expect(redactText(`<before ${form} after>`, hidden(secret))).toMatch(AROUND);
      if (/[\n"]/.test(form.replace(/\\./g, ''))) continue;
      const json = redactJson(`{"text":"<before ${form} after>"}`, hidden(secret));
      expect(JSON.parse(json).text).toMatch(AROUND);
    }
  });

  test.each([
    ['with other characters escaped than usual', KEY.replace('K', '%4b').replace('/', '\\/')],
    ['with a slash escaped in base64', base64(KEY).replaceAll('/', '\\/').replaceAll('+', '%2B')],
  ])('is redacted: %s', (_, form) => {
    expect(JSON.parse(redactJson(`["<before ${form} after>"]`))[0]).toMatch(AROUND);
  });

  test.each([
    ['escapes within escapes', encodeURIComponent(encodeURIComponent(KEY))],
    ['references of HTML', KEY.replace('+', '&#43;')],
  ])('does not include %s', (_, form) => {
    expect(redactText(form)).toBe(form);
    expect(redactJson(JSON.stringify([form]))).toBe(JSON.stringify([form]));
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
    for (const secret of [
      '100%sure&safe',
      'a\\b\\\\c\\u0041',
      '%41%42%43',
      '50%25off%',
      'tail\\--\\',
    ]) {
      for (const text of [secret, encodeURIComponent(secret), `${secret}20;`]) {
        expect(redactValue(`<${text}>`, hidden(secret))).toContain('<REDACTED');
        expect(redactText(`<${text}>`, hidden(secret))).toContain('<REDACTED');
      }
      expect(redactJson(`["${unicodeAll(secret)}"]`, hidden(secret))).toBe('["REDACTED"]');
    }
  });

  it('of only such characters is found, escaped or not', () => {
    const secret = `${'\\'.repeat(20)}end`;
    const before = '\\'.repeat(200);
    for (const text of [secret, encodeURIComponent(secret)]) {
      expect(redactValue(`<${before}${text}>`, hidden(secret))).toMatch(/^<\W*REDACTED>$/);
    }
    expect(redactValue(`<${before}>`, hidden(secret))).toBe(`<${before}>`);
  });

  it('may be configured percent-encoded', () => {
    expect(redactValue(`<${KEY}>`, hidden(encodeURIComponent(KEY)))).toBe('<REDACTED>');
  });

  it('may be sent in Latin-1', () => {
    expect(redactValue('<cl%E9-secr%e8te>', hidden('clé-secrète'))).toBe('<REDACTED>');
  });

  it('of user name and password is redacted as a whole and as the password alone', () => {
    const secrets = hidden('someone:pass/word', { prefix: 'Basic ', name: 'Authorization' });
    expect(redactValue('<pass/word>', secrets)).toBe('<REDACTED>');
    const windows = hidden('someone:pass\\word', { prefix: 'Basic ', name: 'Authorization' });
    expect(redactText('<pass\\word>', windows)).toBe('<REDACTED>');
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

  test('is kept elsewhere in a text, with a backslash too', () => {
    const secrets = hidden('a\\b', { name: 'key' });
    expect(redactText('C:\\a\\b, abc', secrets)).toBe('C:\\a\\b, abc');
  });

  test('does not prevent the redaction of a longer one', () => {
    const both = [...hidden('abc', { name: 'key' }), ...hidden(KEY)];
    expect(redactValue(`key=abc ${KEY} key=abc`, both)).toBe('key=REDACTED REDACTED key=REDACTED');
  });
});

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
  .filter((text) => text.trim() === text && [...text].length >= 8);

const around = fc.string({ maxLength: 12, unit: fc.constantFrom(...'xyz =?:/<>,"가\n') });
const form = fc.constantFrom(...Object.values(FORMS));

describe('for any secret and surrounding text', () => {
  test('no form of it is left in a text', () => {
    fc.assert(
      fc.property(secretText, form, around, around, (secret, write, before, after) => {
        const redacted = redactText(before + write(secret) + after, hidden(secret));
        expect(redacted).toContain('REDACTED');
        expect(redacted).not.toContain(write(secret));
      }),
      { numRuns: MANY_RUNS },
    );
  });

  test('no form of it is left in any place of a JSON text, which stays valid', () => {
    fc.assert(
      fc.property(
        secretText,
        fc.constantFrom(...Object.entries(FORMS)),
        around,
        around,
        fc.jsonValue(),
        fc.boolean(),
        (secret, [name, write], before, after, other, isKey) => {
          const quoted = name.startsWith('JSON')
            ? `"${write(secret)}"`
            : JSON.stringify(before + write(secret) + after);
          const rest = JSON.stringify(other);
          const json = isKey ? `{"a":${rest},${quoted}:${rest}}` : `[${rest},{"a":${quoted}}]`;
          const redacted = redactJson(json, hidden(secret));
          expect(redacted).toContain('REDACTED');
          expect(redacted).not.toContain(quoted.slice(1, -1));
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
      fc.property(secretText, fc.uint8Array(), fc.jsonValue(), (secret, bytes, value) => {
        const text = Buffer.from(bytes);
        expect(redactorFor(hidden(secret)).text(text)).toBe(text);
        const json = Buffer.from(JSON.stringify(value));
        fc.pre(!json.includes(secret));
        expect(redactorFor(hidden(secret)).json(json)).toBe(json);
      }),
    );
  });
});
