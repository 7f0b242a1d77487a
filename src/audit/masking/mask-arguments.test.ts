import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { newAccessToken, newApiKeyText, newRefreshToken } from '../../platform/kernel/ids.ts';
import { maskArguments } from './mask-arguments.ts';
import { isCardNumber } from './mask-numbers.ts';

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));

/** Appends the digit that makes the number valid. */
const completed = (head: string, isRight: (whole: string) => boolean): string =>
  [...'0123456789'].map((digit) => head + digit).find(isRight) ?? '';

const weights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
const residentCheck = (head: string, base: number): string =>
  String((base - (weights.reduce((sum, w, i) => sum + w * Number(head[i]), 0) % 11)) % 10);

const birthDate = fc
  .date({
    min: new Date('1920-01-01'),
    max: new Date('2026-11-01'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString().slice(2, 10).replaceAll('-', ''));

const residentNumber = fc
  .tuple(birthDate, fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8'), digits(5))
  // 29 February is a birthday of 2000 but not of 1900.
  .filter(([birth]) => !birth.endsWith('0229'))
  .map(([birth, kind, serial]) => {
    const head = birth + kind + serial;
    return head + residentCheck(head, Number(kind) >= 5 ? 13 : 11);
  });

const mobile = fc
  .tuple(
    fc.constantFrom('-', ' ', '.', ''),
    digits(4),
    digits(4),
    fc.constantFrom('0', '+82', '+82 '),
  )
  .map(([gap, a, b, prefix]) => `${prefix}10${gap}${a}${gap}${b}`);

const card = fc
  .tuple(
    fc.constantFrom('4', '51', '55', '2221', '9410'),
    digits(14),
    fc.constantFrom('', '-', ' '),
  )
  .map(([prefix, rest, gap]) =>
    completed((prefix + rest).slice(0, 15), isCardNumber)
      .match(/.{4}/g)
      ?.join(gap),
  )
  .filter((text) => text !== undefined);

const jwt = fc
  .tuple(fc.base64String({ minLength: 8 }), fc.base64String({ minLength: 8 }))
  .map(([payload, signature]) =>
    `eyJhbGciOiJIUzI1NiJ9.${payload}.${signature}`.replace(/[+/=]/g, '_'),
  );

const secretText = fc.oneof(
  residentNumber,
  residentNumber.map((number) => `${number.slice(0, 6)}-${number.slice(6)}`),
  fc.emailAddress(),
  mobile,
  card,
  jwt,
  fc.constantFrom(newApiKeyText, newAccessToken, newRefreshToken).map((make) => make()),
);

describe('masking arguments', () => {
  it('masks every secret text, wherever it occurs', () => {
    const word = fc.stringMatching(/^[가-힣a-z ,]{0,12}$/);
    const argumentsWith = fc.constantFrom(
      (text: string) => ({ q: text }),
      (text: string) => ({ list: ['a', { deep: [text] }] }),
      (text: string) => ({ outer: { [text]: 1 } }),
      (text: string) => ({ [text]: 'name' }),
      (text: string) => ({ a: '20261121', b: { c: `see ${text}` } }),
    );
    fc.assert(
      fc.property(secretText, word, word, argumentsWith, (secret, before, after, put) => {
        // A letter directly before or after would only make the address or token longer.
        const masked = JSON.stringify(maskArguments(put(`${before} ${secret} ${after}`)));
        expect(masked).not.toContain(secret);
        expect(masked).toContain('[masked:');
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('masks every value of a secret property, whatever its type', () => {
    const names = fc.constantFrom(
      'password',
      'PASSWORD',
      'user_password',
      'passwd',
      'token',
      'access_token',
      'refreshToken',
      'secret',
      'clientSecret',
      'Authorization',
      'apiKey',
      'api-key',
      'x-api-key',
      'serviceKey',
      'ServiceKey',
      'cookie',
    );
    fc.assert(
      fc.property(
        names,
        fc.oneof(fc.uuid(), fc.array(fc.uuid(), { minLength: 1 })),
        (name, value) => {
          const masked = JSON.stringify(
            maskArguments({ [name]: value, o: { [name]: { v: value } } }),
          );
          for (const secret of [value].flat()) expect(masked).not.toContain(secret);
        },
      ),
    );
  });

  it.each([
    ['010-1234-5678', '[masked:phone]'],
    ['연락처 01012345678 입니다', '연락처 [masked:phone] 입니다'],
    ['+82 10-1234-5678', '[masked:phone]'],
    ['+82-(0)10-1234-5678', '[masked:phone]'],
    ['011-234-5678', '[masked:phone]'],
    ['no.900101-1234568', 'no.[masked:resident-number]'],
    ['210101-3123456', '[masked:resident-number]'],
    ['mailto:hong.gildong@예시.한국', 'mailto:[masked:email]'],
    ['4111 1111 1111 1111', '[masked:card-number]'],
    ['3782-822463-10005', '[masked:card-number]'],
    ['Bearer abc123def456', 'Bearer [masked:token]'],
    ['Basic dXNlcjpwYXNz', 'Basic [masked:token]'],
    [
      'https://example.com/?serviceKey=abc%2B&q=1',
      'https://example.com/?serviceKey=[masked:secret]&q=1',
    ],
  ])('turns "%s" into "%s"', (text, masked) => {
    expect(maskArguments({ q: text })).toEqual({ q: masked });
  });

  it('masks personal numbers and card numbers', () => {
    expect(maskArguments({ a: 4111111111111111, b: 9001011234568, c: 821012345678 })).toEqual({
      a: '[masked:card-number]',
      b: '[masked:resident-number]',
      c: '[masked:phone]',
    });
  });

  it.each([
    [
      'timestamps',
      { ms: 1764032400123, text: '1764032400123', tmFc: '202611200600', to: '20261121060000' },
    ],
    ['times', { from: '2026-11-21T06:00:00.000Z', range: '2026-11-21 2026-11-22' }],
    ['book numbers', { isbn: '9780261103573', hyphens: '978-0-261-10357-3' }],
    ['heritage numbers', { ccbaAsno: '0000010000000', list: ['0001230000000', '1113701010000'] }],
    ['company numbers', { crno: '1301110006246', corp_no: '110111-0000012', b_no: '1208800767' }],
    ['business numbers', { q: '120-88-00767' }],
    [
      'coordinates',
      { lat: 37.566535, lon: 126.977969, both: '126.97796912345678,37.56653501012345' },
    ],
    [
      'codes',
      {
        LAWD_CD: '11110',
        pnu: '4111310100100010000',
        corp: '00126380',
        hs: '8542311000',
        isin: 'KR7005930003',
      },
    ],
    [
      'words',
      {
        keyword: 'basic income',
        q: 'Bearer securities',
        secretary: '홍길동',
        pageToken: 'abc',
        max_tokens: 5,
      },
    ],
    ['names of accounts', { q: '@handle and user@ and a=b' }],
    ['nothing', { a: null, b: true, c: '', d: [], e: {} }],
  ])('leaves %s unchanged', (_, args) => {
    expect(maskArguments(args)).toBe(args);
  });

  it('treats an ambiguous number as a company number only where one is expected', () => {
    const either = '1101111000481';
    expect(maskArguments({ crno: either, q: either })).toEqual({
      crno: either,
      q: '[masked:resident-number]',
    });
  });

  it('masks the whole value of a property that the tool declares personal', () => {
    expect(maskArguments({ p_nm: '홍길동', b_no: '1' }, { personal: ['p_nm'] })).toEqual({
      p_nm: '[masked:personal]',
      b_no: '1',
    });
  });

  it('omits properties that are too long, and keeps the rest', () => {
    const masked = maskArguments({
      a: 'x'.repeat(8193),
      b: 1,
      c: { d: Array(9000).fill(0) },
      e: '2',
    });
    expect(masked).toEqual({ b: 1, e: '2', _truncated: true, _omitted: ['a', 'c'] });
  });

  it('returns bounded output, whatever the arguments are', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 300 }), fc.jsonValue({ maxDepth: 20 })),
        (args) => {
          const masked = maskArguments(args);
          expect(JSON.stringify(masked).length).toBeLessThan(80_000);
        },
      ),
    );
  });

  it('omits what is nested too deeply', () => {
    const deep = JSON.parse(`${'['.repeat(1000)}1${']'.repeat(1000)}`);
    expect(maskArguments({ deep })).toEqual({ _truncated: true, _omitted: ['deep'] });
  });

  it('treats a property called __proto__ like any other', () => {
    const args = JSON.parse('{"__proto__":{"password":"x"},"q":"a@example.com"}');
    expect(JSON.stringify(maskArguments(args))).toBe(
      '{"__proto__":{"password":"[masked:secret]"},"q":"[masked:email]"}',
    );
  });
});
