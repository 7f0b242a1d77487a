import { inTransaction, toInteger } from '../../platform/database/sqlite.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { AuditFile } from '../record/audit-file.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';

/**
 * Records that wait for PostgreSQL, as a row of `audit_outbox` in `audit.db`: the records of one commit in one row, because a row for
 * each record takes twice the CPU of the commit and most of what shipping takes.
 */
export interface OutboxEntry {
  readonly id: number;
  /** How many records wait. */
  readonly waiting: number;
  /** A JSON array of the records, whose members have the names of the columns in PostgreSQL. */
  readonly records: string;
}

/** The oldest entries. */
export type WaitingBatch = readonly OutboxEntry[];

interface AuditOutboxDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  readonly maxRecords: number;
}

/** Of one entry, unless it has a single record, so that a batch stays small. */
const MAX_CHARACTERS = 1024 * 1024;
/** Bounds the entries that are read for a batch. */
const MAX_ENTRIES = 500;
/** Records of the embedded mode that become an entry. */
const ENTRY_RECORDS = 100;

export type AuditOutbox = ReturnType<typeof createAuditOutbox>;

/** The records of `audit.db` that have not been shipped to PostgreSQL yet. */
export function createAuditOutbox({ file, clock, maxRecords }: AuditOutboxDeps) {
  const { writer } = file;
  const insert = writer.prepare(
    'INSERT INTO audit_outbox (waiting, stored_at_ms, records) VALUES (?, ?, ?)',
  );
  const oldest = writer.prepare(
    `SELECT id, waiting, records FROM audit_outbox ORDER BY id LIMIT ${MAX_ENTRIES}`,
  );
  const first = writer.prepare('SELECT stored_at_ms FROM audit_outbox ORDER BY id LIMIT 1');
  const remove = writer.prepare(
    'DELETE FROM audit_outbox WHERE id IN (SELECT value FROM json_each(?))',
  );
  const embedded = openEmbeddedRecords(file);
  const count = writer.prepare('SELECT coalesce(sum(waiting), 0) AS n FROM audit_outbox').get();
  let waiting = toInteger(count?.['n']) + embedded.left();

  const store = (rows: readonly AuditRecordsTable[]): void => {
    const records = encode(rows);
    if (records.length > MAX_CHARACTERS && rows.length > 1) {
      const middle = rows.length >> 1;
      store(rows.slice(0, middle));
      store(rows.slice(middle));
      return;
    }
    insert.run(rows.length, clock.now(), records);
  };

  return {
    count: (): number => waiting,
    isFull: (): boolean => waiting >= maxRecords,
    /** Stores the records of a commit. Call it within its transaction. */
    store,
    /** Called by the ledger with the records of a commit. */
    added: (committed: readonly AuditRecordsTable[]): void => {
      waiting += committed.length;
    },
    /** The oldest entries, as many as both limits allow, but at least one. Empty if nothing waits. */
    next: (maxCount: number, maxCharacters: number): WaitingBatch => {
      embedded.move(store);
      const batch: OutboxEntry[] = [];
      let left = maxCount;
      let charactersLeft = maxCharacters;
      const entries: Iterable<OutboxEntry> = oldest.iterate() as Iterable<never>;
      for (const entry of entries) {
        left -= entry.waiting;
        charactersLeft -= entry.records.length;
        if (batch.length > 0 && (left < 0 || charactersLeft < 0)) break;
        batch.push(entry);
      }
      return batch;
    },
    /** Removes what PostgreSQL has, or what becomes dead letters. Call `removed` once that is committed. */
    remove: (batch: WaitingBatch): void => {
      remove.run(JSON.stringify(batch.map(({ id }) => id)));
    },
    removed: (batch: WaitingBatch): void => {
      waiting -= countOf(batch);
      file.releaseSpace();
    },
    /** Called when the outbox was emptied from outside. */
    emptied: (): void => {
      waiting = 0;
    },
    /** How long the oldest entry has been waiting, in milliseconds; 0 if none waits. */
    oldestWaitingMs: (): number => {
      const since = waiting > 0 ? first.get()?.['stored_at_ms'] : undefined;
      return typeof since === 'number' ? Math.max(0, clock.now() - since) : 0;
    },
  };
}

export const countOf = (batch: WaitingBatch): number =>
  batch.reduce((sum, entry) => sum + entry.waiting, 0);

export const rowsOf = ({ records }: Pick<OutboxEntry, 'records'>): AuditRecordsTable[] =>
  JSON.parse(records);

/** PostgreSQL refuses lone surrogates. */
function encode(rows: readonly AuditRecordsTable[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** What a gateway without DATABASE_URL has written to `audit_records`. */
function openEmbeddedRecords({ writer }: AuditFile) {
  const select = writer.prepare(
    `SELECT ${RECORD_COLUMNS.join(', ')} FROM audit_records ORDER BY n LIMIT ${ENTRY_RECORDS}`,
  );
  const remove = writer.prepare(
    `DELETE FROM audit_records WHERE n IN (SELECT n FROM audit_records ORDER BY n LIMIT ${ENTRY_RECORDS})`,
  );
  let left = toInteger(writer.prepare('SELECT count(*) AS n FROM audit_records').get()?.['n']);
  return {
    left: (): number => left,
    /** Moves the oldest to the outbox. */
    move: (store: (rows: readonly AuditRecordsTable[]) => void): void => {
      if (left <= 0) return;
      const rows = select.all() as unknown as AuditRecordsTable[];
      if (rows.length > 0) {
        inTransaction(writer, () => {
          store(rows);
          remove.run();
        });
      }
      left = rows.length < ENTRY_RECORDS ? 0 : left - rows.length;
    },
  };
}
