import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import type { AuditOutcome, StoredAuditRecord } from '../record/audit-record.ts';
import { toRecord } from '../record/audit-row.ts';
import { COLUMN_CAPS, fitText } from '../record/fit-column.ts';
import type { WaitingRecords } from '../shipping/audit-outbox.ts';
import { decodeCursor, encodeCursor } from './audit-cursor.ts';
import { type PageRow, pageWithin, selectSizes } from './audit-page.ts';
import type { AuditSearch } from './audit-search.ts';

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
  /** Present while records of the tenant wait for PostgreSQL, which the page therefore lacks. */
  readonly incomplete?: WaitingRecords;
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
  /** Searches `db` without holding up the event loop; by `db` itself unless said. */
  readonly search?: AuditSearch['run'];
  /** Records that are still on their way to `db`. */
  readonly waiting?: {
    readonly db: Kysely<Tables>;
    /** Brings them; resolves with what the tenant's records lack nevertheless. */
    readonly shipped: (tenantId: string) => Promise<WaitingRecords | null>;
  };
}

/** A page of `/api/v1/audit` ends with the record that reaches this. */
const PAGE_MAX_BYTES = 1024 * 1024;
const EXPORT_PAGE = 500;
const EXPORT_PAGE_BYTES = 4 * 1024 * 1024;

export function createAuditStore({ db, waiting, search }: AuditStoreDeps): AuditStore {
  const run =
    search ??
    (async <Row>(query: CompiledQuery<Row>): Promise<readonly Row[]> =>
      (await db.executeQuery(query)).rows);
  return {
    list: async (filter) => {
      const query = listQuery(db, filter).compile();
      const incomplete = await waiting?.shipped(filter.tenantId);
      const rows = await runQuery(() => run<PageRow>(query));
      return {
        records: rows.map(toRecord),
        nextCursor: cursorAfter(rows),
        ...(incomplete ? { incomplete } : {}),
      };
    },
    get: async (tenantId, auditId) => {
      if (!AUDIT_ID.test(auditId)) return undefined;
      // Looked for here first: a record leaves this place only after it has come to the other.
      const row =
        (waiting && (await findRecord(waiting.db, tenantId, auditId))) ??
        (await findRecord(db, tenantId, auditId));
      return row && toRecord(row);
    },
    exportLines: async function* (filter) {
      for (let afterId = ''; ; ) {
        const rows = await runQuery(() => exportQuery(db, filter, afterId).execute());
        for (const row of rows) yield `${JSON.stringify(toRecord(row))}\n`;
        const last = rows.at(-1);
        if (!last || (rows.length === last.found && last.found < EXPORT_PAGE)) return;
        afterId = last.audit_id;
      }
    },
  };
}

/** PostgreSQL refuses a NUL in a parameter; no id has other characters than these. */
const AUDIT_ID = /^aud_\w{1,64}$/;

const findRecord = (
  db: Kysely<Tables>,
  tenantId: string,
  auditId: string,
): Promise<AuditRecordsTable | undefined> =>
  runQuery(() =>
    db
      .selectFrom('audit_records')
      .selectAll()
      .where('audit_id', '=', auditId)
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst(),
  );

/** Where the next page begins; null when this one has all that was found. */
function cursorAfter(rows: readonly PageRow[]): string | null {
  const last = rows.at(-1);
  if (!last || rows.length === last.found) return null;
  return encodeCursor({ timestampMs: last.timestamp_ms, auditId: last.audit_id });
}

function listQuery(db: Kysely<Tables>, filter: AuditFilter) {
  return pageWithin(db, chosenRecords(db, filter), {
    orderBy: ['timestamp_ms', 'audit_id'],
    direction: 'desc',
    maxRecords: filter.limit,
    maxBytes: PAGE_MAX_BYTES,
  });
}

/** One record more than asked for, which shows whether there is a next page. */
function chosenRecords(db: Kysely<Tables>, filter: AuditFilter) {
  let query = selectSizes(db)
    .where('tenant_id', '=', filter.tenantId)
    .orderBy('timestamp_ms', 'desc')
    .orderBy('audit_id', 'desc')
    .limit(filter.limit + 1);
  if (filter.tool !== undefined)
    query = query.where('tool', '=', fitText(filter.tool, COLUMN_CAPS.tool));
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
  let query = selectSizes(db)
    .where('audit_id', '>', afterId)
    .orderBy('audit_id')
    .limit(EXPORT_PAGE);
  if (filter.tenantId !== undefined) query = query.where('tenant_id', '=', filter.tenantId);
  if (filter.fromMs !== undefined) query = query.where('timestamp_ms', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('timestamp_ms', '<', filter.toMs);
  return pageWithin(db, query, {
    orderBy: ['audit_id'],
    direction: 'asc',
    maxRecords: EXPORT_PAGE,
    maxBytes: EXPORT_PAGE_BYTES,
  });
}
