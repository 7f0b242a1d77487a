import { describe, expect, it } from 'vitest';
import {
  documentOf,
  getWith,
  issuesOf,
  postWith,
  REGISTERED,
  toolOf,
} from '../../../test/support/compile-text.ts';
import type { JsonSchema } from '../model.ts';

const schemas = (map: unknown): Record<string, unknown> => ({ components: { schemas: map } });

/** The property of a registered GET whose one query parameter has this schema. */
async function propertyOf(schema: unknown, rest = {}): Promise<unknown> {
  const parameter = { name: 'q', in: 'query', schema };
  const { inputSchema } = await toolOf(getWith(parameter), rest, { policy: REGISTERED });
  return (inputSchema['properties'] as JsonSchema)['q'];
}

describe('schemas in an input schema', () => {
  it('lose the keywords that only OpenAPI knows, and keep the others', async () => {
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

  it('have small references inlined, with the keywords beside them applied', async () => {
    const rest = schemas({ Unit: { type: 'string', enum: ['c', 'f'], description: 'Unit.' } });
    const reference = { $ref: '#/components/schemas/Unit' };
    expect(await propertyOf({ ...reference, description: 'Unit of the response.' }, rest)).toEqual({
      type: 'string',
      enum: ['c', 'f'],
      description: 'Unit of the response.',
    });
    expect(await propertyOf({ ...reference, maxLength: 1 }, rest)).toEqual({
      allOf: [{ type: 'string', enum: ['c', 'f'], description: 'Unit.' }, { maxLength: 1 }],
    });
    expect(await propertyOf({ allOf: [reference], default: 'c' }, rest)).toMatchObject({
      enum: ['c', 'f'],
      default: 'c',
    });
  });

  it('keep cycles in $defs, including cycles of several schemas', async () => {
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

  it('keep large shared schemas in $defs, so that their size stays bounded', async () => {
    // Inlined, S0 would hold 3^12 copies of S12.
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
    expect(await propertyOf({ $ref: '#/info' })).toEqual({
      title: 'Example',
    });
  });

  it.each([
    ['#/components/schemas/Missing', 'has no target'],
    ['other.yaml#/Pet', 'points outside this document'],
    ['https://example.com/a.json', 'points outside this document'],
    ['#anchor', 'has no target'],
    ['#/components/schemas/Loop', 'refers back to itself'],
    ['#/%zz', 'has no target'],
    ['#/__proto__', 'has no target'],
    ['#/constructor', 'has no target'],
  ])('may not refer to %s', async (reference, reason) => {
    const text = documentOf(
      getWith({ name: 'q', in: 'query', schema: { $ref: reference } }),
      schemas({ Loop: { $ref: '#/components/schemas/Loop' } }),
    );
    expect((await issuesOf(text)).join()).toContain(reason);
  });

  it('lose keywords with invalid values in a third-party document, and have them reported in a preset', async () => {
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
    expect(await propertyOf(schema)).toEqual({
      additionalProperties: true,
    });
    const issues = await issuesOf(documentOf(getWith({ name: 'q', in: 'query', schema })));
    expect(issues).toHaveLength(9);
  });

  it('lose an invalid default, with which every call without the argument would fail', async () => {
    expect(await propertyOf({ type: 'integer', default: '10' })).toEqual({
      type: 'integer',
    });
    expect(await propertyOf({ enum: ['a'], default: 'b' })).toEqual({
      enum: ['a'],
    });
  });

  it('lose a pattern that is invalid, with a comment', async () => {
    expect(await propertyOf({ type: 'string', pattern: '^(a+$' })).toEqual({
      type: 'string',
      $comment: 'A pattern was left out: it is invalid or too costly to match.',
    });
  });

  it('have plain allOf members merged, keep others, and lose read-only properties', async () => {
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

  it('are not confused by properties named like members of a prototype', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"default":1},"constructor":{"type":"string"}},"required":["__proto__","constructor"]}',
    ) as unknown;
    expect(await propertyOf(schema)).toEqual({
      type: 'object',
      properties: { constructor: { type: 'string' } },
      required: ['constructor'],
    });
  });

  it('lose formats named like members of a prototype', async () => {
    for (const format of ['constructor', '__proto__', 'toString']) {
      expect(await propertyOf({ type: 'string', format })).toEqual({
        type: 'string',
      });
    }
  });

  it('understand null as in OpenAPI 3.0 and 3.1', async () => {
    const schema = { type: 'string', nullable: true };
    const { inputSchema } = await toolOf(postWith({ type: 'object', properties: { a: schema } }), {
      openapi: '3.0.3',
    });
    expect(inputSchema['properties']).toEqual({ a: { type: ['string', 'null'] } });
  });
});
