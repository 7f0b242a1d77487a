import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskUrl } from './mask-url.ts';

const base = 'https://api.example.com/1360000';

it.each([
  [`${base}/x?q=hong%40example.com&n=1`, `${base}/x?q=[masked:email]&n=1`],
  [`${base}/x?q=%EC%A0%84%ED%99%94+010-1234-5678`, `${base}/x?q=전화 [masked:phone]`],
  [`${base}/people/900101-1234568/name`, `${base}/people/[masked:resident-number]/name`],
  [`${base}/x?password=hunter2`, `${base}/x?password=[masked:secret]`],
])('turns %s into %s', (url, masked) => {
  expect(maskUrl(url)).toBe(masked);
});

it.each([
  `${base}/getUltraSrtNcst?serviceKey=REDACTED&dataType=JSON&base_date=20261121&nx=60&ny=127`,
  `${base}/corp?crno=1101111000481&q=%EC%82%BC%EC%84%B1+a%2Bb`,
  `${base}/REDACTED/json?a&b=&=c`,
  `${base}/x?bad=%E0%A4%A`,
])('leaves %s unchanged', (url) => {
  expect(maskUrl(url)).toBe(url);
});

it('masks every encoded mail address', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      const query = new URLSearchParams({ q: address });
      const masked = maskUrl(`${base}?${query}`);
      expect(masked).not.toContain(query.toString().slice(2));
      expect(masked).toContain('[masked:email]');
    }),
  );
});
