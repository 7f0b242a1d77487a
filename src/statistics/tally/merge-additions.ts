import type { StatisticsTable } from '../../platform/database/tables.ts';
import { type Addition, nameOf, type StatisticKey } from './count-records.ts';
import type { Step } from './steps.ts';
import { addTally, newTally, type Tally, tallyOf, toColumns } from './tally.ts';

/** The subject of calls whose own subject has no row, because the row's minute, hour or day has too many. */
export const OTHER = '(other)';

/** How many subjects of one kind have rows in one scope and one minute, hour or day. */
export const MAX_SUBJECTS: Readonly<Record<Step, number>> = { minute: 100, hour: 500, day: 2000 };

/** The rows as they are stored. */
export interface StoredStatistics {
  row(key: StatisticKey): StatisticsTable | undefined;
  /** How many rows have the same step, scope, kind and bucket. */
  countLike(key: StatisticKey): number;
}

/** The rows as they must be stored once the additions are counted. */
export function mergeAdditions(
  additions: readonly Addition[],
  stored: StoredStatistics,
): StatisticsTable[] {
  const counts = new Map<string, number>();
  const merged = new Map<string, { readonly key: StatisticKey; readonly tally: Tally }>();

  const hasRoom = (key: StatisticKey): boolean => {
    const group = nameOf({ ...key, subject: '' });
    const count = counts.get(group) ?? stored.countLike(key);
    const isRoom = count < MAX_SUBJECTS[key.step];
    counts.set(group, isRoom ? count + 1 : count);
    return isRoom;
  };

  /** The row that the calls are added to. */
  const placeOf = (key: StatisticKey): StatisticKey => {
    const isKnown = merged.has(nameOf(key)) || stored.row(key) !== undefined;
    return isKnown || key.subject === OTHER || hasRoom(key) ? key : { ...key, subject: OTHER };
  };

  const add = (key: StatisticKey, tally: Tally): void => {
    const name = nameOf(key);
    const row = merged.has(name) ? undefined : stored.row(key);
    const sum = merged.get(name)?.tally ?? (row ? tallyOf(row) : newTally());
    addTally(sum, tally);
    merged.set(name, { key, tally: sum });
  };

  for (const { key, tally } of additions) add(placeOf(key), tally);
  return [...merged.values()].map(({ key, tally }) => ({ ...key, ...toColumns(tally) }));
}
