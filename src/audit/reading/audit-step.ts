import type { AuditPosition } from './audit-cursor.ts';
import {
  type AuditFilter,
  costOf,
  FAILED,
  type FilterCost,
  findsFailures,
  matching,
} from './audit-filter.ts';
import { type PageRow, pageWithin, selectSizes } from './audit-page.ts';
import type { AuditQueries } from './audit-queries.ts';
import { type ReadingOrder, withinRange } from './audit-range.ts';

/**
 * How many records each step of a reader examines, by the cost of its filter; the last number repeats. The first steps
 * are short because most filters match soon, and because a cold disk reads a few thousand records in 100 ms.
 */
const EXAMINED: Readonly<Record<Exclude<FilterCost, 'none'>, readonly number[]>> = {
  index: [5_000, 25_000, 50_000],
  rows: [2_000, 10_000],
};

export const examinedIn = (cost: Exclude<FilterCost, 'none'>, step: number): number =>
  EXAMINED[cost][step] ?? EXAMINED[cost].at(-1) ?? 1;

/** One step through the records of a filter. */
export interface StepOptions {
  readonly filter: AuditFilter;
  readonly order: ReadingOrder;
  /** The number of the step, from 0. */
  readonly number: number;
  /** The last record that earlier steps examined. */
  readonly after: AuditPosition | undefined;
  /** Where the step ends, if the one before was full; otherwise it is looked up. */
  readonly until?: AuditPosition | undefined;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

export interface StepResult {
  /** Those of the examined records that match. */
  readonly rows: readonly PageRow[];
  /** After which record the next step begins; undefined if every record was examined. */
  readonly next: AuditPosition | undefined;
  /** Whether a limit has ended the step before all matching records were read. */
  readonly isFull: boolean;
  /** The end of a full step, which the next one has too. */
  readonly until: AuditPosition | undefined;
}

/** Examines a bounded number of records, so that no query takes long, whatever it searches for. */
export async function readStep(queries: AuditQueries, options: StepOptions): Promise<StepResult> {
  const { filter, order, after, maxRecords, maxBytes } = options;
  const until = options.until ?? (await endOfStep(queries, options));
  const chosen = withinRange(matching(selectSizes(queries.db), filter), filter, order, {
    after,
    until,
  });
  // One record more than requested shows whether there are more.
  const sorted = inOrder(chosen, order).limit(maxRecords + 1);
  const rows = await queries.run<PageRow>(
    pageWithin(queries.db, sorted, { ...order, maxRecords, maxBytes }),
  );
  const last = rows.at(-1);
  const isFull = last !== undefined && rows.length < last.found;
  return isFull
    ? { rows, isFull, next: positionOf(last), until }
    : { rows, isFull, next: until, until: undefined };
}

/** The last record that a step examines; undefined if it examines all. */
async function endOfStep(
  { db, run }: AuditQueries,
  { filter, order, number, after }: StepOptions,
): Promise<AuditPosition | undefined> {
  const cost = costOf(filter);
  if (cost === 'none') return undefined;
  const records = matching(db.selectFrom('audit_records').select(['timestamp_ms', 'audit_id']), {
    tenantId: filter.tenantId,
  });
  const examined =
    findsFailures(filter) && filter.tenantId !== null ? records.where(FAILED) : records;
  const [end] = await run(
    inOrder(withinRange(examined, filter, order, { after }), order)
      .limit(1)
      .offset(examinedIn(cost, number) - 1),
  );
  return end && positionOf(end);
}

function inOrder<
  Query extends { orderBy(column: 'timestamp_ms' | 'audit_id', direction: 'asc' | 'desc'): Query },
>(query: Query, { columns, direction }: ReadingOrder): Query {
  return columns.reduce((sorted, column) => sorted.orderBy(column, direction), query);
}

const positionOf = (row: { timestamp_ms: number; audit_id: string }): AuditPosition => ({
  timestampMs: row.timestamp_ms,
  auditId: row.audit_id,
});
