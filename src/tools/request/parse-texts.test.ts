import { describe, expect, it } from 'vitest';
import { withParsedTexts } from './parse-texts.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    filter: { type: 'object' },
    rows: {
      type: 'array',
      items: { type: 'object', properties: { tags: { type: ['array', 'null'] }, note: {} } },
    },
    name: { type: ['string', 'object'] },
    node: { $ref: '#/$defs/Node' },
    choice: { anyOf: [{ type: 'object' }, { type: 'array' }] },
    by: { type: 'object', additionalProperties: { type: 'object' } },
    count: { type: 'integer' },
  },
  $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
};

describe('JSON texts in arguments', () => {
  it.each([
    [{ filter: ' {"a": {"from": 1}}' }, { filter: { a: { from: 1 } } }],
    [{ rows: '[{"tags": "[1]"}]' }, { rows: [{ tags: [1] }] }],
    [{ rows: [{ tags: '["a"]', note: '["b"]' }] }, { rows: [{ tags: ['a'], note: '["b"]' }] }],
    [{ node: { next: '{"next": "{}"}' } }, { node: { next: { next: {} } } }],
    [{ choice: '[1]' }, { choice: [1] }],
    [{ by: { a: '{}' } }, { by: { a: {} } }],
  ])('%j are read as %j', (received, meant) => {
    const before = structuredClone(received);
    expect(withParsedTexts(received, SCHEMA)).toEqual(meant);
    expect(received).toEqual(before);
  });

  it.each([
    [{ name: '{"a":1}' }],
    [{ filter: '[1]' }],
    [{ filter: '{"a":' }],
    [{ count: '[1]' }],
    [{ unknown: '{}', filter: {} }],
    [{ filter: `{"a":"${'x'.repeat(262_144)}"}` }],
  ])('stay texts where these are meant, or nothing else: %j', (received) => {
    expect(withParsedTexts(received, SCHEMA)).toBe(received);
  });

  it('keep the digits of their numbers, and members of any name', () => {
    const { filter } = withParsedTexts({ filter: '{"id":9007199254740993,"__proto__":1}' }, SCHEMA);
    expect(JSON.stringify(filter)).toBe('{"id":9007199254740993,"__proto__":1}');
  });
});
