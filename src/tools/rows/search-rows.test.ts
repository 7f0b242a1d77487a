import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { schemaTree } from './schema-tree.ts';
import { searchRows, type Tree } from './search-rows.ts';

const SELF = { $ref: '#/components/schemas/Node' };

/** What is found in a schema that leads to itself by `SELF`, and how often that was followed. */
function findIn(schema: JsonObject) {
  let followed = 0;
  const references = {
    target: () => {
      followed++;
      return { value: schema, pointer: '/components/schemas/Node' };
    },
  };
  const found = searchRows(schemaTree(references as never), schema, { names: [], isOne: false });
  return { found, followed };
}

describe('a hostile schema', () => {
  it('that leads to itself in many ways at every level is followed a bounded number of times', () => {
    const { found, followed } = findIn({ allOf: Array.from({ length: 50 }, () => ({ ...SELF })) });
    expect(found).toBe('unknown');
    expect(followed).toBeLessThan(1000);
  });

  it('that wraps itself in many ways is looked into a bounded number of times', () => {
    const members = Array.from({ length: 200 }, (_, n) => [`part${n}list`, { ...SELF }]);
    const { found, followed } = findIn({ type: 'object', properties: Object.fromEntries(members) });
    expect(found).toBe('none');
    expect(followed).toBeLessThan(1000);
  });
});

it('asks an object of many lists once whether it describes a page', () => {
  let asked = 0;
  const names = Array.from({ length: 200 }, (_, n) => `content${'_'.repeat(n)}`);
  const tree: Tree<string> = {
    kind: (node) => {
      asked++;
      return node === '' ? 'object' : 'list';
    },
    members: () => names.map((name) => [name, name]),
    elements: () => 'objects',
    allHave: () => false,
  };
  expect(searchRows(tree, '', { names: [], isOne: true })).toBe('none');
  expect(asked).toBeLessThan(names.length * 20);
});
