import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Tables } from '../database/tables.ts';
import type { Closeable } from '../kernel/closeable.ts';
import type { AuditOutbox, OutboxRow } from './audit-outbox.ts';

const BATCH = 500;
const MAX_PAUSE_MS = 5000;

export interface AuditShipperDeps {
  readonly outbox: AuditOutbox;
  readonly db: Kysely<Tables>;
  /** Pause between two looks into the outbox. */
  readonly intervalMs: number;
  /** Told of every failed attempt; the records wait in the outbox meanwhile. */
  readonly onFault: (error: unknown) => void;
}

/** Moves audit records from the outbox to PostgreSQL, from its making until closed. */
export interface AuditShipper extends Closeable {
  /** Resolves once all that waits now has been shipped, or after the time given, or when it fails. */
  drain(timeoutMs: number): Promise<void>;
}

export function createAuditShipper(deps: AuditShipperDeps): AuditShipper {
  const { outbox, db, intervalMs, onFault } = deps;
  /** Records up to here stay behind, because PostgreSQL will not have them. */
  let skipUntil = 0;
  let pauseMs = intervalMs;
  let underWay: Promise<void> | undefined;
  let closed = false;

  /** At-least-once: a record is removed only after PostgreSQL has committed it, and inserting it again does nothing. */
  const shipBatch = async (): Promise<void> => {
    const batch = outbox.read(skipUntil, BATCH);
    try {
      await insert(db, batch);
      forget(batch);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      await shipOneByOne(batch);
    }
  };

  const shipOneByOne = async (batch: readonly OutboxRow[]): Promise<void> => {
    for (const row of batch) {
      try {
        await insert(db, [row]);
        forget([row]);
      } catch (error) {
        if (!isDataFault(error)) throw error;
        skipUntil = row.rowid;
        onFault(error);
      }
    }
  };

  const forget = (rows: readonly OutboxRow[]): void => {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first && last) outbox.remove(first.rowid, last.rowid);
  };

  /** Ships what waits now; what arrives meanwhile is for the next round, so that a round ends. */
  const shipWaiting = async (): Promise<void> => {
    try {
      const batches = Math.ceil(outbox.count() / BATCH);
      for (let i = 0; i < batches && !closed; i++) await shipBatch();
      pauseMs = intervalMs;
    } catch (error) {
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      onFault(error);
    }
  };

  const ship = (): Promise<void> => {
    underWay ??= shipWaiting().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const turn = async (): Promise<void> => {
    await ship();
    if (!closed) timer = setTimeout(turn, pauseMs).unref();
  };
  let timer = setTimeout(turn, 0).unref();

  return {
    drain: async (timeoutMs) => {
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, timeoutMs);
      // A round under way may have looked into the outbox before the latest records came.
      await Promise.race([tooLate, Promise.resolve(underWay).then(ship)]);
      clearTimeout(limit);
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}

async function insert(db: Kysely<Tables>, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  const json = JSON.stringify(rows.map((row) => row.columns));
  await sql`
    insert into audit_records
    select * from json_populate_recordset(null::audit_records, ${json}::json)
    on conflict (audit_id) do nothing`.execute(db);
}

/** SQLSTATE classes 22 (data exception) and 23 (constraint): this record, not the server, is the trouble. */
const isDataFault = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
