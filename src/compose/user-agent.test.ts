import { expect, it } from 'vitest';
import { readSettings } from '../platform/config/settings.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { userAgentOf } from './guarded.ts';

it.each([
  [{}, ''],
  [{ BASE_URL: 'http://tools.example' }, ''],
  [
    { BASE_URL: 'https://user:hunter2@tools.example/gateway/' },
    ' (+https://tools.example/gateway)',
  ],
  [{ UPSTREAM_CONTACT: 'ops@example.com', BASE_URL: 'https://a.example' }, ' (+ops@example.com)'],
])('with %j, providers are told the version%s', (environment, contact) => {
  expect(userAgentOf(readSettings(environment))).toBe(`tool-gateway/${VERSION}${contact}`);
});
