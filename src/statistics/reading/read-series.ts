import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { StatisticsQuery, StatisticsSeries, StatisticsTotals } from '../statistics.ts';
import { type Buckets, chooseBuckets } from './choose-step.ts';
import { figuresOf, pointsOf } from './figures.ts';
import { readAll, readGroups, type TalliesByTime } from './read-tallies.ts';
import { addStored, type Sum, sumOf, totalOf } from './sum.ts';

export async function readSeries(
  db: Kysely<Tables>,
  query: StatisticsQuery,
  nowMs: number,
): Promise<StatisticsSeries> {
  const buckets = chooseBuckets(query, nowMs);
  const all = await readAll(db, query, buckets);
  const groups = await readGroups(db, query, buckets);
  const other = query.by === 'none' ? [] : otherThan(all, groups.values(), buckets);
  const hasOther = other.some(({ calls }) => calls > 0);
  return {
    ...buckets,
    groups: [
      { kind: 'all', ...lineOf(null, inOrder(all, buckets)) },
      ...[...groups].map(([subject, tallies]) => ({
        kind: 'group' as const,
        ...lineOf(subject, inOrder(tallies, buckets)),
      })),
      ...(hasOther ? [{ kind: 'other' as const, ...lineOf(null, other) }] : []),
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

const lineOf = (subject: string | null, points: readonly Sum[]) => ({
  subject,
  figures: figuresOf(totalOf(points)),
  points: pointsOf(points),
});

const inOrder = (tallies: TalliesByTime, { timesMs }: Buckets): Sum[] =>
  timesMs.map((ms) => {
    const tally = tallies.get(ms);
    return sumOf(tally ? [tally] : []);
  });

/** The calls that belong to none of the groups: all calls minus theirs. */
function otherThan(all: TalliesByTime, groups: Iterable<TalliesByTime>, buckets: Buckets): Sum[] {
  const others = inOrder(all, buckets);
  for (const group of groups) {
    for (const [index, ms] of buckets.timesMs.entries()) {
      const tally = all.has(ms) ? group.get(ms) : undefined;
      const other = others[index];
      if (other && tally) addStored(other, tally, -1);
    }
  }
  return others;
}
