import { REFUSAL_REASONS } from '../platform/kernel/refusal.ts';
import { OTHER } from './cells.ts';
import { type From, MAX_GROUPS } from './read-series.ts';
import { ALL_TENANTS } from './statistics-rows.ts';
import { chooseSpan, timesOf } from './steps.ts';

export interface RefusalsQuery {
  /** Null = all tenants. */
  readonly tenantId: string | null;
  /** Extended to where its minute, hour or day begins. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only this key. */
  readonly apiKeyId?: string | undefined;
}

/**
 * The refused requests at each point in time by reason, and the keys that had most; over all tenants, the tenants. Rejects
 * with GatewayError `invalid_arguments` for a range of more than 1,000 days.
 */
export async function readRefusals({ db, nowMs }: From, query: RefusalsQuery) {
  const { tenantId, apiKeyId } = query;
  const span = chooseSpan(query, nowMs);
  const rows = db
    .selectFrom('refusals')
    .where('step', '=', span.step)
    .where('scope', '=', tenantId ?? ALL_TENANTS)
    .where('bucket_ms', '>=', span.fromMs)
    .where('bucket_ms', '<', span.toMs)
    .$if(apiKeyId !== undefined, (all) => all.where('subject', '=', apiKeyId ?? ''))
    .select(({ fn }) => fn.sum<number>('count').as('count'));
  const byTime = await rows
    .select(['bucket_ms', 'reason', ({ fn }) => fn.max('last_ms').as('last_ms')])
    .groupBy(['bucket_ms', 'reason'])
    .execute();
  const most = await rows
    .select('subject')
    .where('subject', '<>', OTHER)
    .groupBy('subject')
    .orderBy('count', 'desc')
    .orderBy('subject')
    .limit(MAX_GROUPS)
    .execute();
  const timesMs = timesOf(span);
  // PostgreSQL returns sums as text.
  const reasons = REFUSAL_REASONS.flatMap((reason) => {
    const found = byTime.filter((row) => row.reason === reason);
    if (found.length === 0) return [];
    const counts = new Map(found.map((row) => [Number(row.bucket_ms), Number(row.count)]));
    return {
      reason,
      count: sumOf(counts.values()),
      lastMs: Math.max(...found.map((row) => Number(row.last_ms))),
      points: timesMs.map((ms) => counts.get(ms) ?? 0),
    };
  });
  return {
    step: span.step,
    timesMs,
    total: sumOf(reasons.map(({ count }) => count)),
    reasons,
    subjects: most.map(({ subject, count }) => ({ subject, count: Number(count) })),
  };
}

function sumOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
