import { type Kysely, sql } from 'kysely';
import { runQuery } from '../database/database-error.ts';
import type { Tables } from '../database/tables.ts';
import { decodeCursor, encodeCursor } from './audit-cursor.ts';
import type { AuditOutcome, StoredAuditRecord } from './audit-record.ts';
import { toRecord } from './audit-row.ts';

export interface AuditFilter {
  readonly tenantId: string;
  readonly tool?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export type AuditExportFilter = Partial<Pick<AuditFilter, 'tenantId' | 'fromMs' | 'toMs'>>;

/** Reads audit records. Every method rejects with GatewayError `unavailable` while the database is away. */
export interface AuditStore {
  /** Rejects with `invalid_request` for a cursor that is none of ours. */
  list(filter: AuditFilter): Promise<AuditPage>;
  get(tenantId: string, auditId: string): Promise<StoredAuditRecord | undefined>;
  /** Oldest first, one JSON text and a line feed each. Reads the whole table, so it is for the command line. */
  exportLines(filter: AuditExportFilter): AsyncGenerator<string, void, void>;
}

export interface AuditStoreDeps {
  readonly db: Kysely<Tables>;
  /** Brings records that are still on their way; awaited before every read. */
  readonly beforeRead?: (() => Promise<void>) | undefined;
}

const EXPORT_PAGE = 500;

export function createAuditStore(deps: AuditStoreDeps): AuditStore {
  const { db, beforeRead } = deps;
  return {
    list: async (filter) => {
      const query = listQuery(db, filter);
      await beforeRead?.();
      const rows = await runQuery(() => query.execute());
      const records = rows.slice(0, filter.limit).map(toRecord);
      const last = rows.length > filter.limit ? rows[filter.limit - 1] : undefined;
      return {
        records,
        nextCursor: last
          ? encodeCursor({ timestampMs: last.timestamp_ms, auditId: last.audit_id })
          : null,
      };
    },
    get: async (tenantId, auditId) => {
      await beforeRead?.();
      const row = await runQuery(() =>
        db
          .selectFrom('audit_records')
          .selectAll()
          .where('audit_id', '=', auditId)
          .where('tenant_id', '=', tenantId)
          .executeTakeFirst(),
      );
      return row && toRecord(row);
    },
    exportLines: async function* (filter) {
      await beforeRead?.();
      for (let afterId = ''; ; ) {
        const rows = await runQuery(() => exportQuery(db, filter, afterId).execute());
        for (const row of rows) yield `${JSON.stringify(toRecord(row))}\n`;
        const last = rows.at(-1);
        if (!last || rows.length < EXPORT_PAGE) return;
        afterId = last.audit_id;
      }
    },
  };
}

/** One record more than asked for, which shows whether there is a next page. */
function listQuery(db: Kysely<Tables>, filter: AuditFilter) {
  let query = db
    .selectFrom('audit_records')
    .selectAll()
    .where('tenant_id', '=', filter.tenantId)
    .orderBy('timestamp_ms', 'desc')
    .orderBy('audit_id', 'desc')
    .limit(filter.limit + 1);
  if (filter.tool !== undefined) query = query.where('tool', '=', filter.tool);
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome);
  // Word for word the condition of the index of failures, without which neither database would use it.
  if (filter.outcome !== undefined && filter.outcome !== 'ok') {
    query = query.where(sql<boolean>`outcome <> 'ok'`);
  }
  if (filter.fromMs !== undefined) query = query.where('timestamp_ms', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('timestamp_ms', '<', filter.toMs);
  if (filter.cursor === undefined) return query;
  const { timestampMs, auditId } = decodeCursor(filter.cursor);
  return query.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('timestamp_ms', 'audit_id'), '<', tuple(timestampMs, auditId)),
  );
}

function exportQuery(db: Kysely<Tables>, filter: AuditExportFilter, afterId: string) {
  let query = db
    .selectFrom('audit_records')
    .selectAll()
    .where('audit_id', '>', afterId)
    .orderBy('audit_id')
    .limit(EXPORT_PAGE);
  if (filter.tenantId !== undefined) query = query.where('tenant_id', '=', filter.tenantId);
  if (filter.fromMs !== undefined) query = query.where('timestamp_ms', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('timestamp_ms', '<', filter.toMs);
  return query;
}
