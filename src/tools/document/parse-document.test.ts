import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefinitionError } from './definition-error.ts';
import { parseDocument } from './parse-document.ts';

const HEAD = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\n';

const rejection = async (text: string): Promise<string> => {
  const error = await parseDocument(text, 'a.yaml').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DefinitionError);
  return (error as DefinitionError).message;
};

describe('parsing a document', () => {
  it('finds the line of a JSON pointer in YAML, or of the closest part that contains it', async () => {
    const { lineOf } = await parseDocument(
      `${HEAD}paths:\n  /a/b:\n    get:\n      tags:\n        - one\n        - two\n`,
      'a.yaml',
    );
    expect(lineOf('')).toBe(1);
    expect(lineOf('/info/title')).toBe(2);
    expect(lineOf('/paths/~1a~1b/get')).toBe(5);
    expect(lineOf('/paths/~1a~1b/get/tags/1')).toBe(8);
    expect(lineOf('/paths/~1a~1b/get/no/such')).toBe(5);
  });

  it('finds the line of a JSON pointer in JSON', async () => {
    const value = { openapi: '3.1.0', paths: { '/a': { get: { tags: ['one, "two"', 'three'] } } } };
    const { lineOf, root } = await parseDocument(JSON.stringify(value, null, 1), 'a.json');
    expect(root).toEqual(value);
    expect(lineOf('/openapi')).toBe(2);
    expect(lineOf('/paths/~1a/get')).toBe(5);
    expect(lineOf('/paths/~1a/get/tags/1')).toBe(8);
    expect(lineOf('/paths/~1a/put')).toBe(4);
  });

  it('reports the line of a YAML error', async () => {
    expect(await rejection('openapi: 3.1.0\ninfo: {title: T\npaths: {}\n')).toMatch(/^a\.yaml:3: /);
    expect(await rejection('a: [1\n')).toMatch(/^a\.yaml:\d+: This is not valid YAML: /);
  });

  it.each([
    [
      'YAML',
      `${HEAD}paths: {}\npaths: {}\n`,
      'a.yaml:4: The key "paths" occurs twice: on line 3 and on line 4.',
    ],
    [
      'JSON',
      '{"openapi":"3.1.0",\n"a":{"b":1,\n"b":2}}',
      'a.yaml:3: The key "b" occurs twice: on line 2 and on line 3.',
    ],
  ])('rejects a key that occurs twice in %s', async (_, text, message) => {
    expect(await rejection(text)).toBe(message);
  });

  it.each([
    ['an unknown version', 'openapi: 4.0.0\n'],
    ['no version', 'title: x\n'],
    ['Swagger 1.2', 'swagger: "1.2"\n'],
    ['a list', '- 1\n'],
    ['nothing', ''],
    ['a number', '42'],
    ['a JSON list', '[1]'],
    ['an anchor that does not exist', `${HEAD}a: *nothing\n`],
    ['an anchor inside itself', `${HEAD}a: &a [*a]\n`],
    ['a number that JSON cannot represent', `${HEAD}a: .inf\n`],
    ['a key that is a list', `${HEAD}? [a]\n: 1\n`],
    ['a malformed Swagger document', 'swagger: "2.0"\npaths: {/a: {get: {parameters: 5}}}\n'],
  ])('rejects %s', async (_, text) => {
    expect(await rejection(text)).toMatch(/^a\.yaml:\d+: /);
  });

  it.each([
    ['YAML lists', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['YAML maps', `${HEAD}x: ${'{a: '.repeat(500)}1${'}'.repeat(500)}`],
    ['JSON', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ])('rejects deep nesting in %s', async (_, text) => {
    expect(await rejection(text)).toMatch(/^a\.yaml:\d+: /);
  });

  it('rejects an alias bomb', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `a${level}: &a${level} [${Array(10).fill(level ? `*a${level - 1}` : 'x')}]`,
    );
    expect(await rejection(`${HEAD}${levels.join('\n')}\n`)).toContain('with aliases expanded');
  });

  it.each([
    ['JSON', '{"openapi":"3.1.0","x":[1,{},[],"],\\"[,{"]}', 8],
    ['YAML', 'openapi: 3.1.0\nx: [1, {}, [], a]\n', 8],
  ])('rejects %s with more values than there is memory for', async (_, text, values) => {
    expect((await parseDocument(text, 'a.yaml', { maxValues: values })).root).toHaveProperty('x');
    await expect(parseDocument(text, 'a.yaml', { maxValues: values - 1 })).rejects.toThrow(
      'more than 7 values',
    );
  });

  it('rejects JSON with too many values before it builds any', async () => {
    const text = `{"a":[${'{},'.repeat(2_000_000)}`;
    expect(await rejection(text)).toContain('more than 2000000 values');
  });

  it('expands ordinary aliases', async () => {
    const { root } = await parseDocument(`${HEAD}a: &x {b: 1}\nc: *x\n`, 'a.yaml');
    expect(root['c']).toEqual({ b: 1 });
  });

  it('keeps keys named like members of a prototype, and never changes Object.prototype', async () => {
    const { root } = await parseDocument(`${HEAD}__proto__: {a: 1}\nconstructor: 2\n`, 'a.yaml');
    expect(Object.keys(root)).toEqual(['openapi', 'info', '__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    const swagger = {
      swagger: '2.0',
      produces: ['__proto__'],
      paths: { '/a': { get: { responses: { 200: { examples: { x: 1 } } } } } },
    };
    await parseDocument(JSON.stringify(swagger), 'a.json');
    await rejection(JSON.stringify({ ...swagger, consumes: ['__proto__'] }));
    await rejection('{"swagger":"2.0","definitions":{"__proto__":{}}}');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('finds the line in a Swagger 2.0 file of a part that the upgrade moved', async () => {
    const text = 'swagger: "2.0"\nhost: a.example\ndefinitions:\n  Pet:\n    type: object\n';
    const { lineOf } = await parseDocument(text, 'a.yaml');
    expect(lineOf('/components/schemas/Pet/type')).toBe(5);
    expect(lineOf('/servers/0/url')).toBe(2);
  });

  it('reads any JSON as JSON.parse does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (json) => {
        const text = `{"openapi":"3.1.0","info":{"x-any":${json}}}`;
        const { root } = await parseDocument(text, 'a.json');
        expect(JSON.stringify(root)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('fails only with a DefinitionError, for any text', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string().map((rest) => `openapi: 3.1.0\n${rest}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const error = await parseDocument(given, 'a.yaml').catch((thrown: unknown) => thrown);
        expect(error instanceof DefinitionError || !(error instanceof Error)).toBe(true);
      }),
    );
  });
});
