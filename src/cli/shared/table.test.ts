import { expect, test } from 'vitest';
import { formatTable } from './table.ts';

test('a table has aligned columns and no trailing spaces', () => {
  expect(
    formatTable(
      ['ID', 'NAME'],
      [
        ['key_1', 'a'],
        ['k', ''],
      ],
    ),
  ).toBe('ID     NAME\nkey_1  a\nk\n');
});
