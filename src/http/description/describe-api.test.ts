import { describe, expect, it } from 'vitest';
import { collectSchemas, type Schemas } from './describe-api.ts';

function collect(part: unknown) {
  const schemas: Schemas = new Map();
  const collected = collectSchemas(part, schemas);
  return {
    collected,
    schemas: Object.fromEntries([...schemas].map(([name, { schema }]) => [name, schema])),
  };
}

const PET = { $id: 'Pet', type: 'object', properties: { name: { type: 'string' } } };
const { $id: _, ...PET_SCHEMA } = PET;
const TO_PET = { $ref: '#/components/schemas/Pet' };

describe('schemas with a $id', () => {
  it('are replaced by references, also within one another', () => {
    const pets = { $id: 'Pets', type: 'array', items: PET };
    const { collected, schemas } = collect({ a: PET, b: [pets] });
    expect(collected).toEqual({ a: TO_PET, b: [{ $ref: '#/components/schemas/Pets' }] });
    expect(schemas).toEqual({ Pet: PET_SCHEMA, Pets: { type: 'array', items: TO_PET } });
  });

  it('cannot share a name unless they are the same', () => {
    expect(() => collect([PET, { ...PET, type: 'null' }])).toThrow('Two schemas are named Pet.');
  });

  it('have definitions that become schemas of their own, cyclic ones too', () => {
    const properties = { friend: { $ref: '#/$defs/Friend' } };
    const { schemas } = collect({
      $id: 'pet_arguments',
      type: 'object',
      properties,
      $defs: { Friend: { type: 'object', properties } },
    });
    const friend = {
      properties: { friend: { $ref: '#/components/schemas/pet_arguments_Friend' } },
    };
    expect(schemas).toEqual({
      pet_arguments: { type: 'object', ...friend },
      pet_arguments_Friend: { type: 'object', ...friend },
    });
  });
});

it('says that objects without listed members are free', () => {
  const free = { additionalProperties: true };
  const { collected } = collect({
    any: { type: 'object' },
    some: { type: ['object', 'null'] },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    listed: PET_SCHEMA,
    combined: { type: 'object', allOf: [PET_SCHEMA] },
  });
  expect(collected).toEqual({
    any: { type: 'object', ...free },
    some: { type: ['object', 'null'], ...free },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    listed: PET_SCHEMA,
    combined: { type: 'object', allOf: [PET_SCHEMA] },
  });
});

it('changes no values, and takes no member for a keyword', () => {
  const literal = { type: 'object' };
  const unchanged = { default: literal, examples: [literal], enum: [literal], const: literal };
  expect(collect(unchanged).collected).toEqual(unchanged);
  const { collected } = collect({ properties: { default: PET, examples: { type: 'object' } } });
  expect(collected).toEqual({
    properties: { default: TO_PET, examples: { type: 'object', additionalProperties: true } },
  });
});
