import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { type AuditPosition, decodeCursor } from './audit-cursor.ts';
import type { AuditFilter } from './audit-filter.ts';
import { rowBytes } from './audit-page.ts';
import type { AuditQueries } from './audit-queries.ts';
import { orderFor } from './audit-range.ts';
import { readStep } from './audit-step.ts';

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly maxBytes: number;
  /** No further step begins that would end after this time if it took as long as the one before, in milliseconds. */
  readonly maxMs: number;
}

export interface ListedRows {
  /** Newest first. */
  readonly rows: readonly AuditRecordsTable[];
  /** Undefined if no records are left. */
  readonly next: AuditPosition | undefined;
  /** Whether the time was up before the page was full. */
  readonly isCutShort: boolean;
}

/** A page of records, newest first. Throws GatewayError `invalid_request` for an invalid cursor. */
export async function listRecords(
  queries: AuditQueries,
  filter: AuditFilter,
  { limit, cursor, maxBytes, maxMs }: ListOptions,
): Promise<ListedRows> {
  const order = orderFor(filter, 'desc');
  const endMs = performance.now() + maxMs;
  const rows: AuditRecordsTable[] = [];
  let bytes = 0;
  let after = cursor === undefined ? undefined : decodeCursor(cursor);
  for (let number = 0; ; number++) {
    const startedMs = performance.now();
    const step = await readStep(queries, {
      filter,
      order,
      number,
      after,
      maxRecords: limit - rows.length,
      maxBytes: maxBytes - bytes,
    });
    after = step.next;
    for (const row of step.rows) {
      rows.push(row);
      bytes += rowBytes(row);
    }
    if (!after || step.isFull || rows.length === limit || bytes >= maxBytes) {
      return { rows, next: after, isCutShort: false };
    }
    const nowMs = performance.now();
    if (2 * nowMs - startedMs >= endMs) return { rows, next: after, isCutShort: true };
  }
}
