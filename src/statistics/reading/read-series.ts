import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { StatisticsQuery, StatisticsSeries, StatisticsTotals } from '../statistics.ts';
import { addTally, newTally, type Tally } from '../tally/tally.ts';
import { type Buckets, chooseBuckets } from './choose-step.ts';
import { figuresOf, pointsOf } from './figures.ts';
import { readAll, readGroups, sumOf, type TalliesByTime } from './read-tallies.ts';

export async function readSeries(
  db: Kysely<Tables>,
  query: StatisticsQuery,
  nowMs: number,
): Promise<StatisticsSeries> {
  const buckets = chooseBuckets(query, nowMs);
  const all = await readAll(db, query, buckets);
  const groups = await readGroups(db, query, buckets);
  const other = otherThan(all, groups.values());
  const hasOther = query.by !== 'none' && sumOf(other.values()).calls > 0;
  return {
    ...buckets,
    groups: [
      { kind: 'all', ...lineOf(null, all, buckets) },
      ...[...groups].map(([subject, tallies]) => ({
        kind: 'group' as const,
        ...lineOf(subject, tallies, buckets),
      })),
      ...(hasOther ? [{ kind: 'other' as const, ...lineOf(null, other, buckets) }] : []),
    ],
  };
}

export async function readTotals(
  db: Kysely<Tables>,
  query: StatisticsQuery,
  nowMs: number,
): Promise<StatisticsTotals> {
  const buckets = chooseBuckets(query, nowMs);
  const all = await readAll(db, query, buckets);
  const groups = await readGroups(db, query, buckets);
  return {
    all: figuresOf(sumOf(all.values())),
    groups: [...groups].map(([subject, tallies]) => ({
      subject,
      figures: figuresOf(sumOf(tallies.values())),
    })),
  };
}

function lineOf(subject: string | null, tallies: TalliesByTime, { timesMs }: Buckets) {
  const ordered = timesMs.map((ms) => tallies.get(ms) ?? newTally());
  return { subject, figures: figuresOf(sumOf(ordered)), points: pointsOf(ordered) };
}

/** The calls that belong to none of the groups: all calls minus theirs. */
function otherThan(all: TalliesByTime, groups: Iterable<TalliesByTime>): TalliesByTime {
  const other = new Map<number, Tally>();
  for (const [ms, tally] of all) other.set(ms, sumOf([tally]));
  for (const group of groups) {
    for (const [ms, tally] of group) {
      const rest = other.get(ms);
      if (rest) addTally(rest, tally, -1);
    }
  }
  return other;
}
