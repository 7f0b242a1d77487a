import { describe, expect, it } from 'vitest';
import { registerText } from '../../../test/support/compile-text.ts';

/** The schema of the argument `v`, whose schema is this YAML, and the reason in the report. */
async function register(schema: string, head = '') {
  const { api, operations } = await registerText(`${head}openapi: 3.0.3
info: {title: Values, version: "1"}
servers: [{url: "https://api.example.com"}]
paths: {/a: {get: {operationId: read, parameters: [{name: v, in: query, schema: ${schema}}], responses: {}}}}
`);
  const properties = api.tools[0]?.inputSchema['properties'] as Record<string, object> | undefined;
  return { schema: properties?.['v'], reason: operations[0]?.reason ?? null };
}

describe('the values of a schema', () => {
  it.each([
    ['{type: string, enum: [true, false]}', '', ['true', 'false']],
    ['{type: string, enum: [1.9, 1.10, 1e3, 0x1F]}', '', ['1.9', '1.10', '1e3', '0x1F']],
    ['{type: string, enum: [1, "2", null], nullable: true}', '', ['1', '2', null]],
    [
      '{type: string, enum: [SE, NO, 2024-01-01, 12:30]}',
      '%YAML 1.1\n---\n',
      ['SE', 'NO', '2024-01-01', '12:30'],
    ],
  ])('of strings are what is written in YAML: %s', async (schema, head, expected) => {
    expect(await register(schema, head)).toMatchObject({
      schema: { enum: expected },
      reason: null,
    });
  });

  it('keep a default beside them', async () => {
    expect(await register('{type: string, enum: [1.10, 2], default: 1.10, example: 2}')).toEqual({
      schema: { type: 'string', enum: ['1.10', '2'], default: '1.10', examples: ['2'] },
      reason: null,
    });
  });

  it.each([
    [
      '{"type": "string", "enum": [1, true, "a"], "default": 1}',
      { type: 'string', enum: ['1', 'true', 'a'], default: '1' },
    ],
    ['{"type": "integer", "enum": ["1", "2"]}', { type: 'integer', enum: [1, 2] }],
    ['{"type": "boolean", "enum": ["true"]}', { type: 'boolean', enum: [true] }],
    [
      '{"type": "array", "enum": ["a", "b"], "items": {"type": "string"}}',
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    ],
    [
      '{"type": "array", "enum": [1], "items": {"type": "string"}}',
      { type: 'array', items: { type: 'string', enum: ['1'] } },
    ],
    ['{"type": "integer", "enum": ["a", "1.0"]}', { type: 'integer' }],
  ])('have the type that the schema says: %s', async (schema, expected) => {
    const { api, operations } = await registerText(
      `{"openapi": "3.1.0", "info": {"title": "V"}, "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"get": {"operationId": "read", "parameters": [{"name": "v", "in": "query", "schema": ${schema}}]}}}}`,
    );
    const properties = api.tools[0]?.inputSchema['properties'] as Record<string, object>;
    expect(properties['v']).toEqual(expected);
    expect(operations[0]).toMatchObject({
      outcome: 'changed',
      reason: expect.stringMatching(/^The enum .*\.$/),
    });
  });

  it('count more than a type object that excludes them', async () => {
    expect(await register('{type: object, enum: [SELF, NONE]}')).toEqual({
      schema: { enum: ['SELF', 'NONE'] },
      reason: 'The type is left out: it excludes each value of the enum.',
    });
  });

  it('that fit stay as they are', async () => {
    const schema = '{type: array, enum: [[a], [b]], items: {type: string}}';
    expect(await register(schema)).toMatchObject({
      schema: { enum: [['a'], ['b']] },
      reason: null,
    });
    expect(await register('{enum: [1, a]}')).toMatchObject({ schema: { enum: [1, 'a'] } });
  });
});
