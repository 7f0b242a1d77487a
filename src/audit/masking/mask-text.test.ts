import { describe, expect, it } from 'vitest';
import { maskArguments } from './mask-arguments.ts';
import { maskClientName, maskText } from './mask-text.ts';
import { maskUrl } from './mask-url.ts';

describe('text', () => {
  it.each([
    ['전화 02-123-4567 로', '전화 [masked:phone] 로'],
    ['(031) 123-4567', '([masked:phone]'],
    ['0222345678', '[masked:phone]'],
    ['070-1234-5678', '[masked:phone]'],
    ['050712345678', '[masked:phone]'],
    ['+82-2-123-4567', '[masked:phone]'],
    ['+822-123-4567', '[masked:phone]'],
    ['0082 10 1234 5678', '[masked:phone]'],
    ['０１０－１２３４－５６７８', '[masked:phone]'],
    ['٠١٠-١٢٣٤-٥٦٧٨', '[masked:phone]'],
    ['0\u200b10-12\u00ad34-5678', '[masked:phone]'],
    ['0️⃣10 1234 5678', '[masked:phone]'],
    ['2101013123456', '[masked:resident-number]'],
    ['210101·3123456', '[masked:resident-number]'],
    ['21-01-01-3123456', '[masked:resident-number]'],
    // The check digit of a company number fits by chance.
    ['2512314123450', '[masked:resident-number]'],
    ['251231-4123450', '[masked:resident-number]'],
    ['"john doe"@example.com', '[masked:email]'],
    ['hong%40example.com', '[masked:email]'],
    ['hong＠example．com', '[masked:email]'],
    ['hong@[192.0.2.1]', '[masked:email]'],
    ['여권 M12345678', '여권 [masked:passport]'],
    ['M123A4567', '[masked:passport]'],
    ['면허 11-12-123456-12', '면허 [masked:licence]'],
    ['https://user:pa:ss@example.com/x', 'https://[masked:secret]@example.com/x'],
    ['비밀번호=hunter2&n=1', '비밀번호=[masked:secret]&n=1'],
    ['{"user":"a","password":"hunter2"}', '{"user":"a","password":"[masked:secret]"}'],
  ])('"%s" becomes "%s"', (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it.each([
    '1588-1234', // a business number
    '080-123-4567',
    '1764032400123',
    '1701012345678',
    '8801043014809',
    '9788936434267',
    '1997-05-03 2022-03-07',
    '2026-11-21T06:00:00.000Z',
    '20261121~20261122',
    '202611220600',
    '0203290000',
    '0511911010',
    '198242.7654321',
    '126.97796912345678,37.56653501012345',
    '11110 11140 11170 11200',
    'S20261122',
    '50% of 100',
    'A "quoted" word: 1',
    'https://example.com/a:b@c',
  ])('"%s" stays unchanged', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

describe('names of properties', () => {
  it.each([
    ['pw', 'secret'],
    ['userPw', 'secret'],
    ['비밀번호', 'secret'],
    ['비밀\u200b번호', 'secret'],
    ['암호', 'secret'],
    ['주민번호', 'personal'],
    ['주민등록번호', 'personal'],
    ['전화번호', 'personal'],
    ['휴대폰', 'personal'],
    ['카드번호', 'personal'],
    ['이메일', 'personal'],
    ['phone_number', 'personal'],
    ['email', 'personal'],
  ])('"%s" hides its value as %s', (name, kind) => {
    const label = `[masked:${kind}]`;
    expect(Object.values(maskArguments({ [name]: 'x1' }))).toEqual([label]);
    expect(maskArguments({ a: [{ [name]: 12 }] })).toEqual({ a: [{ [name]: label }] });
    expect(maskUrl(`https://example.com/x?${encodeURIComponent(name)}=x1`)).toBe(
      `https://example.com/x?${encodeURIComponent(name)}=${label}`,
    );
  });

  it.each(['암호화폐', 'MobileOS', 'hotel', 'telop', 'pwr', 'keyword', 'mailing', 'cardinal'])(
    '"%s" has no special meaning',
    (name) => {
      const args = { [name]: 'x1', list: [{ [name]: 12 }] };
      expect(maskArguments(args)).toBe(args);
    },
  );

  it('distinguish codes from personal numbers of the same shape', () => {
    const args = { isbn: '4906067857440', b_no: 1012345678, x: '200412.1234567' };
    expect(maskArguments(args)).toBe(args);
  });
});

describe('numbers in JSON', () => {
  it.each([
    [1012345678, '[masked:phone]'],
    [821012345678, '[masked:phone]'],
    [2101013123456, '[masked:resident-number]'],
    [-2101013123456, '[masked:resident-number]'],
    [4111111111111111, '[masked:card-number]'],
    [Number('6212345678901234567'), '[masked:card-number]'],
    [501013000005, undefined],
    [1764032400123, undefined],
    [202611220600, undefined],
    [126.977969123, undefined],
  ])('%d becomes %s', (value, masked) => {
    expect(maskArguments({ n: value })).toEqual({ n: masked ?? value });
  });
});

describe('bounds', () => {
  it('truncate a long address between two arguments', () => {
    const long = `https://example.com/x?${'a=010-1234-5678&'.repeat(1000)}`;
    const masked = maskUrl(long);
    expect(masked).toMatch(/^https:\/\/example\.com\/x\?(a=\[masked:phone\]&)+\[truncated\]$/);
    expect(maskUrl(`https://example.com/x?q=${'0101234'.repeat(2000)}`)).toBe(
      'https://example.com/x?[truncated]',
    );
  });

  it('stop at the twentieth omitted property', () => {
    const entries = Array.from({ length: 5000 }, (_, at) => [`p${at}`, 'x'.repeat(9000)]);
    const masked = maskArguments(Object.fromEntries([...entries, ['last', 1]]));
    expect(masked['_omitted']).toHaveLength(20);
    expect(Object.keys(masked)).toEqual(['_truncated', '_omitted']);
  });

  it('hold for masking after any number of new property and client names', () => {
    for (let at = 0; at < 5000; at++) {
      expect(maskArguments({ [`p${at}`]: 'x', password: 'y' })).toMatchObject({ [`p${at}`]: 'x' });
      expect(maskClientName(`client/${at}`)).toBe(`client/${at}`);
    }
    expect(maskArguments({ p1: 'x', password: 'y' })['password']).toBe('[masked:secret]');
    expect(maskClientName('client hong@example.com')).toBe('client [masked:email]');
  });

  // In quadratic time, each would take hours at this length.
  it.each([
    ...['1', '1-', '0-', '010 ', 'a', 'a@', 'a@a.', 'a.', 'a=', '"a":', '"a":"\\', '://', 'a://b:'],
    ...['-----BEGIN RSA PRIVATE KEY-----', 'bearer ', 'bearer      ', 'eyJ', 'eyJa.', '%25', '%31'],
    ...['%25252531', '&#48;', '\\u0030', '０－', '1\u200b', '1\u0301', '𝟿', '+1', 'ghp_', 'sk-'],
  ])(
    'mask a megabyte of "%s" in linear time',
    (piece) => {
      const hostile = `@=${piece.repeat(1_000_000 / piece.length)}@`;
      expect(typeof maskText(hostile)).toBe('string');
    },
    60_000,
  );
});
