import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cardNumber,
  encoded,
  landlineNumber,
  mailAddress,
  mobileNumber,
  newResidentNumber,
  oldResidentNumber,
  token,
  written,
} from '../../../test/support/personal-data.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import {
  newAccessToken,
  newApiKeyId,
  newApiKeyText,
  newRefreshToken,
} from '../../platform/kernel/ids.ts';
import { CUT_MARK } from '../record/fit-column.ts';
import { maskArguments } from './mask-arguments.ts';

const jwt = fc
  .tuple(fc.base64String({ minLength: 8 }), fc.base64String({ minLength: 8 }))
  .map(([payload, signature]) =>
    `eyJhbGciOiJIUzI1NiJ9.${payload}.${signature}`.replace(/[+/=]/g, '_'),
  );

const numbers = fc.oneof(
  ...[oldResidentNumber, newResidentNumber, mobileNumber, cardNumber].map((kind) => written(kind)),
  written(landlineNumber, ['-', ' ', '.']),
);

const secretText = fc.oneof(
  numbers.map(({ text }) => text),
  ...[mailAddress, token].map((kind) => encoded(kind).map(({ text }) => text)),
  jwt,
  fc
    .constantFrom(newApiKeyText, newAccessToken, () => newRefreshToken(newApiKeyId()))
    .map((make) => make()),
);

describe('masking arguments', () => {
  it('leaves a number with a wrong check digit unchanged', () => {
    const wrong = (number: fc.Arbitrary<readonly string[]>) =>
      fc.tuple(number, fc.integer({ min: 1, max: 9 })).map(([groups, more]) => {
        const digits = groups.join('');
        return digits.slice(0, -1) + ((Number(digits.at(-1)) + more) % 10);
      });
    const born = oldResidentNumber.filter(([birth = '']) => birth >= '500101');
    fc.assert(
      fc.property(fc.oneof(wrong(born), wrong(cardNumber)), (q) => {
        expect(maskArguments({ q })).toEqual({ q });
      }),
      { numRuns: MANY_RUNS },
    );
  });

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
    ['timestamps', { ms: 1764032400123, tmFc: '202611200600', to: '20261121060000' }],
    ['book numbers', { isbn: '9780261103573', hyphens: '978-0-261-10357-3' }],
    ['heritage numbers', { ccbaAsno: '0000010000000', list: ['0001230000000', '1113701010000'] }],
    ['company numbers', { crno: '1301110006246', corp_no: '110111-0000012', b_no: '1208800767' }],
    ['business numbers', { q: '120-88-00767' }],
    ['codes', { pnu: '4111310100100010000', hs: '8542311000', isin: 'KR7005930003' }],
    ['words', { keyword: 'basic income', q: 'Bearer securities' }],
    ['names', { secretary: '홍길동', pageToken: 'abc', max_tokens: 5 }],
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

  it('cuts a long text, without half a number at its end', () => {
    const { a, b, c } = maskArguments({
      a: `${'x '.repeat(8188)}010-1234-5678`,
      b: 1,
      c: `password=${'x'.repeat(17_000)}`,
    });
    expect(a).toMatch(/^(?:x )+x?…\[cut\]$/);
    expect(a).toHaveLength(16_384 - 64 + CUT_MARK.length);
    expect([b, c]).toEqual([1, CUT_MARK]);
  });

  it('masks no more than 65,536 characters, and drops what follows', () => {
    const masked = maskArguments({
      list: Array.from({ length: 100 }, () => 'x'.repeat(8000)),
      last: '010-1234-5678',
    });
    expect(JSON.stringify(masked).length).toBeLessThan(66_000);
    expect(masked).toMatchObject({ [CUT_MARK]: CUT_MARK });
    expect(JSON.stringify(masked)).not.toContain('010');
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

  it('cuts what is nested too deeply', () => {
    const deep = JSON.parse(`${'['.repeat(1000)}1${']'.repeat(1000)}`);
    expect(JSON.stringify(maskArguments({ deep }))).toMatch(
      /^\{"deep":\[{15,17}"…\[cut\]"\]{15,17}\}$/,
    );
  });

  it('treats a property called __proto__ like any other', () => {
    const args = JSON.parse('{"__proto__":{"password":"x"},"q":"a@example.com"}');
    expect(JSON.stringify(maskArguments(args))).toBe(
      '{"__proto__":{"password":"[masked:secret]"},"q":"[masked:email]"}',
    );
  });
});
