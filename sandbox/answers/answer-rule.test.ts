import { expect, it } from 'vitest';
import { crossed, extended, repeated } from './answer-rule.ts';

const all = ({ count, at }: ReturnType<typeof crossed>) =>
  Array.from({ length: count }, (_, index) => at(index));

it('crossed axes have a row for each combination, the last axis first', () => {
  const rows = crossed([{ day: 1 }, { day: 2 }], [{ kind: 'a' }, { kind: 'b' }, { kind: 'c' }]);
  expect(all(rows).map((row) => `${row['day']}${row['kind']}`)).toEqual([
    '1a',
    '1b',
    '1c',
    '2a',
    '2b',
    '2c',
  ]);
});

it('an axis without values leaves no rows', () => {
  expect(crossed([], [{ kind: 'a' }]).count).toBe(0);
});

it('a row is extended by what its columns say', () => {
  const rows = extended(
    repeated(1, () => ({ day: 1 })),
    ({ day }) => ({ next: Number(day) + 1 }),
  );
  expect(all(rows)).toEqual([{ day: 1, next: 2 }]);
});
