import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { chooseSlug, nameKeyOf } from './names.ts';

const free = () => false;

describe('the slug of a registration', () => {
  it.each([
    ['My API', 'my-api'],
    ['  Café  Crème! ', 'cafe-creme'],
    ['날씨', 'api-example-com'],
    ['날씨 API', 'api-example-com'],
    ['Ωmega', 'api-example-com'],
    ['7', '7'],
    ['A'.repeat(100), 'a'.repeat(32)],
    [`${'a'.repeat(31)} b`, 'a'.repeat(31)],
  ])('of %j is %s', (name, slug) => {
    expect(chooseSlug(name, 'api.example.com', free)).toBe(slug);
  });

  it('is never taken, and always a slug', () => {
    const names = fc.array(visibleText({ maxLength: 60 }), { maxLength: 30 });
    fc.assert(
      fc.property(names, fc.domain(), (all, host) => {
        const taken = new Set<string>();
        for (const name of all) {
          const slug = chooseSlug(name, host, (each) => taken.has(each));
          expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
          expect(slug.length).toBeLessThanOrEqual(32);
          expect(taken).not.toContain(slug);
          taken.add(slug);
        }
      }),
    );
  });
});

it('names are the same whatever their case and punctuation', () => {
  expect(nameKeyOf(' My-API ')).toBe(nameKeyOf('my  api'));
  expect(nameKeyOf('날씨 API')).toBe(nameKeyOf('날씨・API'));
  expect(nameKeyOf('날씨')).not.toBe(nameKeyOf('기온'));
});
