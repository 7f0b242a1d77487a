import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArgumentFault } from '../../platform/kernel/error.ts';
import { getWith, postWith, toolOf } from '../compile/fixtures/compile-text.ts';
import type { Tool } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';

const query = (name: string, schema: unknown, rest = {}): unknown => ({
  name,
  in: 'query',
  schema,
  ...rest,
});

const weather = (): Promise<Tool> =>
  toolOf(
    getWith(
      query(
        'base',
        { type: 'string' },
        { required: true, description: 'Date of issue. As YYYYMMDD.' },
      ),
      query('nx', { type: 'integer', minimum: 1, maximum: 149 }),
      query('unit', { type: 'string', enum: ['c', 'f'], default: 'c' }),
      query('day', { type: 'string', format: 'date' }, { example: '2026-11-20' }),
      query('code', { type: 'string', pattern: '^\\d{4}$', minLength: 4 }),
      query('deep', { type: 'boolean' }),
      query('tags', { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 2 }),
      query('either', { oneOf: [{ type: 'integer' }, { type: 'boolean', title: 'a switch' }] }),
    ),
  );

/** The messages for these arguments of the tool above, by path. */
async function check(args: Record<string, unknown>): Promise<Record<string, string>> {
  const faults = createArgumentValidator(await weather())({ base: '20261120', ...args });
  return Object.fromEntries(faults.map(({ path, message }) => [path, message]));
}

describe('checking arguments', () => {
  it('finds nothing in good ones and fills the defaults in', async () => {
    const args = { base: '20261120', nx: 60 };
    expect(createArgumentValidator(await weather())(args)).toEqual([]);
    expect(args).toEqual({ base: '20261120', nx: 60, unit: 'c' });
  });

  it('says what a missing argument is for', async () => {
    expect(createArgumentValidator(await weather())({})).toEqual([
      { path: '/base', message: '"base" is required: Date of issue.' },
    ]);
  });

  it('says which argument an unknown one may mean', async () => {
    expect(await check({ bsae: 1, zzzzzz: 2 })).toEqual({
      '/bsae':
        'Unknown argument "bsae". Did you mean "base"? Known: base, nx, unit, day, code, deep, tags, either.',
      '/zzzzzz': 'Unknown argument "zzzzzz". Known: base, nx, unit, day, code, deep, tags, either.',
    });
  });

  it.each([
    [{ nx: '60' }, '/nx', 'must be an integer, but is the string "60"; send it without quotes.'],
    [{ nx: 'x' }, '/nx', 'must be an integer, but is the string "x".'],
    [{ nx: 6.5 }, '/nx', 'must be an integer, but is the number 6.5.'],
    [{ nx: null }, '/nx', 'must be an integer, but is null.'],
    [
      { base: 20261120 },
      '/base',
      'must be a string, but is the number 20261120; send it in quotes.',
    ],
    [
      { deep: 'true' },
      '/deep',
      'must be true or false, but is the string "true"; send it without quotes.',
    ],
    [{ tags: 'a' }, '/tags', 'must be an array, but is the string "a".'],
    [{ tags: [1] }, '/tags/0', 'must be a string, but is the number 1; send it in quotes.'],
    [{ tags: ['a', 'a'] }, '/tags', 'must not have the same item twice.'],
    [{ tags: ['a', 'b', 'c'] }, '/tags', 'must have at most 2 items.'],
    [{ nx: 0 }, '/nx', 'must be at least 1 and at most 149, but is 0.'],
    [{ unit: 'k' }, '/unit', 'must be one of "c", "f", but is "k".'],
    [
      { day: '20261120' },
      '/day',
      'must be of the format "date" such as "2026-11-20", but is "20261120".',
    ],
    [{ code: '12345' }, '/code', 'must match the pattern ^\\d{4}$, but is "12345".'],
    [{ either: 'x' }, '/either', 'does not fit any of its allowed forms: an integer, a switch.'],
  ])('of %o speaks in words', async (args, path, message) => {
    expect(await check(args)).toEqual({ [path]: message });
  });

  it('gives every fault, sorted by path, and of large arguments the first', async () => {
    expect(Object.keys(await check({ zz: 1, unit: 'k', nx: 0, aa: 1 }))).toEqual([
      '/aa',
      '/nx',
      '/unit',
      '/zz',
    ]);
    const some = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`q${i}`, i]));
    expect(Object.keys(await check(some))).toHaveLength(100);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`q${i}`, i]));
    expect(Object.keys(await check(many))).toHaveLength(1);
  });

  it('knows an argument only by its own name, never by the prototype', async () => {
    const tool = await toolOf(
      getWith(query('constructor', { type: 'string' }, { required: true }), query('toString', {})),
    );
    const validate = createArgumentValidator(tool);
    expect(validate({}).map(({ path }) => path)).toEqual(['/constructor']);
    expect(validate({ constructor: 'x' })).toEqual([]);
    expect(
      validate(JSON.parse('{"constructor":"x","__proto__":1}') as Record<string, unknown>),
    ).toHaveLength(1);
    expect(validate({ constructor: 'x', valueOf: 1 })).toHaveLength(1);
  });

  it('does not hold long texts to a format', async () => {
    const tool = await toolOf(getWith(query('q', { type: 'string', format: 'email' })));
    const validate = createArgumentValidator(tool);
    expect(validate({ q: 'a'.repeat(2000) })).toHaveLength(1);
    expect(validate({ q: 'a'.repeat(2001) })).toEqual([]);
    expect(validate({ q: 'a@example.com' })).toEqual([]);
  });

  it('finds the same item twice whatever the order of its members', async () => {
    const tool = await toolOf(getWith(query('q', { type: 'array', uniqueItems: true })));
    const validate = createArgumentValidator(tool);
    expect(
      validate({
        q: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toEqual([{ path: '/q', message: 'must not have the same item twice.' }]);
    expect(validate({ q: [1, '1', [1], { 1: 1 }, null] })).toEqual([]);
  });

  it('does not run patterns over long texts', async () => {
    const tool = await toolOf(getWith(query('q', { type: 'string', pattern: '^[a-z]+-[a-z]+$' })));
    const validate = createArgumentValidator(tool);
    expect(validate({ q: 'a'.repeat(200) })).toHaveLength(1);
    expect(validate({ q: 'a'.repeat(100_000) })).toEqual([]);
  });

  /** Four forms, each of which leads to all four again. */
  const recursive = (): Promise<Tool> => {
    const form = (name: string) => ({
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/Node' }, [name]: { type: 'integer' } },
      additionalProperties: false,
    });
    const Node = { oneOf: ['a', 'b', 'c', 'd'].map(form) };
    return toolOf(postWith({ $ref: '#/components/schemas/Node' }), {
      components: { schemas: { Node } },
    });
  };
  const nest = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { next: nest(levels - 1, inner) };

  it('gives up on a recursive choice that takes too many steps', async () => {
    const validate = createArgumentValidator(await recursive());
    expect(validate({ body: { a: 1 } })).toEqual([]);
    expect(validate({ body: nest(3, { e: 1 }) })[0]?.path).toBe('/body');
    expect(validate({ body: nest(30, { e: 1 }) })).toEqual([
      { path: '', message: expect.stringContaining('too deeply nested') },
    ]);
    expect(validate({ body: { b: 1 } })).toEqual([]);
  });

  it('answers any arguments with faults of paths and sentences', async () => {
    const validate = createArgumentValidator(await weather());
    const names = fc.constantFrom(
      'base',
      'nx',
      'unit',
      'day',
      'code',
      'deep',
      'tags',
      'either',
      'x',
      'a/b~',
    );
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (args) => {
        const faults: readonly ArgumentFault[] = validate(args as Record<string, unknown>);
        for (const { path, message } of faults) {
          expect(path).toMatch(/^(\/([^~/]|~[01])*)+$/);
          expect(message).toMatch(/\.$/);
        }
      }),
    );
  });
});
