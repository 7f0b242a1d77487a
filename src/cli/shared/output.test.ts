import { expect, test } from 'vitest';
import { formatTable } from './output.ts';

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

test.each([
  ['Korean', '서울'],
  ['Korean in letters that are not composed', '서울'.normalize('NFD')],
  ['Japanese', '東京'],
  ['an emoji', '🙂a…'],
  ['accents', 'áé́ío'],
])('columns after %s start at the same place', (_what, text) => {
  expect(formatTable(['A', 'B'], [[text, 'x']])).toBe(`A     B\n${text}  x\n`);
});

test('control characters do not reach the terminal', () => {
  expect(formatTable(['A'], [['\u001b[2Ja\n\u202eb\tc']])).toBe('A\n�[2Ja��b�c\n');
});

test('a table may have very many rows', () => {
  const rows = Array.from({ length: 200_000 }, () => ['a']);
  expect(formatTable(['A'], rows)).toHaveLength(400_002);
});
