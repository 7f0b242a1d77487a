import { expect, it } from 'vitest';
import { postWith, toolOf } from '../../../test/support/compile-text.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { boundsOf } from './check-cost.ts';

const text = { type: 'string' };
const listOf = (items: object) => ({
  type: 'object',
  properties: { list: { type: 'array', maxItems: 10_000, items } },
});

it('lets the arguments of a small schema have as many values as any call may', () => {
  expect(boundsOf(listOf(text))).toEqual({ maxValues: 10_000, maxDefinitions: 10_000 });
});

it.each([
  ['choices', { anyOf: Array.from({ length: 300 }, (_, n) => ({ required: [`r${n}`] })) }],
  ['patterns', { anyOf: Array.from({ length: 20 }, (_, n) => ({ pattern: `^(a|b)*${n}$` })) }],
  ['long lists of values', { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) }],
  ['patterns of names', { patternProperties: { '^a+$': text, '^b+$': text }, minProperties: 1 }],
])('bounds the values of a schema with %s, so that no call blocks the others', (_name, items) => {
  const { maxValues, maxDefinitions } = boundsOf(listOf(items));
  expect(maxValues).toBeLessThan(3000);
  expect(maxValues).toBeGreaterThan(50);
  expect(maxDefinitions).toBe(maxValues);
});

it('says how many values a call may have, and checks as many', async () => {
  const items = { anyOf: Array.from({ length: 300 }, (_, n) => ({ const: n })) };
  const tool = await toolOf(postWith(listOf(items)));
  const { maxValues } = boundsOf(tool.inputSchema);
  const validate = createArgumentValidator(tool);
  const list = (length: number) => ({ list: Array.from({ length }, () => 299) });
  expect(validate(list(maxValues - 1))).toEqual([]);
  expect(validate(list(maxValues))).toEqual([
    {
      path: '',
      message: `The arguments have more than ${maxValues} values. Split them over several calls.`,
    },
  ]);
});
