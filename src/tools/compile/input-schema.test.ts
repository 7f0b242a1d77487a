import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../model.ts';
import { documentOf, faultsOf, getWith, postWith, toolOf } from './fixtures/compile-text.ts';

const schemas = (map: unknown): Record<string, unknown> => ({ components: { schemas: map } });

/** The input schema's property of a GET with one query parameter of this schema. */
async function propertyOf(schema: unknown, rest = {}, options = {}): Promise<unknown> {
  const parameter = { name: 'q', in: 'query', schema };
  const { inputSchema } = await toolOf(getWith(parameter), rest, options);
  return (inputSchema['properties'] as JsonSchema)['q'];
}

describe('schemas on their way into an input schema', () => {
  it('lose what only OpenAPI knows, and keep the rest', async () => {
    const property = await propertyOf({
      type: 'string',
      format: 'date',
      enum: ['a', 'b'],
      default: 'a',
      example: 'b',
      xml: { name: 'x' },
      externalDocs: { url: 'https://example.com' },
      discriminator: { propertyName: 'x' },
      'x-vendor': 1,
      $id: 'https://example.com/schema',
      $anchor: 'here',
    });
    expect(property).toEqual({
      type: 'string',
      format: 'date',
      enum: ['a', 'b'],
      default: 'a',
      examples: ['b'],
    });
  });

  it('take description, example and deprecation from the parameter first', async () => {
    const parameter = {
      name: 'q',
      in: 'query',
      description: 'Of the parameter.',
      deprecated: true,
      examples: { one: { value: 1 }, two: { $ref: '#/nowhere' } },
      schema: { type: 'integer', description: 'Of the schema.', example: 5 },
    };
    const { inputSchema } = await toolOf(getWith(parameter));
    expect(inputSchema['properties']).toEqual({
      q: { type: 'integer', description: 'Of the parameter.', deprecated: true, examples: [1] },
    });
  });

  it('have small references written in place, with the words beside them on top', async () => {
    const rest = schemas({ Unit: { type: 'string', enum: ['c', 'f'], description: 'Unit.' } });
    const reference = { $ref: '#/components/schemas/Unit' };
    expect(await propertyOf({ ...reference, description: 'Unit of the answer.' }, rest)).toEqual({
      type: 'string',
      enum: ['c', 'f'],
      description: 'Unit of the answer.',
    });
    expect(await propertyOf({ ...reference, maxLength: 1 }, rest)).toEqual({
      allOf: [{ type: 'string', enum: ['c', 'f'], description: 'Unit.' }, { maxLength: 1 }],
    });
    expect(await propertyOf({ allOf: [reference], default: 'c' }, rest)).toMatchObject({
      enum: ['c', 'f'],
      default: 'c',
    });
  });

  it('keep cycles in $defs, also cycles of several schemas', async () => {
    const rest = schemas({
      A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
      B: { type: 'array', items: { $ref: '#/components/schemas/A' } },
    });
    const { inputSchema } = await toolOf(
      getWith({ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/A' } }),
      rest,
    );
    expect(inputSchema).toMatchObject({
      properties: { q: { $ref: '#/$defs/A' } },
      $defs: {
        A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } },
        B: { type: 'array', items: { $ref: '#/$defs/A' } },
      },
    });
  });

  it('keep large shared schemas in $defs, so that nothing grows without bound', async () => {
    // Written in place, S0 would hold 3^12 copies of S12.
    const map = Object.fromEntries(
      Array.from({ length: 12 }, (_, level) => {
        const next = { $ref: `#/components/schemas/S${level + 1}` };
        return [`S${level}`, { type: 'object', properties: { a: next, b: next, c: next } }];
      }),
    );
    const { inputSchema } = await toolOf(
      getWith({ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/S0' } }),
      schemas({ ...map, S12: { type: 'string' } }),
    );
    expect(JSON.stringify(inputSchema).length).toBeLessThan(20_000);
    expect(inputSchema['properties']).toEqual({ q: { $ref: '#/$defs/S0' } });
  });

  it('follow references to any part of the document', async () => {
    const rest = {
      components: { 'x-parts': undefined, schemas: { 'a/b~c': { type: 'integer' } } },
    };
    const reference = { $ref: '#/components/schemas/a~1b~0c' };
    expect(await propertyOf(reference, rest)).toEqual({ type: 'integer' });
    expect(await propertyOf({ $ref: '#/info' }, {}, {})).toEqual({ title: 'Example' });
  });

  it.each([
    ['#/components/schemas/Missing', 'leads nowhere'],
    ['other.yaml#/Pet', 'leads out of this document'],
    ['https://example.com/a.json', 'leads out of this document'],
    ['#anchor', 'leads nowhere'],
    ['#/components/schemas/Loop', 'leads back to itself'],
    ['#/%zz', 'leads nowhere'],
    ['#/__proto__', 'leads nowhere'],
    ['#/constructor', 'leads nowhere'],
  ])('may not refer to %s', async (reference, reason) => {
    const text = documentOf(
      getWith({ name: 'q', in: 'query', schema: { $ref: reference } }),
      schemas({ Loop: { $ref: '#/components/schemas/Loop' } }),
    );
    expect((await faultsOf(text)).join()).toContain(reason);
  });

  it('drop keywords with values of a wrong kind from a stranger, and report them in a preset', async () => {
    const schema = {
      type: 'text',
      minimum: '1',
      required: true,
      properties: [],
      items: 5,
      enum: [],
      exclusiveMinimum: true,
      multipleOf: 0,
      anyOf: [],
      additionalProperties: true,
    };
    expect(await propertyOf(schema, {}, {})).toEqual({ additionalProperties: true });
    const faults = await faultsOf(documentOf(getWith({ name: 'q', in: 'query', schema })));
    expect(faults).toHaveLength(9);
  });

  it('drop a default that does not fit, since every call without the argument would fail', async () => {
    expect(await propertyOf({ type: 'integer', default: '10' }, {}, {})).toEqual({
      type: 'integer',
    });
    expect(await propertyOf({ enum: ['a'], default: 'b' }, {}, {})).toEqual({ enum: ['a'] });
  });

  it('drop a pattern that could hang the process, and say so', async () => {
    expect(await propertyOf({ type: 'string', pattern: '^(a+)+$' }, {}, {})).toEqual({
      type: 'string',
      $comment: 'A pattern was left out: it is invalid or too costly to match.',
    });
  });

  it('merge plain allOf members, keep others, and never ask for read-only properties', async () => {
    const rest = schemas({
      Base: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer', readOnly: true }, kind: { type: 'string' } },
      },
    });
    const base = { $ref: '#/components/schemas/Base' };
    const own = {
      type: 'object',
      required: ['id', 'size'],
      properties: { size: { type: 'number' } },
    };
    expect(await propertyOf({ description: 'Both.', allOf: [base, own] }, rest)).toEqual({
      type: 'object',
      description: 'Both.',
      properties: { kind: { type: 'string' }, size: { type: 'number' } },
      required: ['size'],
    });
    expect(await propertyOf({ allOf: [base, { minProperties: 1 }] }, rest)).toEqual({
      allOf: [{ type: 'object', properties: { kind: { type: 'string' } } }, { minProperties: 1 }],
    });
  });

  it('keep oneOf, anyOf, not and write-only properties', async () => {
    const schema = {
      type: 'object',
      properties: { secret: { type: 'string', writeOnly: true } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      anyOf: [true],
      not: { required: ['c'] },
    };
    expect(await propertyOf(schema)).toEqual({ ...schema, anyOf: [{}] });
  });

  it('have nothing to do with properties named like parts of a prototype', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"default":1},"constructor":{"type":"string"}},"required":["__proto__","constructor"]}',
    ) as unknown;
    expect(await propertyOf(schema)).toEqual({
      type: 'object',
      properties: { constructor: { type: 'string' } },
      required: ['constructor'],
    });
  });

  it('drop formats that are names of a prototype', async () => {
    for (const format of ['constructor', '__proto__', 'toString']) {
      expect(await propertyOf({ type: 'string', format }, {}, {})).toEqual({ type: 'string' });
    }
  });

  it('understand null as OpenAPI 3.0 and 3.1 say it', async () => {
    const schema = { type: 'string', nullable: true };
    const { inputSchema } = await toolOf(postWith({ type: 'object', properties: { a: schema } }), {
      openapi: '3.0.3',
    });
    expect(inputSchema['properties']).toEqual({ a: { type: ['string', 'null'] } });
  });
});
