import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, visibleText } from '../../../test/support/arbitrary-text.ts';
import { compileText, getWith, postWith, toolOf } from '../../../test/support/compile-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Tool, UpstreamRequest } from '../model.ts';
import type { SecretLookup } from './parameter-writer.ts';
import { createRequestEncoder } from './request-encoder.ts';

const text = { type: 'string' };
const none: SecretLookup = () => undefined;
const secretOf =
  (value: string): SecretLookup =>
  () =>
    new Secret(value);

const encode = (tool: Tool, args: Record<string, unknown>, secrets = none): UpstreamRequest =>
  createRequestEncoder(tool)(args, secrets);

/** The tool of one GET at this path, with these parameters. */
async function toolAt(path: string, ...parameters: unknown[]): Promise<Tool> {
  const { tools } = await compileText(
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'T' },
      servers: [{ url: 'https://api.example.com/v1' }],
      paths: { [path]: { get: { operationId: 'x', parameters } } },
    }),
  );
  const [tool] = tools;
  if (!tool) throw new Error('The document has no tool.');
  return tool;
}

const place = (location: string, rest = {}, name = 'a'): unknown => ({
  name,
  in: location,
  schema: {},
  ...(location === 'path' ? { required: true } : {}),
  ...rest,
});

const refusalOf = (tool: Tool, args: Record<string, unknown>, secrets = none): GatewayError => {
  try {
    encode(tool, args, secrets);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('The arguments were accepted.');
};

describe('the URL of a request', () => {
  it('is the base URL, the path and the query in the order of the document', async () => {
    const tool = await toolAt(
      '/a b/{id}.json',
      place('path', {}, 'id'),
      place('query', {}, 'q'),
      place('query', {}, 'n'),
    );
    const request = encode(tool, { n: 5, q: '서울 + &', id: 'x y' });
    expect(request).toMatchObject({
      method: 'GET',
      origin: 'https://api.example.com',
      path: '/v1/a%20b/x%20y.json?q=%EC%84%9C%EC%9A%B8%20%2B%20%26&n=5',
      body: null,
    });
    expect(request.redactedUrl).toBe(`https://api.example.com${request.path}`);
  });

  it.each([
    ['form', true, ['x', 'y'], 'a=x&a=y'],
    ['form', false, ['x', 'y'], 'a=x,y'],
    ['form', true, { b: 1, c: 2 }, 'b=1&c=2'],
    ['spaceDelimited', false, ['x', 'y'], 'a=x%20y'],
    ['pipeDelimited', false, ['x', 'y'], 'a=x%7Cy'],
    ['pipeDelimited', true, ['x', 'y'], 'a=x&a=y'],
    ['deepObject', true, { b: { c: 1 } }, 'a%5Bb%5D%5Bc%5D=1'],
  ])('encodes queries in style %s, explode %s', async (style, explode, value, query) => {
    const tool = await toolAt('/', place('query', { style, explode }));
    expect(encode(tool, { a: value }).path).toBe(`/v1/?${query}`);
  });

  it.each([
    ['simple', false, ['x', 'y'], 'x,y'],
    ['label', true, ['x', 'y'], '.x.y'],
    ['label', false, { b: 1 }, '.b,1'],
    ['matrix', true, { b: 1, c: 2 }, ';b=1;c=2'],
    ['matrix', false, 'x', ';a=x'],
  ])('encodes path segments in style %s, explode %s', async (style, explode, value, part) => {
    const tool = await toolAt('/{a}', place('path', { style, explode }));
    expect(encode(tool, { a: value }).path).toBe(`/v1/${part}`);
  });

  it('keeps reserved characters if allowed, but never those that structure the query', async () => {
    const tool = await toolAt('/', place('query', { allowReserved: true }));
    expect(encode(tool, { a: ":/?@!$'()*,;#[]&=+% " }).path).toBe(
      '/v1/?a=:/?@!$%27()*,;%23%5B%5D%26%3D%2B%25%20',
    );
  });

  it('encodes a parameter with content as one JSON string', async () => {
    const content = { 'application/json': { schema: {} } };
    const tool = await toolAt('/', { name: 'a', in: 'query', content });
    expect(encode(tool, { a: { b: ['c'] } }).path).toBe('/v1/?a=%7B%22b%22%3A%5B%22c%22%5D%7D');
  });

  it('omits values that are absent, null or empty', async () => {
    const tool = await toolAt(
      '/',
      place('query'),
      place('query', {}, 'b'),
      place('query', {}, 'c'),
    );
    expect(encode(tool, { a: null, c: [] }).path).toBe('/v1/');
    expect(encode(tool, { b: '' }).path).toBe('/v1/?b=');
  });

  it.each([
    ...'. .. a/../b ../a a/. a%2f%2e%2e ..;x/a a\\b %2e%2E %252e a%255Cb a%0d%0ab'.split(' '),
    '',
    'a\nb',
    '\0',
    '\ud800',
    `%${'25'.repeat(20)}2e`,
    null,
    undefined,
    [],
    {},
    [''],
    ['a', '..'],
    { '..': 1 },
    { a: '/..' },
  ])('refuses %o in a path', async (value) => {
    for (const style of ['simple', 'label', 'matrix']) {
      const tool = await toolAt('/x/{a}/y', place('path', { style }));
      const error = refusalOf(tool, { a: value });
      expect(error.code).toBe('invalid_arguments');
      expect(error.details.errors?.map(({ path }) => path)).toEqual(['/a']);
    }
  });

  it('accepts dots and percent signs that lead nowhere', async () => {
    const tool = await toolAt('/{a}', place('path'));
    for (const [value, part] of [
      ['...', '...'],
      ['.a', '.a'],
      ['100%', '100%25'],
      ['%zz', '%25zz'],
      ['a%20b', 'a%2520b'],
      ['KR;JP', 'KR%3BJP'],
      ['?#', '%3F%23'],
      ['a/b', 'a%2Fb'],
      ['/a//b/', '%2Fa%2F%2Fb%2F'],
      ['a%2fb', 'a%252fb'],
      ['..a/b..;c', '..a%2Fb..%3Bc'],
    ] as const) {
      expect(encode(tool, { a: value }).path).toBe(`/v1/${part}`);
    }
  });
});

describe('headers and cookies', () => {
  it('name the gateway and what it accepts, unless the operation sets them', async () => {
    expect(encode(await toolAt('/'), {}).headers).toEqual({
      accept: 'application/json, application/xml;q=0.9, */*;q=0.5',
      'user-agent': 'tool-gateway',
    });
    const tool = await toolAt('/', place('header', { 'x-fixed': 'mine' }, 'User-Agent'));
    expect(encode(tool, {}).headers['user-agent']).toBe('mine');
  });

  it('carry values unchanged in headers and percent-encoded in cookies', async () => {
    const tool = await toolAt(
      '/',
      place('header', {}, 'X-A'),
      place('cookie', {}, 'b'),
      place('cookie', {}, 'c'),
    );
    const { headers } = encode(tool, { 'X-A': ['é', 'b c'], b: 'x; y', c: [1, 2] });
    expect(headers).toMatchObject({ 'x-a': 'é,b c', cookie: 'b=x%3B%20y; c=1; c=2' });
  });

  it.each([
    ['header', 'a\r\nb: c'],
    ['header', 'a\0'],
    ['header', '서울'],
    ['cookie', 'a\r\nb'],
    ['cookie', ['\n']],
  ])('reject in a %s the value %o', async (location, value) => {
    const error = refusalOf(await toolAt('/', place(location)), { a: value });
    expect(error.details.errors?.[0]?.path).toBe('/a');
  });
});

describe('secrets', () => {
  const KEY = 'a+b/c==%2B';
  const withSecret = (location: string): unknown =>
    place(location, { 'x-secret': 'EXAMPLE_KEY' }, 'key');

  it('are percent-encoded exactly once in a query, and redacted where shown', async () => {
    const request = encode(await toolAt('/', withSecret('query')), {}, secretOf(KEY));
    expect(request.path).toBe('/v1/?key=a%2Bb%2Fc%3D%3D%252B');
    expect(request.redactedUrl).toBe('https://api.example.com/v1/?key=REDACTED');
  });

  it('remain one segment in a path, and are redacted where shown', async () => {
    const request = encode(await toolAt('/{key}/list', withSecret('path')), {}, secretOf(KEY));
    expect(request.path).toBe('/v1/a%2Bb%2Fc%3D%3D%252B/list');
    expect(request.redactedUrl).toBe('https://api.example.com/v1/REDACTED/list');
  });

  it.each([
    [{ type: 'http', scheme: 'bearer' }, { authorization: 'Bearer user:pass' }],
    [{ type: 'http', scheme: 'basic' }, { authorization: 'Basic dXNlcjpwYXNz' }],
    [{ type: 'apiKey', in: 'header', name: 'X-K' }, { 'x-k': 'user:pass' }],
    [{ type: 'apiKey', in: 'cookie', name: 'k' }, { cookie: 'k=user:pass' }],
  ])('are sent as the scheme %o requires', async (scheme, headers) => {
    const tool = await toolOf(getWith(), {
      security: [{ s: [] }],
      components: { securitySchemes: { s: { ...scheme, 'x-secret': 'KEY' } } },
    });
    expect(encode(tool, {}, secretOf('user:pass')).headers).toMatchObject(headers);
  });

  it('are reported by name, without their value, if they are missing or cannot be sent', async () => {
    const error = refusalOf(await toolAt('/', withSecret('query')), {});
    expect([error.code, error.message]).toEqual([
      'missing_secret',
      'The gateway has no value for EXAMPLE_KEY; its operator must set it.',
    ]);
    const broken = refusalOf(await toolAt('/', withSecret('header')), {}, secretOf('top\nsecret'));
    expect(broken.code).toBe('missing_secret');
    expect(broken.message).toContain('EXAMPLE_KEY');
    expect(broken.message).not.toContain('top');
  });
});

describe('a body', () => {
  const properties = { name: text, tags: { type: 'array' }, place: { type: 'object' } };
  const thing = { type: 'object', properties };
  const bodyOf = (request: UpstreamRequest): string => request.body?.toString() ?? '';

  const toolFor = (contentType: string, media: unknown): Promise<Tool> =>
    toolOf({
      post: {
        operationId: 'x',
        requestBody: { required: true, content: { [contentType]: media } },
      },
    });

  it('is assembled from lifted properties and fixed values', async () => {
    const schema = { ...thing, properties: { ...properties, kind: { 'x-fixed': 'k' } } };
    const tool = await toolOf(postWith(schema, { parameters: [place('query')] }));
    const request = encode(tool, { a: 1, name: '이름', tags: null, other: 1 });
    expect(bodyOf(request)).toBe('{"name":"이름","tags":null,"kind":"k"}');
    expect(request.headers['content-type']).toBe('application/json');
    expect(request.path).toBe('/v1/things?a=1');
  });

  it('is the argument `body` if it could not be lifted', async () => {
    const tool = await toolOf(postWith({ type: 'array', items: text }));
    expect(bodyOf(encode(tool, { body: ['a'] }))).toBe('["a"]');
  });

  it('is omitted if it is optional and none of its properties is given', async () => {
    const requestBody = { content: { 'application/json': { schema: thing } } };
    const tool = await toolOf({ post: { operationId: 'x', requestBody } });
    const request = encode(tool, {});
    expect(request.body).toBeNull();
    expect(request.headers).not.toHaveProperty('content-type');
  });

  it('is a form with arrays repeated and objects as JSON, unless styles are declared', async () => {
    const form = 'application/x-www-form-urlencoded';
    const args = { name: 'a b&', tags: ['x', 'y'], place: { n: 1 } };
    const plain = await toolFor(form, { schema: thing });
    expect(bodyOf(encode(plain, args))).toBe('name=a%20b%26&tags=x&tags=y&place=%7B%22n%22%3A1%7D');
    const encoding = { tags: { style: 'pipeDelimited' }, place: { style: 'deepObject' } };
    const styled = await toolFor(form, { schema: thing, encoding });
    expect(bodyOf(encode(styled, args))).toBe('name=a%20b%26&tags=x%7Cy&place%5Bn%5D=1');
  });

  it('is multipart with a part for each value, and deterministic', async () => {
    const properties = { 'a"\r\nb': text, tags: { type: 'array' }, place: { type: 'object' } };
    const encoding = { tags: { contentType: 'text/csv, text/plain' } };
    const tool = await toolFor('multipart/form-data', {
      schema: { type: 'object', properties },
      encoding,
    });
    const args = { 'a"\r\nb': 'x', tags: ['p', 'q'], place: { n: 1 } };
    const request = encode(tool, args);
    const boundary = request.headers['content-type']?.split('boundary=')[1] ?? '';
    const part = (name: string, type: string, value: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n${type && `Content-Type: ${type}\r\n`}\r\n${value}\r\n`;
    expect(bodyOf(request)).toBe(
      `${part('a%22%0D%0Ab', '', 'x')}${part('tags', 'text/csv', 'p')}${part('tags', 'text/csv', 'q')}` +
        `${part('place', 'application/json', '{"n":1}')}--${boundary}--\r\n`,
    );
    expect(encode(tool, args)).toEqual(request);
  });

  it('is plain text for other media types', async () => {
    const tool = await toolFor('application/xml', { schema: { type: 'object' } });
    expect(tool.inputSchema['properties']).toEqual({ body: { type: 'string' } });
    expect(bodyOf(encode(tool, { body: '<a/>' }))).toBe('<a/>');
  });
});

describe('for any arguments', () => {
  const hostileText = fc.oneof(
    anyText(),
    fc.string(),
    fc
      .array(fc.constantFrom(...'. % 2e 2F 5c 25 / \\ ? # @ : a'.split(' '), '\t', ' '))
      .map((parts) => parts.join('')),
  );
  const anyValue = fc.oneof(
    hostileText,
    fc.jsonValue(),
    fc.array(hostileText),
    fc.dictionary(hostileText, hostileText),
  );

  it('neither the origin nor the depth of the path changes', async () => {
    const tools = await Promise.all(
      ['simple', 'label', 'matrix'].flatMap((style) =>
        [true, false].map((explode) =>
          toolAt('/x/{a}.{b}/y', place('path', { style, explode }), place('path', {}, 'b')),
        ),
      ),
    );
    const encoders = tools.map(createRequestEncoder);
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        for (const encodeOne of encoders) {
          try {
            const { origin, path } = encodeOne({ a, b }, none);
            const url = new URL(path, origin);
            expect(url.origin).toBe('https://api.example.com');
            expect(url.pathname + url.search + url.hash).toBe(path);
            expect(path).toMatch(/^\/v1\/x\/[^/?#]+\/y$/);
          } catch (error) {
            if (!(error instanceof GatewayError)) throw error;
            expect(error.code).toBe('invalid_arguments');
          }
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('queries in form style can be parsed back to the same values', async () => {
    const tools = await Promise.all(
      [true, false].map((allowReserved) =>
        toolAt('/', place('query', { allowReserved }), place('query', {}, 'b[c]')),
      ),
    );
    const wellFormed = visibleText();
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        for (const tool of tools) {
          const { path } = encode(tool, { a, b_c: b });
          const read = new URLSearchParams(path.slice(path.indexOf('?')));
          expect([...read]).toEqual([
            ['a', a],
            ['b[c]', b],
          ]);
        }
      }),
    );
  });

  it('a value that is nested too deeply to be encoded is rejected', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;
    const tool = await toolAt('/', place('query', { style: 'deepObject' }));
    expect(refusalOf(tool, { a: deep }).message).toBe('The arguments are nested too deeply.');
  });

  it('only a GatewayError is thrown, and no header is added or split', async () => {
    const tool = await toolOf({
      post: {
        operationId: 'x',
        parameters: [
          place('query', { style: 'deepObject' }),
          place('header', {}, 'X-B'),
          place('cookie', {}, 'c'),
          place('query', { style: 'spaceDelimited', explode: false }, 'd'),
        ],
        requestBody: {
          content: {
            'multipart/form-data': { schema: { type: 'object', properties: { e: {}, f: {} } } },
          },
        },
      },
    });
    const args = fc.dictionary(
      fc.constantFrom('a', 'X-B', 'c', 'd', 'e', 'f', '__proto__'),
      anyValue,
    );
    fc.assert(
      fc.property(args, (given) => {
        try {
          const { headers } = encode(tool, given);
          const allowed = ['accept', 'user-agent', 'x-b', 'cookie', 'content-type'];
          for (const [name, value] of Object.entries(headers)) {
            expect(allowed).toContain(name);
            expect(value).not.toMatch(/[\r\n\0]/);
          }
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('secrets never appear in the redacted URL', async () => {
    const tool = await toolAt(
      '/{key}/{a}',
      place('path', { 'x-secret': 'ONE' }, 'key'),
      place('path'),
      place('query', { 'x-secret': 'TWO' }, 'token'),
      place('query', {}, 'q'),
    );
    const secret = fc
      .string({ minLength: 4, unit: 'grapheme-ascii' })
      .map((rest) => `top-${rest}-secret`);
    fc.assert(
      fc.property(secret, fc.string(), (value, q) => {
        const { redactedUrl, path } = encode(tool, { a: 'x', q }, secretOf(value));
        expect(decodeURIComponent(path)).toContain(value);
        expect(decodeURIComponent(redactedUrl)).not.toContain(value);
        expect(redactedUrl).toContain('/v1/REDACTED/x?token=REDACTED');
      }),
    );
  });
});
