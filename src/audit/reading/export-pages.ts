import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { StoredAuditRecord } from '../record/audit-record.ts';
import { toRecord } from '../record/audit-row.ts';
import type { AuditPosition } from './audit-cursor.ts';
import type { AuditFilter } from './audit-filter.ts';
import type { AuditQueries } from './audit-queries.ts';
import { orderFor } from './audit-range.ts';
import { readStep, type StepResult } from './audit-step.ts';

/** Few enough that decoding and encoding them does not delay calls. */
const PAGE_RECORDS = 200;
const PAGE_BYTES = 1024 * 1024;

/** All records of a filter, oldest first, page by page. Reads a page only when the one before has been consumed. */
export async function* exportPages(
  queries: AuditQueries,
  filter: AuditFilter,
): AsyncGenerator<readonly StoredAuditRecord[], void, void> {
  const order = orderFor(filter, 'asc');
  const limits = { maxRecords: PAGE_RECORDS, maxBytes: PAGE_BYTES };
  let after: AuditPosition | undefined;
  let until: AuditPosition | undefined;
  let number = 0;
  do {
    const options = { filter, order, number: number++, after, until, ...limits };
    const step = await patiently(() => readStep(queries, options));
    if (step.rows.length > 0) yield step.rows.map(toRecord);
    after = step.next;
    until = step.until;
  } while (after);
}

const ATTEMPTS = 5;
const PAUSE_MS = 1000;

/** A download that has begun cannot report an error, so it waits while other searches occupy the thread. */
async function patiently(read: () => Promise<StepResult>): Promise<StepResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const isBusy = error instanceof GatewayError && error.code === 'overloaded';
      if (!isBusy || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
