import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getWith, toolOf } from '../../../test/support/compile-text.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
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
  const issues = createArgumentValidator(await weather())({ base: '20261120', ...args });
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
}

describe('validating arguments', () => {
  it('accepts valid arguments and fills in the defaults', async () => {
    const args = { base: '20261120', nx: 60 };
    expect(createArgumentValidator(await weather())(args)).toEqual([]);
    expect(args).toEqual({ base: '20261120', nx: 60, unit: 'c' });
  });

  it('says what a missing argument means', async () => {
    expect(createArgumentValidator(await weather())({})).toEqual([
      { path: '/base', message: '"base" is required: Date of issue.' },
    ]);
  });

  it('suggests the argument that an unknown one may mean', async () => {
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
    [{ tags: ['a', 'a'] }, '/tags', 'must not contain duplicate items.'],
    [{ tags: ['a', 'b', 'c'] }, '/tags', 'must have at most 2 items.'],
    [{ nx: 0 }, '/nx', 'must be at least 1 and at most 149, but is 0.'],
    [{ unit: 'k' }, '/unit', 'must be one of "c", "f", but is "k".'],
    [
      { day: '20261120' },
      '/day',
      'must have the format "date", such as "2026-11-20", but is "20261120".',
    ],
    [{ code: '12345' }, '/code', 'must match the pattern ^\\d{4}$, but is "12345".'],
    [{ either: 'x' }, '/either', 'must match one of these forms: an integer, a switch.'],
  ])('explains what is wrong with %o', async (args, path, message) => {
    expect(await check(args)).toEqual({ [path]: message });
  });

  it('tells a value that matches several forms from one that matches none', async () => {
    // Beside another choice, a `oneOf` stays what it is.
    const forms = [{ type: 'integer' }, { type: 'number', maximum: 5, title: 'small' }];
    const schema = { oneOf: forms, anyOf: [{ type: 'number' }] };
    const tool = await toolOf(getWith({ name: 'n', in: 'query', schema }));
    const check = createArgumentValidator(tool);
    expect(check({ n: 3 })[0]?.message).toContain('matches several of these forms');
    expect(check({ n: 7.5 })[0]?.message).toContain('must match one of these forms');
  });

  it('reports every issue, sorted by path, but only the first one for large arguments', async () => {
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

  it('does not mistake members of the prototype for arguments', async () => {
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

  it('finds duplicate items regardless of the order of their members', async () => {
    const tool = await toolOf(getWith(query('q', { type: 'array', uniqueItems: true })));
    const validate = createArgumentValidator(tool);
    expect(
      validate({
        q: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toEqual([{ path: '/q', message: 'must not contain duplicate items.' }]);
    expect(validate({ q: [1, '1', [1], { 1: 1 }, null] })).toEqual([]);
  });

  it('matches patterns against strings of any length', async () => {
    const tool = await toolOf(getWith(query('q', { type: 'string', pattern: '^[a-z]+-[a-z]+$' })));
    const validate = createArgumentValidator(tool);
    expect(validate({ q: 'a'.repeat(100_000) })).toHaveLength(1);
    expect(validate({ q: `${'a'.repeat(100_000)}-a` })).toEqual([]);
  });

  it.each(Object.keys(fullFormats))('checks the format %s of long strings quickly', (format) => {
    const validate = createArgumentValidator({
      inputSchema: { properties: { q: { type: 'string', format } } },
    });
    const starts = ['http://a', '/', 'a.', '{a}', '{', '1', 'a@a', '['];
    const startedMs = performance.now();
    for (const start of starts) {
      for (const repeated of ['a', 'a:', 'a.', '{', '/', '-', '1', '%20']) {
        validate({ q: start + repeated.repeat(30_000) });
      }
    }
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });

  it.each([3, 7, 8, 30])('checks lists of %i names and values', async (length) => {
    const names = Array.from({ length }, (_, i) => `n${i}`);
    const schema = {
      type: 'object',
      required: names,
      properties: { choice: { enum: [...names.slice(1), { n0: [1] }] } },
    };
    const validate = createArgumentValidator(await toolOf(getWith(query('o', schema))));
    const all = Object.fromEntries(names.map((name) => [name, 1]));
    for (const choice of [names.at(-1), { n0: [1] }]) {
      expect(validate({ o: { ...all, choice } })).toEqual([]);
    }
    const [last] = names.slice(-1);
    const { [last as string]: _, ...others } = all;
    expect(validate({ o: { ...others, choice: 'n0' } })).toEqual([
      { path: '/o/choice', message: expect.stringContaining('must be one of "n1"') },
      { path: `/o/${last}`, message: `"${last}" is required.` },
    ]);
  });

  it('reports every issue as a path and a sentence, for any arguments', async () => {
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
        const issues: readonly ArgumentIssue[] = validate(args as Record<string, unknown>);
        for (const { path, message } of issues) {
          expect(path).toMatch(/^(\/([^~/]|~[01])*)+$/);
          expect(message).toMatch(/\.$/);
        }
      }),
    );
  });
});

describe('multipleOf', () => {
  const check = (multipleOf: number, n: number) =>
    createArgumentValidator({
      inputSchema: { type: 'object', properties: { n: { type: 'number', multipleOf } } },
    })({ n });

  it.each([
    [0.01, [19.99, 4.02, 0, -1.1, 1e21, 123456789.12], [0.005, 19.999, 1e-7]],
    [0.1, [0.3, 1.1], [0.25]],
    [1e-7, [3e-7, 1], [5e-8]],
    [3, [9, -3, 1e21 - 1e21], [1, 0.3]],
    [2.5, [7.5, 5], [1]],
  ])('%s is divided in decimals', (multipleOf, good, bad) => {
    for (const n of good) expect(check(multipleOf, n)).toEqual([]);
    for (const n of bad) {
      expect(check(multipleOf, n)).toEqual([
        { path: '/n', message: `must be a multiple of ${multipleOf}, but is ${n}.` },
      ]);
    }
  });

  it('accepts what is written with the decimals of the divisor, and nothing in between', () => {
    const places = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(places, fc.integer({ min: -1e9, max: 1e9 }), (decimals, digits) => {
        const unit = Number(`1e-${decimals}`);
        expect(check(unit, Number(`${digits}e-${decimals}`))).toEqual([]);
        expect(check(unit, Number(`${digits}5e-${decimals + 1}`))).toHaveLength(1);
      }),
    );
  });
});
