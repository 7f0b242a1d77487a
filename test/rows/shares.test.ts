import { beforeAll, describe, expect, test } from 'vitest';
import { judgeNext, judgeRows, judgeTotal, playCase, type Verdict } from './play-case.ts';
import { type RowCase, rowCases } from './row-cases.ts';

interface Judged {
  readonly rowCase: RowCase;
  readonly rows: Verdict;
  /** Undefined where the answer is the whole body. */
  readonly total?: Verdict;
  readonly next?: Verdict;
}

describe('of the judged rows', () => {
  let all: Judged[];
  beforeAll(async () => {
    all = await Promise.all(
      rowCases().map(async (rowCase) => {
        const { expected } = rowCase;
        const played = await playCase(rowCase);
        const rows = judgeRows(played, expected);
        if (rows !== 'right' || played.rows === null) return { rowCase, rows };
        const [total, next] = [judgeTotal(played, expected), judgeNext(played, expected)];
        return { rowCase, rows, total, next };
      }),
    );
  }, 60_000);

  const shareOf = (judged: readonly Judged[], part: 'rows' | 'next' | 'total'): number =>
    judged.filter((each) => each[part] === 'right').length / judged.length;
  const namesOf = (judged: readonly Judged[]): string[] =>
    judged.map(({ rowCase }) => rowCase.name);

  test('at least 95 % are found, and none elsewhere than a careful reader does', () => {
    expect(namesOf(all.filter(({ rows }) => rows === 'wrong'))).toEqual([]);
    expect(shareOf(all, 'rows')).toBeGreaterThan(0.95);
  });

  test('the next page is right in at least 90 % of those that have one, and none leads elsewhere', () => {
    const found = all.filter(({ next }) => next !== undefined);
    const paged = found.filter(({ rowCase }) => rowCase.expected.next !== null);
    expect(paged.length).toBeGreaterThan(100);
    expect(shareOf(paged, 'next')).toBeGreaterThan(0.9);
    expect(namesOf(found.filter(({ next }) => next === 'wrong'))).toEqual([]);
  });

  test('the total is right in at least 95 %', () => {
    const found = all.filter(({ total }) => total !== undefined);
    expect(shareOf(found, 'total')).toBeGreaterThan(0.95);
    expect(namesOf(found.filter(({ total }) => total === 'wrong'))).toEqual([]);
  });
});
