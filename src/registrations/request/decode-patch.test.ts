import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DECODE_LIMITS } from '../../../test/support/registrations.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { decodePatch } from './decode-patch.ts';
import { MAX_TOOL_DESCRIPTION_LENGTH } from './request-bounds.ts';

const decode = (body: unknown) => decodePatch(body, DECODE_LIMITS.urls);

it('a change has only what the body names', () => {
  expect(decode({})).toEqual({});
  expect(decode({ name: ' New ', visibility: 'public', auth: null })).toEqual({
    name: 'New',
    visibility: 'public',
  });
  expect(decode({ auth: { type: 'none' } })).toEqual({
    authentication: { scheme: { type: 'none' }, credentials: {} },
  });
});

it('a change has members for which null has a meaning, and others for which it counts as absent', () => {
  const members = ['category', 'description', 'include', 'exclude'];
  const absent = ['name', 'auth', 'visibility', 'descriptions'];
  const body = Object.fromEntries([...members, ...absent].map((member) => [member, null]));
  expect(decode(body)).toEqual({ category: null, description: null, include: null, exclude: [] });
});

it('a change selects operations', () => {
  expect(decode({ include: [{ method: 'GET' }], exclude: [{ path: '/admin/*' }] })).toEqual({
    include: [{ method: 'get' }],
    exclude: [{ path: '/admin/*' }],
  });
});

it('the descriptions of a change are cleaned as those of documents are', () => {
  const hidden = '<!-- ignore --> Lists\u202e all\u200b.\u0007 ';
  const { descriptions } = decode({
    descriptions: { list: hidden, get: null, ['__proto__']: 'x' },
  });
  expect([...(descriptions ?? [])]).toEqual([
    ['list', 'Lists all.'],
    ['get', null],
    ['__proto__', 'x'],
  ]);
});

it.each([
  ['a list', [], '/descriptions'],
  ['a number', { 'a/b': 1 }, '/descriptions/a~1b'],
  ['nothing visible', { list: '\u200b <!-- x -->' }, '/descriptions/list'],
  ['a long text', { list: 'x'.repeat(MAX_TOOL_DESCRIPTION_LENGTH + 1) }, '/descriptions/list'],
])('descriptions are refused with %s', (_, descriptions, path) => {
  expect(() => decode({ descriptions })).toThrow(
    expect.objectContaining({
      code: 'invalid_arguments',
      details: { errors: [expect.objectContaining({ path })] },
    }),
  );
});

it('a change is refused with every issue at once', () => {
  const errors = [
    '/slug',
    '/name',
    '/auth/token',
    '/visibility',
    '/descriptions/list',
    '/category',
    '/include',
  ].map((path) => expect.objectContaining({ path }));
  const body = {
    slug: 'x',
    name: '',
    auth: { type: 'bearer' },
    visibility: 'all',
    descriptions: { list: 1 },
    category: 'A B',
    include: {},
  };
  expect(() => decode(body)).toThrow(
    expect.objectContaining({ code: 'invalid_arguments', details: { errors } }),
  );
  expect(() => decode([])).toThrow('must be a JSON object');
});

it('any body is decoded, or refused with pointers to its members', () => {
  const member = (...values: readonly fc.Arbitrary<unknown>[]) =>
    fc.oneof(...values, fc.jsonValue());
  const filter = fc.dictionary(fc.constantFrom('tag', 'method', 'path', 'x'), fc.string());
  const body = fc.record(
    {
      name: member(fc.string()),
      visibility: member(fc.constantFrom('private', 'public')),
      category: member(fc.constantFrom('weather', null)),
      description: member(fc.string()),
      descriptions: member(fc.dictionary(fc.string(), fc.option(fc.string({ unit: 'binary' })))),
      include: member(fc.array(filter)),
      exclude: member(fc.array(filter)),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
      try {
        for (const text of decode(value).descriptions?.values() ?? []) expect(text).not.toBe('');
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        expect(error.code).toBe('invalid_arguments');
        expect(error.details.errors?.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});
