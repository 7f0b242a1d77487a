import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { encodeSweep, type SweptEnd } from '../chain/chain-sweep.ts';
import { deleteLinks, findSweptEnds } from '../chain/chain-swept-ends.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import { auditIdAt } from '../record/audit-id-time.ts';
import { planSweep, type SweepFacts } from './audit-horizon.ts';
import {
  claimSweep,
  endOfRecords,
  readDatabaseClock,
  readSweepState,
  type SweepState,
} from './audit-sweeps.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** How soon an operator's word is followed. */
const LOOK_INTERVAL_MS = 60_000;
/** Few enough that the embedded database, which works within the event loop, delays no call noticeably. */
const BATCH = 500;

/** What retention has to tell the log. */
export type RetentionNotice =
  | { readonly kind: 'swept'; readonly records: number; readonly before: string }
  /** Records older than wanted stay, because the clock may be wrong. */
  | { readonly kind: 'refused'; readonly before: string; readonly wantedBefore: string }
  | { readonly kind: 'clocks_differ'; readonly byMs: number };

export interface AuditRetentionDeps {
  readonly db: Kysely<Tables>;
  readonly backend: 'embedded' | 'postgres';
  readonly clock: Clock;
  /** Age at which records are deleted; 0 = never. */
  readonly retentionDays: number;
  readonly chain: Pick<ChainWriter, 'addSweep'>;
  /** Awaited between the announcement of a sweep in the chain and the sweep. */
  readonly beforeDelete?: (() => Promise<void>) | undefined;
  /** Called after each batch of deletions. */
  readonly onDeleted?: (() => void) | undefined;
  readonly onNotice?: ((notice: RetentionNotice) => void) | undefined;
  readonly onFault: (error: unknown) => void;
  /** Time that has really passed; a test passes its own. */
  readonly elapsedMs?: () => number;
}

export interface RetentionStats {
  /** Records deleted since start. */
  readonly deleted: number;
  /** Records that are too old by the clock stay, because the last sweep was refused. */
  readonly refused: boolean;
}

export interface AuditRetention extends Closeable {
  /**
   * Deletes what is too old now, as far as `planSweep` lets it; also done at the start, every hour, and within a minute
   * of an operator's word. Returns how many records that were.
   */
  sweep(): Promise<number>;
  stats(): RetentionStats;
}

export function createAuditRetention(deps: AuditRetentionDeps): AuditRetention {
  const { db, clock, onNotice, elapsedMs = () => performance.now() } = deps;
  const retentionMs = deps.retentionDays * DAY_MS;
  let deleted = 0;
  let refused = false;
  let closed = false;
  let newest: { readonly ms: number; readonly seenAtMs: number } | undefined;
  let steppedAfterMs = Number.NEGATIVE_INFINITY;

  /** The earlier of the two clocks: a wrong one that is behind keeps records, one ahead would destroy them. */
  const readClocks = async (): Promise<number> => {
    const ownMs = clock.now();
    if (deps.backend === 'embedded') return ownMs;
    const databaseMs = await readDatabaseClock(db);
    const byMs = ownMs - databaseMs;
    if (Math.abs(byMs) > HOUR_MS) onNotice?.({ kind: 'clocks_differ', byMs });
    return Math.min(ownMs, databaseMs);
  };

  /** The newest record's own day, and after it the time that this process has seen pass. */
  const latestPlausible = (newestMs: number): number => {
    if (newest?.ms !== newestMs) newest = { ms: newestMs, seenAtMs: elapsedMs() };
    return Math.floor(newestMs + DAY_MS + elapsedMs() - newest.seenAtMs);
  };

  const readFacts = async (state: SweepState): Promise<SweepFacts> => {
    const clockMs = await readClocks();
    const newestMs = await endOfRecords(db, 'newest');
    return {
      clockMs,
      nowMs: newestMs === null ? clockMs : Math.min(clockMs, latestPlausible(newestMs)),
      retentionMs,
      oldestMs: await endOfRecords(db, 'oldest'),
      sweptBeforeMs: state.swept_before_ms,
      steppedAtMs: state.stepped_at_ms,
      approvedBeforeMs: state.approved_before_ms,
    };
  };

  /** A clock that runs ahead by days within hours gets no more than one of them. */
  const plan = (facts: SweepFacts) => {
    const steppedLately = elapsedMs() - steppedAfterMs < DAY_MS;
    return planSweep(steppedLately ? { ...facts, steppedAtMs: facts.clockMs } : facts);
  };

  const sweepOnce = async (): Promise<number> => {
    if (deps.retentionDays === 0 || closed) return 0;
    const state = await readSweepState(db);
    const facts = await readFacts(state);
    const { beforeMs, isStep } = plan(facts);
    const steppedAtMs = isStep ? facts.clockMs : state.stepped_at_ms;
    const next = { swept_before_ms: beforeMs, stepped_at_ms: steppedAtMs };
    if (!(await claimSweep(db, state, next))) return 0;
    if (isStep) steppedAfterMs = elapsedMs();
    const count = await deleteBefore(beforeMs, facts);
    await tellRefusal(beforeMs, facts.clockMs - retentionMs);
    return count;
  };

  /** Announced in the chain first: whatever is missing later was deleted lawfully. */
  const deleteBefore = async (beforeMs: number, { oldestMs }: SweepFacts): Promise<number> => {
    const links = await findSweptEnds(db, beforeMs);
    const hasRecords = oldestMs !== null && oldestMs < beforeMs;
    if (!hasRecords && Object.keys(links).length === 0) return 0;
    deps.chain.addSweep(encodeSweep({ beforeMs, links }));
    await deps.beforeDelete?.();
    const count = await deleteAll(beforeMs, links);
    deps.chain.addSweep(encodeSweep({ beforeMs, deleted: count }));
    if (count > 0) onNotice?.({ kind: 'swept', records: count, before: isoTime(beforeMs) });
    return count;
  };

  const deleteAll = async (
    beforeMs: number,
    links: Readonly<Record<string, SweptEnd>>,
  ): Promise<number> => {
    let total = 0;
    for (let count = BATCH; count === BATCH && !closed; await nextTurn()) {
      count = await deleteBatch(db, beforeMs);
      total += count;
      deleted += count;
      if (count > 0) deps.onDeleted?.();
    }
    if (!closed) await deleteLinks(db, links);
    return total;
  };

  const tellRefusal = async (beforeMs: number, wantedMs: number): Promise<void> => {
    const oldestMs = await endOfRecords(db, 'oldest');
    refused = oldestMs !== null && oldestMs < wantedMs && beforeMs < wantedMs;
    if (!refused) return;
    onNotice?.({
      kind: 'refused',
      before: isoTime(beforeMs),
      wantedBefore: isoTime(wantedMs),
    });
  };

  let underWay: Promise<number> = Promise.resolve(0);
  const sweep = (): Promise<number> => {
    underWay = underWay.then(sweepOnce, sweepOnce);
    return underWay;
  };
  const sweepQuietly = (): void => void sweep().catch(deps.onFault);
  const lookForApproval = async (): Promise<void> => {
    const { approved_before_ms: approved, swept_before_ms: swept } = await readSweepState(db);
    if ((approved ?? 0) > (swept ?? 0)) await sweep();
  };

  const isOn = deps.retentionDays > 0;
  const first = isOn ? setImmediate(sweepQuietly) : undefined;
  const timers = isOn
    ? [
        setInterval(sweepQuietly, HOUR_MS).unref(),
        setInterval(() => void lookForApproval().catch(deps.onFault), LOOK_INTERVAL_MS).unref(),
      ]
    : [];
  return {
    sweep,
    stats: () => ({ deleted, refused }),
    close: async () => {
      closed = true;
      clearImmediate(first);
      for (const timer of timers) clearInterval(timer);
      await underWay.catch(() => undefined);
    },
  };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * Deletes the oldest of the records made before the moment given; returns their number. By audit id, a ULID, so that no
 * index by time alone is needed, which every call would have to pay for.
 */
function deleteBatch(db: Kysely<Tables>, beforeMs: number): Promise<number> {
  return runQuery(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('audit_records')
      .where('audit_id', 'in', (query) =>
        query
          .selectFrom('audit_records')
          .select('audit_id')
          .where('audit_id', '<', auditIdAt(beforeMs))
          .orderBy('audit_id')
          .limit(BATCH),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
