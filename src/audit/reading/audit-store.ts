import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import type { StoredAuditRecord } from '../record/audit-record.ts';
import { toRecord } from '../record/audit-row.ts';
import type { WaitingRecords } from '../shipping/audit-outbox.ts';
import type { AuditFilter } from './audit-filter.ts';
import { type AuditQueries, type AuditSearch, createAuditQueries } from './audit-search.ts';
import { type AuditPosition, orderFor, readStep } from './audit-step.ts';
import { type AuditTimeline, readTimeline } from './audit-timeline.ts';
import { readFailures } from './recent-failures.ts';

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

type Incomplete = Pick<AuditPage, 'incomplete'>;

interface AuditStoreDeps {
  readonly db: Kysely<Tables>;
  /** Searches `db` without blocking the event loop; by default, `db` runs the query itself. */
  readonly search?: AuditSearch['run'];
  /** Records that have not been shipped to `db` yet. */
  readonly waiting?: {
    /** Ships them. Resolves with the tenant's records that still wait, or null. */
    readonly shipped: (tenantId: string) => Promise<WaitingRecords | null>;
    /** One of those that still wait. */
    readonly find: (tenantId: string, auditId: string) => AuditRecordsTable | undefined;
    /** Has other gateways ship theirs. */
    readonly shippedElsewhere?: (() => Promise<unknown>) | undefined;
  };
}

/** A page of `/api/v1/audit` ends with the record that reaches this size. */
const PAGE_MAX_BYTES = 1024 * 1024;
/** After this time, a list or a timeline responds with what it has. */
const MAX_SEARCH_MS = 100;

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Reads audit records. Every method rejects with GatewayError `unavailable` while the database is unavailable. */
export function createAuditStore({ db, waiting, search }: AuditStoreDeps) {
  const queries = createAuditQueries(db, search);
  const shipped = async (tenantId: string | null): Promise<Incomplete> => {
    if (tenantId === null || !waiting) return {};
    const [incomplete] = await Promise.all([
      waiting.shipped(tenantId),
      waiting.shippedElsewhere?.(),
    ]);
    return incomplete ? { incomplete } : {};
  };
  return {
    /** Rejects with `invalid_request` for a cursor that this log did not issue. */
    list: async ({ limit, cursor, ...filter }: AuditListRequest): Promise<AuditPage> => {
      const incomplete = await shipped(filter.tenantId);
      const bounds = { limit, cursor, maxBytes: PAGE_MAX_BYTES, maxMs: MAX_SEARCH_MS };
      const { rows, next, isCutShort } = await listRecords(queries, filter, bounds);
      return {
        records: rows.map(toRecord),
        nextCursor: next ? encodeCursor(next) : null,
        ...(next && isCutShort ? { searchedBackTo: isoTime(next.timestampMs) } : {}),
        ...incomplete,
      };
    },
    get: async (tenantId: string, auditId: string): Promise<StoredAuditRecord | undefined> => {
      if (!AUDIT_ID.test(auditId)) return undefined;
      // A record leaves the outbox only after `db` has it.
      const own = (await waiting?.shipped(tenantId)) && waiting?.find(tenantId, auditId);
      const find = async () => (await queries.run(selectRecord(db, tenantId, auditId)))[0];
      const row = own ?? (await find());
      if (row || !waiting?.shippedElsewhere) return row && toRecord(row);
      // Perhaps of a call that another gateway has just answered.
      await waiting.shippedElsewhere();
      const late = await find();
      return late && toRecord(late);
    },
    /** Counts records over time; with `beforeMs`, the rest of a partial timeline (`countedBackTo`). */
    timeline: async (
      filter: AuditFilter,
      beforeMs?: number,
    ): Promise<AuditTimeline & Incomplete> => {
      const incomplete = await shipped(filter.tenantId);
      const bounds = { beforeMs, maxMs: MAX_SEARCH_MS };
      return { ...(await readTimeline(queries, filter, bounds)), ...incomplete };
    },
    /** The newest failed calls of a tenant, without those that wait for PostgreSQL. */
    failures: (tenantId: string, fromMs: number) => readFailures(queries, { tenantId, fromMs }),
    /** All records of a filter, oldest first, page by page. */
    pages: async function* (filter: AuditFilter) {
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

interface ListOptions extends Pick<AuditListRequest, 'limit' | 'cursor'> {
  readonly maxBytes: number;
  /** No further step begins that would end after this time if it took as long as the one before, in milliseconds. */
  readonly maxMs: number;
}

/**
 * A page of records, newest first. `next` is undefined if no records are left; `isCutShort` is true if the time was up
 * before the page was full. Throws GatewayError `invalid_request` for an invalid cursor.
 */
export async function listRecords(
  queries: AuditQueries,
  filter: AuditFilter,
  { limit, cursor, maxBytes, maxMs }: ListOptions,
) {
  const order = orderFor(filter, 'desc');
  const endMs = performance.now() + maxMs;
  const rows: AuditRecordsTable[] = [];
  let bytes = 0;
  let after = cursor === undefined ? undefined : decodeCursor(cursor);
  for (let number = 0; ; number++) {
    const startedMs = performance.now();
    const left = { maxRecords: limit - rows.length, maxBytes: maxBytes - bytes };
    const step = await readStep(queries, { filter, order, number, after, ...left });
    after = step.next;
    rows.push(...step.rows);
    bytes += step.bytes;
    if (!after || step.isFull || rows.length === limit || bytes >= maxBytes) {
      return { rows, next: after, isCutShort: false };
    }
    const nowMs = performance.now();
    if (2 * nowMs - startedMs >= endMs) return { rows, next: after, isCutShort: true };
  }
}

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
async function patiently<T>(read: () => Promise<T>): Promise<T> {
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

/** An opaque cursor for a position. */
export function encodeCursor(position: AuditPosition): string {
  return Buffer.from(`${position.timestampMs}.${position.auditId}`).toString('base64url');
}

const POSITION = /^(\d{1,15})\.(aud_\w{1,64})$/;

/** Throws GatewayError `invalid_request` for a cursor that `encodeCursor` did not create. */
function decodeCursor(cursor: string): AuditPosition {
  const [, timestampMs, auditId] = POSITION.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (timestampMs === undefined || auditId === undefined) {
    throw new GatewayError(
      'invalid_request',
      'Invalid cursor. Omit it to start at the first page.',
    );
  }
  return { timestampMs: Number(timestampMs), auditId };
}
