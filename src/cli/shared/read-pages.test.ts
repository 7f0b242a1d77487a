import { expect, test } from 'vitest';
import { readPages } from './read-pages.ts';

test('reads on after a page without rows, and no more than is wanted', async () => {
  const asked: object[] = [];
  const pages = [[1, 2], [], [3]];
  const read = async (page: object) => {
    asked.push(page);
    const rows = pages[asked.length - 1] ?? [];
    return { rows, nextCursor: asked.length < pages.length ? `after ${asked.length}` : null };
  };
  expect(await Array.fromAsync(readPages(read, 'rows', 4))).toEqual([1, 2, 3]);
  expect(asked).toEqual([
    { limit: 4 },
    { limit: 2, cursor: 'after 1' },
    { limit: 2, cursor: 'after 2' },
  ]);
  asked.length = 0;
  expect(await Array.fromAsync(readPages(read, 'rows', 2))).toEqual([1, 2]);
  expect(asked).toHaveLength(1);
});
