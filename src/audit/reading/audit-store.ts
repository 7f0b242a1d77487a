import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { StoredAuditRecord } from '../record/audit-record.ts';
import { toRecord } from '../record/audit-row.ts';
import { type AuditFilter, FAILED } from './audit-filter.ts';
import { type AuditPosition, endOfWindow, orderFor, readPage } from './audit-page.ts';
import { type AuditQueries, type AuditSearch, createAuditQueries } from './audit-search.ts';

export interface AuditListRequest extends AuditFilter {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

interface AuditStoreDeps {
  readonly db: Kysely<Tables>;
  /** Searches `db` without blocking the event loop; by default, `db` runs the query itself. */
  readonly search?: AuditSearch['run'];
  /** Records that have not been shipped to `db` yet. */
  readonly waiting?: {
    /** Ships them. Resolves with false if some still wait. */
    readonly ship: () => Promise<boolean>;
    /** Has other gateways ship theirs. */
    readonly shipElsewhere?: (() => Promise<unknown>) | undefined;
  };
}

const RECORDS_WAIT =
  'The record is not in the database, but some still wait for it: try again in a minute.';

/** A page of `/api/v1/audit` ends with the record that reaches this size. */
const PAGE_MAX_BYTES = 1024 * 1024;

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Reads audit records. Every method rejects with GatewayError `unavailable` while the database is unavailable. */
export function createAuditStore({ db, waiting, search }: AuditStoreDeps) {
  const queriesOf = (tenantId: string | null) => createAuditQueries(db, search, tenantId);
  const ship = async (tenantId: string | null): Promise<void> => {
    if (tenantId !== null) await Promise.all([waiting?.ship(), waiting?.shipElsewhere?.()]);
  };
  return {
    /**
     * A page, newest first. Rejects with `invalid_request` for a cursor that this log did not issue, and with `overloaded` if
     * the search takes too long.
     */
    list: async ({ limit, cursor, ...filter }: AuditListRequest): Promise<AuditPage> => {
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      await ship(filter.tenantId);
      const { rows, next } = await readPage(queriesOf(filter.tenantId), {
        ...{ filter, order: orderFor(filter, 'desc'), after },
        ...{ maxRecords: limit, maxBytes: PAGE_MAX_BYTES },
      });
      return {
        records: rows.map(toRecord),
        nextCursor: next ? encodeCursor(next) : null,
      };
    },
    get: async (tenantId: string, auditId: string): Promise<StoredAuditRecord | undefined> => {
      if (!AUDIT_ID.test(auditId)) return undefined;
      const isShipped = (await waiting?.ship()) ?? true;
      const query = selectRecord(db, tenantId, auditId);
      const find = async () => (await queriesOf(tenantId).run(query))[0];
      let row = await find();
      if (!row && waiting?.shipElsewhere) {
        // Perhaps of a call that another gateway has just answered.
        await waiting.shipElsewhere();
        row = await find();
      }
      if (!row && !isShipped) throw new GatewayError('unavailable', RECORDS_WAIT);
      return row && toRecord(row);
    },
    /** The newest failed calls of a tenant, without those that wait for PostgreSQL. */
    failures: (tenantId: string, fromMs: number) =>
      readFailures(queriesOf(tenantId), { tenantId, fromMs }),
    /** All records of a filter, oldest first, page by page. */
    pages: async function* (filter: AuditFilter) {
      await ship(filter.tenantId);
      yield* exportPages(queriesOf(filter.tenantId), filter);
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

/** Few enough that decoding and encoding them does not delay calls. */
const PAGE_RECORDS = 200;
const PAGE_BYTES = 1024 * 1024;

/** Records that one query of an export examines, so that none takes long, however few it finds. */
const WINDOW_RECORDS = 20_000;

/** All records of a filter, oldest first, page by page. Reads a page only when the one before has been consumed. */
export async function* exportPages(
  queries: AuditQueries,
  filter: AuditFilter,
): AsyncGenerator<readonly StoredAuditRecord[], void, void> {
  const order = orderFor(filter, 'asc');
  const limits = { maxRecords: PAGE_RECORDS, maxBytes: PAGE_BYTES };
  let end: AuditPosition | undefined;
  do {
    let after = end;
    const from = { filter, order, after };
    end = await patiently(() => endOfWindow(queries, from, WINDOW_RECORDS));
    const window = { filter, order, until: end, ...limits };
    do {
      const { rows, next } = await patiently(() => readPage(queries, { ...window, after }));
      if (rows.length > 0) yield rows.map(toRecord);
      after = next;
    } while (after);
  } while (end);
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

/** Failures that are read at once; the index of failures leads to each. */
export const MAX_FAILURES = 2000;

/** How a call of a tool failed. */
export type Failure = Awaited<ReturnType<typeof readFailures>>[number];

/** The newest failed calls of a tenant, newest first. */
const readFailures = (
  { db, run }: AuditQueries,
  { tenantId, fromMs }: { readonly tenantId: string; readonly fromMs: number },
) =>
  run(
    db
      .selectFrom('audit_records')
      .select(['audit_id', 'timestamp_ms', 'tool_id', 'upstream_status', 'error_code', 'cause'])
      .where('tenant_id', '=', tenantId)
      .where('timestamp_ms', '>=', fromMs)
      .where(FAILED)
      .orderBy('timestamp_ms', 'desc')
      .orderBy('audit_id', 'desc')
      .limit(MAX_FAILURES),
  );
