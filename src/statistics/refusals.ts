import {
  type CountRefusal,
  REFUSAL_REASONS,
  type RefusalReason,
} from '../platform/kernel/refusal.ts';
import type { Clock } from '../platform/kernel/time.ts';
import { createCellMap, OTHER } from './cells.ts';
import { startOf } from './steps.ts';

/** Requests that were refused in one minute to one key for one reason. */
export interface RefusalCell {
  readonly minuteMs: number;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly reason: RefusalReason;
  count: number;
  lastMs: number;
}

/** Counts refused requests in memory until they are written, and all since the start. */
export function createRefusals(clock: Clock) {
  const cells = createCellMap<RefusalCell, RefusalCell>({
    nameOf: ({ minuteMs, tenantId, apiKeyId, reason }) =>
      `${minuteMs}\n${tenantId}\n${apiKeyId}\n${reason}`,
    othersOf: (cell) => ({ ...cell, apiKeyId: OTHER }),
    open: (cell) => ({ ...cell, count: 0 }),
  });
  const totals = Object.fromEntries(REFUSAL_REASONS.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;
  const add = (cell: RefusalCell): void => {
    const known = cells.at(cell);
    if (!known) return;
    known.count += cell.count;
    known.lastMs = Math.max(known.lastMs, cell.lastMs);
  };
  const count: CountRefusal = ({ tenantId, apiKeyId }, reason) => {
    totals[reason]++;
    const lastMs = clock.now();
    const minuteMs = startOf('minute', lastMs);
    add({ minuteMs, tenantId, apiKeyId, reason, count: 1, lastMs });
  };
  return {
    count,
    /** All since the start, by reason. */
    totals: (): Readonly<Record<RefusalReason, number>> => totals,
    take: cells.take,
    /** Takes back cells that could not be written. */
    putBack: (taken: readonly RefusalCell[]): void => taken.forEach(add),
  };
}
