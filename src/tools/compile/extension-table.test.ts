import { describe, expect, it } from 'vitest';
import { documentOf, getWith, issuesOf, toolOf } from '../../../test/support/compile-text.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { extensionsOf } from './extension-table.ts';

const issueOf = (name: string, value: unknown): string | undefined =>
  extensionsOf(PUBLIC_DATA_TOOLS).get(name)?.check(value);

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, value]));

describe('what a preset says about columns', () => {
  it.each<[string, string, unknown]>([
    ['titles', 'x-titles', { TMP: 'temperature' }],
    ['codes', 'x-codes', { SKY: { 1: 'clear' } }],
    ['names of values', 'x-names', { 1: ['male', '남성'], 2: Array(10).fill('x'.repeat(40)) }],
    ['missing values', 'x-missing', { TMP: { from: 900, to: -900 } }],
    ['concise columns', 'x-concise', ['a', 'b']],
    ['a pivot', 'x-pivot', { rows: ['day'], category: 'c', value: 'v' }],
    ['a licence', 'x-licence', { code: 'CC-BY-4.0', title: 'CC BY', url: 'https://a.example/' }],
    ['an unknown licence', 'x-licence', 'unknown'],
    ['a time in arguments', 'x-as-of', { arguments: ['day', 'hour'], offset: 'Z' }],
    ['a time in columns', 'x-as-of', { columns: ['day'] }],
    ['a time in the payload', 'x-as-of', { pointer: '/head/tm' }],
    ['the time of the request', 'x-as-of', 'fetch'],
    ['what is not confirmed', 'x-unconfirmed', 'x'.repeat(400)],
  ])('may be %s', (_, name, value) => {
    expect(issueOf(name, value)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['x-titles', {}],
    ['x-titles', { a: '' }],
    ['x-titles', { a: 'x'.repeat(201) }],
    ['x-unconfirmed', ''],
    ['x-unconfirmed', 'x'.repeat(401)],
    ['x-titles', many(201, 'x')],
    ['x-codes', { a: 'clear' }],
    ['x-codes', { a: many(501, 'x') }],
    ['x-names', { 1: 'male' }],
    ['x-names', { 1: Array(11).fill('male') }],
    ['x-names', { 1: ['x'.repeat(41)] }],
    ['x-missing', { a: { from: 900 } }],
    ['x-missing', { a: { from: -900, to: 900 } }],
    ['x-missing', { a: { from: '900', to: -900 } }],
    ['x-missing', many(201, { from: 900, to: -900 })],
    ['x-concise', []],
    ['x-concise', 'a'],
    ['x-pivot', { rows: ['day'], category: 'c' }],
    ['x-pivot', { rows: ['day'], category: 'c', value: 'v', more: 1 }],
    ['x-licence', 'MIT'],
    ['x-licence', { code: 'MIT', title: 'MIT' }],
    ['x-licence', { code: 'MIT', title: 'MIT', url: 'javascript:1' }],
    ['x-as-of', 'now'],
    ['x-as-of', {}],
    ['x-as-of', { columns: ['a'], pointer: '/a' }],
    ['x-as-of', { columns: ['a', 'b', 'c', 'd', 'e'] }],
    ['x-as-of', { columns: ['a'], offset: '9' }],
  ])('is refused with what it must be: %#', (name, value) => {
    expect(issueOf(name, value)).toMatch(/^must /);
  });

  it('is read as it was written', async () => {
    const sourceOf = async (asOf: unknown) =>
      (await toolOf(getWith(), { 'x-licence': 'unknown', 'x-as-of': asOf })).source;
    expect(await sourceOf('unknown')).toMatchObject({
      licence: { code: 'unknown', title: null, url: null },
      asOf: { kind: 'unknown' },
    });
    expect(await sourceOf({ columns: ['a'], offset: '+09:00' })).toMatchObject({
      asOf: { kind: 'payload', place: { pointer: null, columns: ['a'], offset: '+09:00' } },
    });
  });
});

it('refuses names of a value that the enum does not have', async () => {
  const parameter = { name: 'sex', in: 'query', schema: { type: 'string', enum: ['0', '1'] } };
  const named = (value: string) =>
    issuesOf(documentOf(getWith({ ...parameter, 'x-names': { [value]: ['male'] } })));
  expect(await named('0')).toEqual([]);
  expect(await named('2')).toEqual([expect.stringContaining('x-names: "2" is no value')]);
});
