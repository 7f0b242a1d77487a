import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DECODE_LIMITS } from '../../../test/support/registrations.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { decodeRefresh } from './decode-refresh.ts';
import { MAX_CONFIRMED_ORIGINS } from './request-bounds.ts';

const decode = (body: unknown) => decodeRefresh(body, DECODE_LIMITS);
const NOTHING = { source: null, isDryRun: false, confirmedOrigins: [] };

it.each([null, undefined, {}, { spec_url: null, confirm_origins: null }])(
  'a refresh needs no member: %j',
  (body) => expect(decode(body)).toEqual(NOTHING),
);

it('a refresh is decoded with every member', () => {
  const origins = ['https://api.example.com', 'http://[2001:db8::1]:8080'];
  expect(decode({ spec_raw: 'openapi: 3.1.0', dry_run: true, confirm_origins: origins })).toEqual({
    source: { document: Buffer.from('openapi: 3.1.0') },
    isDryRun: true,
    confirmedOrigins: origins,
  });
  expect(decode({ spec_url: 'https://example.com/openapi.json' }).source).toEqual({
    url: 'https://example.com/openapi.json',
  });
});

it('a refresh takes a description that was read on a thread', () => {
  const document = Buffer.from('openapi: 3.1.0');
  expect(decodeRefresh({ dry_run: true }, DECODE_LIMITS, document)).toEqual({
    source: { document },
    isDryRun: true,
    confirmedOrigins: [],
  });
  const both = { spec_url: 'https://example.com/x' };
  expect(() => decodeRefresh(both, DECODE_LIMITS, document)).toThrow('together with');
  const large = Buffer.alloc(DECODE_LIMITS.maxDocumentBytes + 1);
  expect(() => decodeRefresh({}, DECODE_LIMITS, large)).toThrow('larger than');
});

it.each([
  ['an array', [], ''],
  ['an unknown member', { auth: {} }, '/auth'],
  ['an empty description', { spec_raw: ' ' }, '/spec_raw'],
  ['both sources', { spec_raw: 'x', spec_url: 'https://example.com/x' }, '/spec_raw'],
  ['a private address', { spec_url: 'http://127.1/x' }, '/spec_url'],
  ['a flag that is not one', { dry_run: 'true' }, '/dry_run'],
  [
    'an origin that is not in an array',
    { confirm_origins: 'https://a.example' },
    '/confirm_origins',
  ],
  ['an origin with a path', { confirm_origins: ['https://a.example/'] }, '/confirm_origins/0'],
  ['an origin that is not a string', { confirm_origins: [1] }, '/confirm_origins/0'],
  [
    'too many origins',
    { confirm_origins: Array(MAX_CONFIRMED_ORIGINS + 1).fill('https://a.example') },
    '/confirm_origins',
  ],
])('a refresh is refused with %s', (_, body, path) => {
  expect(() => decode(body)).toThrow(
    expect.objectContaining({
      code: 'invalid_arguments',
      details: { errors: [expect.objectContaining({ path })] },
    }),
  );
});

it('a refresh is refused with a description over the limit', () => {
  const spec_raw = 'x'.repeat(DECODE_LIMITS.maxDocumentBytes + 1);
  expect(() => decode({ spec_raw })).toThrow(expect.objectContaining({ code: 'too_large' }));
});

it('any body is decoded, or refused with pointers to its members', () => {
  const body = fc.record(
    {
      spec_url: fc.oneof(fc.webUrl(), fc.jsonValue()),
      spec_raw: fc.oneof(fc.string(), fc.jsonValue()),
      dry_run: fc.oneof(fc.boolean(), fc.jsonValue()),
      confirm_origins: fc.oneof(fc.array(fc.webUrl()), fc.jsonValue()),
      __proto__: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
      try {
        const { confirmedOrigins } = decode(value);
        for (const origin of confirmedOrigins) expect(new URL(origin).origin).toBe(origin);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        expect(error.code).toBe('invalid_arguments');
        expect(error.details.errors?.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});
