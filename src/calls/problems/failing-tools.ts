import type { Failure } from '../../audit/reading/audit-store.ts';
import { failureOrigin } from '../../audit/record/failure-origin.ts';
import type { Cause } from '../../platform/kernel/cause.ts';
import { createKept } from '../../platform/kernel/memo.ts';
import type { Clock } from '../../platform/kernel/time.ts';

/** Why a tool fails; causes that only the caller can do something about are none. */
export type FailingCause = Exclude<Cause, 'arguments' | 'no_data'>;

/** A tool whose last calls all failed, and not because of their callers. */
export interface FailingTool {
  readonly toolId: string;
  /** The first of these calls that one party must act on, the one of the last call. */
  readonly sinceMs: number;
  readonly calls: number;
  /** Of the last call, as are the status of the upstream and the code of the error. */
  readonly cause: FailingCause;
  readonly status: number | null;
  readonly code: string | null;
}

/** Fewer may be a coincidence. */
export const MIN_CALLS = 3;
/** Tools that are examined: those with the most failures. */
export const MAX_FAILING = 100;
/** Tenants whose failing tools are kept for a moment. */
const MAX_TENANTS = 1000;
const KEPT_MS = 5000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface FailingToolsDeps {
  /** Newest first. */
  readonly failures: (tenantId: string, fromMs: number) => Promise<readonly Failure[]>;
  /** The last minute in which a call of each tool was successful. */
  readonly lastGood: (
    tenantId: string,
    toolIds: readonly string[],
  ) => Promise<ReadonlyMap<string, number>>;
  readonly clock: Clock;
}

/** Finds the tools of a tenant that fail, by their ids. */
export type FailingTools = (tenantId: string) => Promise<ReadonlyMap<string, FailingTool>>;

/**
 * A tool fails if its last calls of 24 hours, at least three, all failed for a cause that is not the caller's. Only reads:
 * a call costs nothing more. Successful calls are counted by the minute, so one ends the failure for its whole minute.
 */
export function createFailingTools(deps: FailingToolsDeps): FailingTools {
  const kept = createKept<ReadonlyMap<string, FailingTool>>(MAX_TENANTS, KEPT_MS);
  return (tenantId) => kept(tenantId, () => readFailing(deps, tenantId));
}

async function readFailing(
  { failures, lastGood, clock }: FailingToolsDeps,
  tenantId: string,
): ReturnType<FailingTools> {
  const found = await failures(tenantId, clock.now() - DAY_MS);
  const byTool = [...Map.groupBy(found.filter(isOurs), (failure) => failure.tool_id)]
    .filter(([, calls]) => calls.length >= MIN_CALLS)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_FAILING);
  const good = await lastGood(
    tenantId,
    byTool.map(([toolId]) => toolId),
  );
  const failing = byTool.flatMap(([toolId, calls]) => {
    const goodMs = good.get(toolId) ?? 0;
    const since = calls.filter((call) => minuteOf(call.timestamp_ms) > goodMs);
    if (since.length < MIN_CALLS) return [];
    // One filter of the audit log finds them.
    const lost = since.filter((call) => originOf(call) === originOf(since[0]));
    const [newest, oldest] = [lost[0], lost.at(-1)];
    if (!newest || !oldest) return [];
    const { cause, upstream_status: status, error_code: code } = newest;
    return { toolId, sinceMs: oldest.timestamp_ms, calls: lost.length, cause, status, code };
  });
  return new Map(failing.map((tool) => [tool.toolId, tool]));
}

const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

const originOf = (failure: Failure | undefined) =>
  failure ? failureOrigin('error', failure.error_code, failure.cause) : null;

const isOurs = (failure: Failure): failure is Failure & { readonly cause: FailingCause } =>
  ['key', 'upstream'].includes(originOf(failure) ?? '');
