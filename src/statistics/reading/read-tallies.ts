import type { Kysely } from 'kysely';
import type { StatisticsTable, Tables } from '../../platform/database/tables.ts';
import type { GroupedBy, StatisticsQuery } from '../statistics.ts';
import { ALL_TENANTS } from '../tally/count-records.ts';
import { OTHER } from '../tally/merge-additions.ts';
import { STEP_MS } from '../tally/steps.ts';
import type { Buckets } from './choose-step.ts';
import { coarseSpans, type Span } from './coarse-spans.ts';
import type { StoredTally } from './sum.ts';

export const MAX_GROUPS = 20;

/** Calls by the time at which their minute, hour or day begins. */
export type TalliesByTime = ReadonlyMap<number, StoredTally>;

interface Selection {
  readonly tenantId: string | null;
  readonly kind: StatisticsTable['kind'];
}

/** The rows of a scope and kind. */
const selectScope = (db: Kysely<Tables>, { tenantId, kind }: Selection) =>
  db
    .selectFrom('statistics')
    .where('scope', '=', tenantId ?? ALL_TENANTS)
    .where('kind', '=', kind);

/** Those of them in a range. */
export function selectRows(
  db: Kysely<Tables>,
  { buckets, ...selection }: Selection & { readonly buckets: Buckets },
) {
  return selectSpan(db, selection, spanOf(buckets));
}

const selectSpan = (db: Kysely<Tables>, selection: Selection, { step, fromMs, toMs }: Span) =>
  selectScope(db, selection)
    .where('step', '=', step)
    .where('bucket_ms', '>=', fromMs)
    .where('bucket_ms', '<', toMs);

const spanOf = ({ step, timesMs }: Buckets): Span => ({
  step,
  fromMs: timesMs[0] ?? 0,
  toMs: (timesMs.at(-1) ?? 0) + STEP_MS[step],
});

/** All calls of the range. */
export async function readAll(
  db: Kysely<Tables>,
  query: Pick<StatisticsQuery, 'tenantId'>,
  buckets: Buckets,
): Promise<TalliesByTime> {
  const rows = await selectRows(db, { ...query, kind: 'all', buckets })
    .selectAll()
    .execute();
  return new Map(rows.map((row) => [row.bucket_ms, row]));
}

/** The calls of each group, in the order of the groups. */
export async function readGroups(
  db: Kysely<Tables>,
  query: StatisticsQuery,
  buckets: Buckets,
): Promise<ReadonlyMap<string, TalliesByTime>> {
  if (query.by === 'none') return new Map();
  const subjects = query.subjects ?? (await findTop(db, query, buckets));
  const groups = new Map(subjects.map((subject) => [subject, new Map<number, StoredTally>()]));
  if (subjects.length === 0) return groups;
  // With each time, the index leads to the rows of these subjects; with a range, it would lead to those of all.
  const rows = await selectScope(db, { ...query, kind: query.by })
    .selectAll()
    .where('step', '=', buckets.step)
    .where('bucket_ms', 'in', buckets.timesMs)
    .where('subject', 'in', subjects)
    .execute();
  for (const row of rows) groups.get(row.subject)?.set(row.bucket_ms, row);
  return groups;
}

/** The subjects with the most calls. Two weeks have 336 hours, but 14 days. */
async function findTop(
  db: Kysely<Tables>,
  query: StatisticsQuery & { readonly by: GroupedBy },
  buckets: Buckets,
): Promise<string[]> {
  const { by, tenantId, top } = query;
  if (by === 'none') return [];
  const spans = coarseSpans(spanOf(buckets)).map((span) =>
    selectSpan(db, { tenantId, kind: by }, span)
      .select(['subject', 'calls'])
      .where('subject', '<>', OTHER),
  );
  const rows = await db
    .selectFrom(spans.reduce((all, span) => all.unionAll(span)).as('spans'))
    .select(['subject', ({ fn }) => fn.sum<number>('calls').as('calls')])
    .groupBy('subject')
    .orderBy('calls', 'desc')
    .orderBy('subject')
    .limit(top)
    .execute();
  return rows.map(({ subject }) => subject);
}
