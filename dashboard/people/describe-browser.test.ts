import { expect, test } from 'vitest';
import { describeBrowser } from './describe-browser.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36 Edg/150.0',
    'Edge, Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19 Safari/604',
    'Safari, iOS',
  ],
  ['curl/8.0', 'curl/8.0'],
  ['x'.repeat(100), 'x'.repeat(60)],
  ['', null],
  [null, null],
])('describes %j', (userAgent, described) => {
  expect(describeBrowser(userAgent)).toBe(described);
});
