import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addFilter } from './register-command.ts';

describe('a filter', () => {
  test.each([
    ['tag=pets', { tag: 'pets' }],
    ['method=get,path=/pets/*', { method: 'get', path: '/pets/*' }],
    ['path=/pairs/{a},{b},operationId=x', { path: '/pairs/{a},{b}', operationId: 'x' }],
    ['tag=a=b', { tag: 'a=b' }],
  ])('%s has these members', (text, filter) => {
    expect(addFilter(text)).toEqual([filter]);
  });

  test('follows those before it', () => {
    expect(addFilter('tag=b', addFilter('tag=a'))).toEqual([{ tag: 'a' }, { tag: 'b' }]);
  });

  test.each(['', 'pets', 'tag', 'tag=', 'Tag=pets', 'tag=a,tag=b', 'tag=,path=/', ',tag=a'])(
    '%j is refused',
    (text) => {
      expect(() => addFilter(text)).toThrow(InvalidArgumentError);
    },
  );

  test('is read as it was written', () => {
    const value = fc.string({ minLength: 1 }).filter((text) => !/,(tag|method|path|op)/.test(text));
    const filters = fc.record(
      { tag: value, method: value, path: value, operationId: value },
      { requiredKeys: ['path'] },
    );
    fc.assert(
      fc.property(filters, (filter) => {
        const text = Object.entries(filter).map((member) => member.join('='));
        expect(addFilter(text.join(','))).toEqual([filter]);
      }),
    );
  });
});
