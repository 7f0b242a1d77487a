import { describe, expect, test } from 'vitest';
import { splitIssues } from './split-issues.ts';

describe('splitIssues', () => {
  test('gives each field its own issues, as sentences', () => {
    const issues = [
      { path: '/lat', message: 'must be a number.' },
      { path: '/lat', message: 'must be at most 90.' },
      { path: '/a~1b~0', message: 'is unknown.' },
    ];
    expect(splitIssues(issues, ['lat', 'a/b~'])).toEqual({
      byName: { lat: 'Must be a number. Must be at most 90.', 'a/b~': 'Is unknown.' },
      others: [],
    });
  });

  test('says where within an argument it is', () => {
    const issues = [{ path: '/businesses/0/b_no', message: 'is required.' }];
    expect(splitIssues(issues, ['businesses']).byName).toEqual({
      businesses: '0.b_no: is required.',
    });
  });

  test('keeps what belongs to no field', () => {
    const issues = [
      { path: '', message: 'must have lat or nx.' },
      { path: '/other', message: 'is unknown.' },
    ];
    expect(splitIssues(issues, ['lat'])).toEqual({ byName: {}, others: issues });
  });
});
