import { expect, test } from 'vitest';
import { MAX_VALUE_LENGTH, valueIssue } from './provider-keys-query.ts';

test.each([
  ['', null],
  ['abc+/==', null],
  ['  pasted with blanks\n', null],
  ['x'.repeat(MAX_VALUE_LENGTH), null],
  ['x'.repeat(MAX_VALUE_LENGTH + 1), 'tooLong'],
  ['two\nlines', 'control'],
  ['a\u0000b', 'control'],
  ['a\u2028b', 'control'],
])('knows what is wrong with %j', (value, issue) => {
  expect(valueIssue(value)).toBe(issue);
});
