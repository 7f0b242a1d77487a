import { describe, expect, test } from 'vitest';
import { safeBack } from './sign-in-search.ts';

const ORIGIN = 'https://gateway.example';

describe('safeBack', () => {
  test('returns to a page of the dashboard, with its query', () => {
    expect(safeBack('/admin/audit?tenant=a#x', ORIGIN)).toBe('/admin/audit?tenant=a#x');
  });

  test.each([
    undefined,
    '',
    'https://evil.example/admin',
    '//evil.example/admin',
    '/\\evil.example/admin',
    '\\\\evil.example/admin',
    'javascript:alert(1)',
    '/admin/../mcp',
    '/admin/api/session',
    '/admin/sign-in?back=/admin/sign-in',
    '/administrator',
  ])('leads %j to the start page', (back) => {
    expect(safeBack(back, ORIGIN)).toBe('/admin');
  });
});
