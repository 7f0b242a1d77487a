import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import type { StoredAuditRecord } from '../record/audit-record.ts';
import { toRecord } from '../record/audit-row.ts';
import type { WaitingRecords } from '../shipping/audit-outbox.ts';
import { encodeCursor } from './audit-cursor.ts';
import type { AuditFilter } from './audit-filter.ts';
import { createAuditQueries } from './audit-queries.ts';
import type { AuditSearch } from './audit-search.ts';
import { type AuditTimeline, readTimeline } from './audit-timeline.ts';
import { exportPages } from './export-pages.ts';
import { listRecords } from './list-records.ts';

export interface AuditListRequest extends AuditFilter {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** Present if the search ended before the page was full: how far back it went; ISO 8601, UTC. */
  readonly searchedBackTo?: string;
  /** Present while records of the tenant wait for PostgreSQL and are therefore missing from the page. */
  readonly incomplete?: WaitingRecords;
}

/** Reads audit records. Every method rejects with GatewayError `unavailable` while the database is unavailable. */
export interface AuditStore {
  /** Rejects with `invalid_request` for a cursor that this log did not issue. */
  list(request: AuditListRequest): Promise<AuditPage>;
  get(tenantId: string, auditId: string): Promise<StoredAuditRecord | undefined>;
  /** Counts records over time; with `beforeMs`, the rest of a partial timeline (`countedBackTo`). */
  timeline(filter: AuditFilter, beforeMs?: number): Promise<AuditTimeline & Incomplete>;
  /** All records of a filter, oldest first, page by page. */
  pages(filter: AuditFilter): AsyncGenerator<readonly StoredAuditRecord[], void, void>;
}

type Incomplete = Pick<AuditPage, 'incomplete'>;

export interface AuditStoreDeps {
  readonly db: Kysely<Tables>;
  /** Searches `db` without blocking the event loop; by default, `db` runs the query itself. */
  readonly search?: AuditSearch['run'];
  /** Records that have not been shipped to `db` yet. */
  readonly waiting?: {
    readonly db: Kysely<Tables>;
    /** Ships them. Resolves with the tenant's records that still wait, or null. */
    readonly shipped: (tenantId: string) => Promise<WaitingRecords | null>;
  };
}

/** A page of `/api/v1/audit` ends with the record that reaches this size. */
const PAGE_MAX_BYTES = 1024 * 1024;
/** After this time, a list or a timeline responds with what it has. */
const MAX_SEARCH_MS = 100;

export function createAuditStore({ db, waiting, search }: AuditStoreDeps): AuditStore {
  const queries = createAuditQueries(db, search);
  const shipped = async (tenantId: string | null): Promise<Incomplete> => {
    const incomplete = tenantId === null ? null : await waiting?.shipped(tenantId);
    return incomplete ? { incomplete } : {};
  };
  return {
    list: async ({ limit, cursor, ...filter }) => {
      const incomplete = await shipped(filter.tenantId);
      const bounds = { limit, cursor, maxBytes: PAGE_MAX_BYTES, maxMs: MAX_SEARCH_MS };
      const { rows, next, isCutShort } = await listRecords(queries, filter, bounds);
      return {
        records: rows.map(toRecord),
        nextCursor: next ? encodeCursor(next) : null,
        ...(next && isCutShort ? { searchedBackTo: new Date(next.timestampMs).toISOString() } : {}),
        ...incomplete,
      };
    },
    get: async (tenantId, auditId) => {
      if (!AUDIT_ID.test(auditId)) return undefined;
      // The outbox is read first: a record leaves it only after `db` has the record.
      const waits = waiting && selectRecord(waiting.db, tenantId, auditId);
      const [row] =
        (waits && nonEmpty(await runQuery(() => waits.execute()))) ??
        (await queries.run(selectRecord(db, tenantId, auditId)));
      return row && toRecord(row);
    },
    timeline: async (filter, beforeMs) => {
      const incomplete = await shipped(filter.tenantId);
      const bounds = { beforeMs, maxMs: MAX_SEARCH_MS };
      return { ...(await readTimeline(queries, filter, bounds)), ...incomplete };
    },
    pages: async function* (filter) {
      await shipped(filter.tenantId);
      yield* exportPages(queries, filter);
    },
  };
}

/** Every id has this form. PostgreSQL refuses a parameter that contains NUL. */
const AUDIT_ID = /^aud_\w{1,64}$/;

const selectRecord = (db: Kysely<Tables>, tenantId: string, auditId: string) =>
  db
    .selectFrom('audit_records')
    .selectAll()
    .where('audit_id', '=', auditId)
    .where('tenant_id', '=', tenantId);

const nonEmpty = (rows: readonly AuditRecordsTable[]): readonly AuditRecordsTable[] | undefined =>
  rows.length > 0 ? rows : undefined;
