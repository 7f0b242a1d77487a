import { describe, expect, it } from 'vitest';
import { maskArguments } from './mask-arguments.ts';
import { maskClientName, maskText } from './mask-text.ts';

describe('text', () => {
  it.each([
    ['전화 02-123-4567 로', '전화 [masked:phone] 로'],
    ['연락처 01012345678 입니다', '연락처 [masked:phone] 입니다'],
    ['011-234-5678', '[masked:phone]'],
    ['+82-(0)10-1234-5678', '[masked:phone]'],
    ['no.900101-1234568', 'no.[masked:resident-number]'],
    ['mailto:hong.gildong@예시.한국', 'mailto:[masked:email]'],
    ['3782-822463-10005', '[masked:card-number]'],
    ['Bearer abc123def456', 'Bearer [masked:token]'],
    ['Basic dXNlcjpwYXNz', 'Basic [masked:token]'],
    ['https://a.example/?serviceKey=a%2B&q=1', 'https://a.example/?serviceKey=[masked:secret]&q=1'],
    ['(031) 123-4567', '([masked:phone]'],
    ['0222345678', '[masked:phone]'],
    ['070-1234-5678', '[masked:phone]'],
    ['050712345678', '[masked:phone]'],
    ['+82-2-123-4567', '[masked:phone]'],
    ['+822-123-4567', '[masked:phone]'],
    ['0082 10 1234 5678', '[masked:phone]'],
    ['2101013123456', '[masked:resident-number]'],
    ['2512314123450', '[masked:resident-number]'],
    ['251231-4123450', '[masked:resident-number]'],
    ['"john doe"@example.com', '[masked:email]'],
    ['hong%40example.com', '[masked:email]'],
    ['010%2D1234%2D5678', '[masked:phone]'],
    ['1234 4111 1111 1111 1111', '1234 [masked:card-number]'],
    ['hong@[192.0.2.1]', '[masked:email]'],
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
    // Disguised on purpose, and numbers without a check digit.
    '０１０－１２３４－５６７８',
    'hong%2540example.com',
    'M12345678',
    '11-12-123456-12',
    '900101-1234567',
  ])('"%s" stays unchanged', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

describe('names of properties', () => {
  it.each([
    ['pw', 'secret'],
    ['userPw', 'secret'],
    ['비밀번호', 'secret'],
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
    [9001011234568, '[masked:resident-number]'],
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
    ...['1234-', '900101', '+1', '+82', '(02', 'ghp_', 'sk-', 'ya29.'],
  ])(
    'mask a megabyte of "%s" in linear time',
    (piece) => {
      const hostile = `@=${piece.repeat(1_000_000 / piece.length)}@`;
      expect(typeof maskText(hostile)).toBe('string');
    },
    60_000,
  );
});
