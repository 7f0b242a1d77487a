import { describe, expect, it } from 'vitest';
import { asOfIssue, asOfRule } from './as-of-rule.ts';
import { licenceIssue, licenceOf } from './licence-value.ts';
import { columnCodesIssue, columnTextsIssue, conciseIssue, pivotIssue } from './view-values.ts';

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, value]));

describe('what a preset says about columns', () => {
  it.each<[string, (value: unknown) => string | undefined, unknown]>([
    ['titles', columnTextsIssue, { TMP: 'temperature' }],
    ['codes', columnCodesIssue, { SKY: { 1: 'clear' } }],
    ['concise columns', conciseIssue, ['a', 'b']],
    ['a pivot', pivotIssue, { rows: ['day'], category: 'c', value: 'v' }],
    ['a licence', licenceIssue, { code: 'CC-BY-4.0', title: 'CC BY', url: 'https://a.example/' }],
    ['an unknown licence', licenceIssue, 'unknown'],
    ['a time in arguments', asOfIssue, { arguments: ['day', 'hour'], offset: 'Z' }],
    ['a time in columns', asOfIssue, { columns: ['day'] }],
    ['a time in the payload', asOfIssue, { pointer: '/head/tm' }],
    ['the time of the request', asOfIssue, 'fetch'],
  ])('may be %s', (_, issueOf, value) => {
    expect(issueOf(value)).toBeUndefined();
  });

  it.each<[(value: unknown) => string | undefined, unknown]>([
    [columnTextsIssue, {}],
    [columnTextsIssue, { a: '' }],
    [columnTextsIssue, { a: 'x'.repeat(201) }],
    [columnTextsIssue, many(201, 'x')],
    [columnCodesIssue, { a: 'clear' }],
    [columnCodesIssue, { a: many(501, 'x') }],
    [conciseIssue, []],
    [conciseIssue, 'a'],
    [pivotIssue, { rows: ['day'], category: 'c' }],
    [pivotIssue, { rows: ['day'], category: 'c', value: 'v', more: 1 }],
    [licenceIssue, 'MIT'],
    [licenceIssue, { code: 'MIT', title: 'MIT' }],
    [licenceIssue, { code: 'MIT', title: 'MIT', url: 'javascript:1' }],
    [asOfIssue, 'now'],
    [asOfIssue, {}],
    [asOfIssue, { columns: ['a'], pointer: '/a' }],
    [asOfIssue, { columns: ['a', 'b', 'c', 'd', 'e'] }],
    [asOfIssue, { columns: ['a'], offset: '9' }],
  ])('is refused with what it must be: %#', (issueOf, value) => {
    expect(issueOf(value)).toMatch(/^must /);
  });

  it('is read as it was written', () => {
    expect(licenceOf('unknown')).toEqual({ code: 'unknown', title: null, url: null });
    expect(asOfRule('unknown', null)).toEqual({ kind: 'unknown' });
    expect(asOfRule({ columns: ['a'] }, '+09:00')).toEqual({
      kind: 'payload',
      place: { pointer: null, columns: ['a'], offset: '+09:00' },
    });
  });
});
