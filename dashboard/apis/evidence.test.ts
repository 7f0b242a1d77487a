import { expect, it } from 'vitest';
import { type Elements, searchRows } from '../../src/tools/rows/search-rows.ts';
import { readEvidence } from './evidence.ts';

/** A JSON value, searched as the gateway does. */
const evidenceIn = (value: unknown): string => {
  const kind = (node: unknown) => {
    if (Array.isArray(node)) return 'list';
    return typeof node === 'object' ? 'object' : 'scalar';
  };
  const found = searchRows<unknown>(
    {
      kind,
      members: (node) => Object.entries(Object(node)),
      elements: (): Elements => 'objects',
      allHave: () => false,
    },
    value,
    { names: ['pet'], isOne: false },
  );
  return typeof found === 'object' ? found.evidence : found;
};

it.each([
  [[{}], 'atRoot', ''],
  [{ data: [{}] }, 'named', 'data'],
  [{ pets: [{}], others: [{}] }, 'path', 'pets'],
  [{ animals: [{}] }, 'only', 'animals'],
])('knows the rule by which rows were found: %j', (body, rule, name) => {
  expect(readEvidence(evidenceIn(body))).toEqual({ rule, name });
});

it('knows what a description says itself, and leaves any other sentence as it is', () => {
  expect(readEvidence('x-items').rule).toBe('given');
  expect(readEvidence('Something new.').rule).toBe('other');
});
