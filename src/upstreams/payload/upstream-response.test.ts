import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linksOf, MAX_LINK_LENGTH } from './upstream-response.ts';

const BASE = 'https://api.example/v1/things?key=REDACTED';

const links = (headers: Record<string, string | string[]>) => linksOf(headers, BASE, undefined);

describe('linksOf', () => {
  it.each([
    ['/things/4711', 'https://api.example/things/4711'],
    ['4711', 'https://api.example/v1/4711'],
    ['?page=2', 'https://api.example/v1/things?page=2'],
    [' https://files.example/a b ', 'https://files.example/a%20b'],
  ])('makes the address %s absolute', (location, expected) => {
    expect(links({ location })).toEqual({ location: expected });
  });

  it('finds the status of an operation under each of its names', () => {
    const operation = 'https://api.example/jobs/1';
    expect(links({ 'operation-location': '/jobs/1' })).toEqual({ operation });
    expect(links({ 'azure-asyncoperation': operation, link: '' })).toEqual({ operation });
  });

  it.each([
    '</v1/things?page=2>; rel="next"',
    '</v1/things?page=1>; rel=prev, </v1/things?page=2>; title="a, b"; REL=Next',
    ['</v1/things?page=9>; rel="last"', '<?page=2>;rel="index next"'],
    '</other>; rel=next; anchor="#x", <?page=2>; rel=next',
  ])('finds the page that follows in %j', (link) => {
    expect(links({ link })).toEqual({ next: 'https://api.example/v1/things?page=2' });
  });

  it.each([
    {},
    { location: '' },
    { location: 'javascript:alert(1)' },
    { location: 'https://' },
    { link: '</a>; rel="nextish", </b>; rel=last' },
    { link: 'rel=next' },
  ])('finds nothing in %j', (headers) => {
    expect(links(headers)).toBeUndefined();
  });

  it('hides the secrets of the request', () => {
    const hidden = [{ value: 'sesame opens', name: 'key', in: 'query' as const, prefix: '' }];
    const headers = {
      location: '/things?key=sesame%20opens',
      link: '<?key=sesame+opens>;rel=next',
    };
    expect(linksOf(headers, BASE, hidden)).toEqual({
      location: 'https://api.example/things?key=REDACTED',
      next: 'https://api.example/v1/things?key=REDACTED',
    });
  });

  it('leaves out what is too long', () => {
    const location = `https://api.example/${'a'.repeat(MAX_LINK_LENGTH - 20)}`;
    expect(links({ location })).toEqual({ location });
    expect(links({ location: `${location}a`, link: '</b>; rel=next' })).toEqual({
      next: 'https://api.example/b',
    });
  });

  it('finds absolute addresses of bounded length, or none, in any header', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string().map((part) => `<${part}>; rel="next ${part}"`),
    );
    fc.assert(
      fc.property(text, text, (location, link) => {
        for (const found of Object.values(links({ location, link }) ?? {})) {
          expect(found).toMatch(/^https?:\/\/[^\s<>]+$/);
          expect(found.length).toBeLessThanOrEqual(MAX_LINK_LENGTH);
        }
      }),
    );
  });
});
