import { expect, it } from 'vitest';
import type { Tool } from '../../src/tools/model.ts';
import { createQuestion, pageOf } from './question.ts';

const rangeOf = (sent: Readonly<Record<string, string>>, names = Object.keys(sent)) => {
  const parameters = names.map((name) => ({ name, source: { kind: 'argument' } }));
  const tool = { parameters } as unknown as Tool;
  const textOf = (name: string): string => sent[name] ?? '';
  return pageOf(createQuestion({ tool, nowMs: 0, textOf, body: undefined }));
};

it.each([
  [
    { pageNo: '3', numOfRows: '20' },
    { number: 3, size: 20, from: 40 },
  ],
  [
    { cpage: '2', rows: '5' },
    { number: 2, size: 5, from: 5 },
  ],
  [
    { start: '11', end: '20' },
    { number: 1, size: 10, from: 10 },
  ],
  [
    { start: '5', end: '1' },
    { number: 1, size: 0, from: 4 },
  ],
  [
    { pageNo: '-1', numOfRows: 'many' },
    { number: 1, size: 10, from: 0 },
  ],
  [{ keyword: 'x' }, { number: 1, size: 2000, from: 0 }],
])('%j asks for %j', (sent, range) => {
  expect(rangeOf(sent)).toEqual(range);
});

it('a page has at most 2,000 rows', () => {
  expect(rangeOf({ page: '1', per_page: '20000' }).size).toBe(2000);
});
