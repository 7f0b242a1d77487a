import { expect, it } from 'vitest';
import { ownPath } from './session.ts';

it.each(['/admin', '/admin/settings/keys?tenant=a#b', '/admin/join?token=abc_-'])(
  'keeps %s',
  (path) => {
    expect(ownPath(path)).toBe(path);
  },
);

it.each([
  undefined,
  '',
  'admin',
  'https://evil.example/admin',
  '//evil.example/admin',
  '/\\evil.example/admin',
  '\\\\evil.example',
  '/\t/evil.example/admin',
  '/admin/../\\evil.example',
  '/administrator',
  '/admin/api/session/oidc',
  '/admin/%2e%2e/docs',
  '/docs',
  'javascript:alert(1)',
])('replaces %j', (path) => {
  expect(ownPath(path)).toBe('/admin');
});
