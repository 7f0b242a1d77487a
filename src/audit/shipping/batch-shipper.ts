import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { AuditOutbox } from './audit-outbox.ts';
import type { DeadLetters } from './dead-letters.ts';
import { insertWaiting } from './insert-waiting.ts';

/** A batch is one statement; reading it and serialising it must not delay calls. A single row may be larger. */
const MAX_BATCH_ROWS = 500;
const MAX_BATCH_BYTES = 1024 * 1024;
/** A larger row is not even read. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

export interface BatchShipperDeps {
  readonly outbox: Pick<AuditOutbox, 'table' | 'count' | 'removed'>;
  readonly deadLetters: DeadLetters;
  readonly db: Kysely<Tables>;
  /** Called with the reason why a row became a dead letter. */
  readonly onBuried: (reason: string) => void;
}

/** Moves the oldest rows of the outbox to PostgreSQL, one batch at a time. */
export interface BatchShipper {
  /** Returns the number of rows that left the outbox; 0 if it is empty. Rejects if the server cannot accept them. */
  shipBatch(): Promise<number>;
  /** Halves the batches after a failure, so that a server short of memory or time gets less at once. */
  halve(): void;
}

export function createBatchShipper(deps: BatchShipperDeps): BatchShipper {
  const { outbox, deadLetters, db, onBuried } = deps;
  const { table } = outbox;
  let batchRows = MAX_BATCH_ROWS;

  const bury = (rowid: number, reason: string): void => {
    deadLetters.bury(table, rowid, reason);
    outbox.removed(1);
    onBuried(reason);
  };

  /**
   * At-least-once delivery: rows are removed only after PostgreSQL has committed them, and inserting them again has no
   * effect. Refused rows are halved until the bad row is alone, so that it does not block the others.
   */
  const ship = async (rowids: readonly number[]): Promise<void> => {
    const refused = await insertWaiting(db, table, rowids);
    const [first = 0] = rowids;
    if (refused === null) return outbox.removed(table.remove(rowids));
    if (rowids.length === 1) return bury(first, refused);
    const middle = rowids.length >> 1;
    await ship(rowids.slice(0, middle));
    await ship(rowids.slice(middle));
  };

  return {
    shipBatch: async () => {
      const { rowids, bytes } = table.next(batchRows, MAX_BATCH_BYTES);
      const [first] = rowids;
      if (first === undefined) return 0;
      if (bytes > MAX_ROW_BYTES) bury(first, `The row has ${bytes} bytes.`);
      else await ship(rowids);
      batchRows = Math.min(batchRows * 2, MAX_BATCH_ROWS);
      return rowids.length;
    },
    halve: () => {
      batchRows = Math.max(1, batchRows >> 1);
    },
  };
}
