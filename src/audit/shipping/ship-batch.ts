import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { anchorAt, type ChainAnchor } from '../chain/chain-link.ts';
import { idsOf, readRecords } from '../chain/chain-reader.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import type { AuditFile } from '../record/audit-file.ts';
import { COUNTED_COLUMNS } from '../record/counted-record.ts';
import type { AuditOutbox, WaitingBatch, WaitingLink } from './audit-outbox.ts';
import type { DeadLetters } from './dead-letters.ts';

/** Reading a batch and serialising it must not delay calls. A single link may be larger. */
const MAX_BATCH_RECORDS = 500;
const MAX_BATCH_BYTES = 1024 * 1024;
/** A larger row is not even read. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

export interface BatchShipperDeps {
  readonly file: AuditFile;
  readonly outbox: AuditOutbox;
  readonly deadLetters: DeadLetters;
  readonly chain: ChainWriter;
  readonly db: Kysely<Tables>;
  /** Called with every anchor once PostgreSQL has it, perhaps again after a restart. */
  readonly onAnchor?: ((anchor: ChainAnchor) => void) | undefined;
  /** Called with the reason why a row became a dead letter. */
  readonly onBuried: (reason: string) => void;
  /** Called with the origin of a chain that another gateway has continued. This gateway then starts a new chain. */
  readonly onForked?: ((origin: string) => void) | undefined;
}

/** Moves the oldest links and their records to PostgreSQL, one batch at a time. */
export function createBatchShipper(deps: BatchShipperDeps) {
  const { outbox, deadLetters, db, onAnchor, onBuried } = deps;
  /** Origins whose chain another gateway has continued. */
  const forked = new Set<string>();
  let maxRecords = MAX_BATCH_RECORDS;

  const shipTogether = async (batch: WaitingBatch): Promise<number> => {
    const { links, rows } = batch;
    const accepted = await insertTogether(db, outbox.read(rows), links, forked);
    if (accepted === 0 && links.length > 0) return moveToNewChain(deps, forked, links);
    if (accepted < links.length) return shipTogether(outbox.batchOf(links.slice(0, accepted)));
    for (const link of links) if (link.kind !== 'records') onAnchor?.(anchorAt(link));
    outbox.remove(batch);
    return rows.length;
  };

  const bury = (refused: readonly Refused[]): number => {
    for (const { rowid, reason } of refused) {
      deadLetters.bury(rowid, reason);
      outbox.buried(rowid);
      onBuried(reason);
    }
    return refused.length;
  };

  return {
    /**
     * Resolves with the number of records that left the outbox; undefined if nothing waits. Rejects if the server cannot
     * accept them. Rows are removed only after PostgreSQL has committed them, and inserting them again has no effect.
     */
    ship: async (): Promise<number | undefined> => {
      const batch = outbox.next(maxRecords, MAX_BATCH_BYTES);
      if (!batch) return undefined;
      const tooLarge = batch.rows
        .filter(({ bytes }) => bytes > MAX_ROW_BYTES)
        .map(({ rowid, bytes }) => ({ rowid, reason: `The row has ${bytes} bytes.` }));
      if (tooLarge.length > 0) return bury(tooLarge);
      const left = await shipTogether(batch).catch(async (error: unknown) => {
        const refused = refusalOf(error) === undefined ? [] : await findRefused(deps, batch.rows);
        if (refused.length === 0) throw error;
        return bury(refused);
      });
      maxRecords = Math.min(maxRecords * 2, MAX_BATCH_RECORDS);
      return left;
    },
    /** Halves the batches after a failure, down to one link, so that a server short of memory or time gets less at once. */
    halve: (): void => {
      maxRecords = Math.max(1, maxRecords >> 1);
    },
  };
}

/**
 * After DATA_DIR was copied or restored from a backup, another gateway may have continued the same chain. This gateway
 * then continues under a new origin, and the new chain includes the records whose links conflict.
 */
async function moveToNewChain(
  { file, outbox, chain, db, onForked }: BatchShipperDeps,
  forked: Set<string>,
  waiting: readonly WaitingLink[],
): Promise<number> {
  const origin = waiting[0]?.origin ?? '';
  if (!forked.has(origin)) onForked?.(origin);
  forked.add(origin);
  const links = waiting.filter((link) => link.origin === origin);
  const ids = links.flatMap(idsOf);
  // Earlier versions shipped records before their links.
  const rows = new Map(await readRecords(db, ids));
  for (const row of outbox.read(outbox.batchOf(links).rows)) rows.set(row.audit_id, row);
  const removeLink = file.writer.prepare('DELETE FROM audit_links WHERE rowid = ?');
  try {
    inTransaction(file.writer, () => {
      if (forked.has(chain.origin())) chain.startNewChain();
      chain.link(ids.flatMap((id) => rows.get(id) ?? []));
      for (const { rowid } of links) removeLink.run(rowid);
    });
    return 0;
  } catch (error) {
    chain.undo();
    throw error;
  }
}

/** A row that PostgreSQL will never accept in this form. */
interface Refused {
  readonly rowid: number;
  readonly reason: string;
}

/** Searches by halves for the rows that are refused, so that they do not block the others. Inserts nothing. */
async function findRefused(
  deps: BatchShipperDeps,
  rows: WaitingBatch['rows'],
): Promise<readonly Refused[]> {
  const [first] = rows;
  const reason = await deps.db
    .transaction()
    .execute(async (transaction) => {
      await insertRecords(transaction, deps.outbox.read(rows));
      throw new Undo(0);
    })
    .catch((error: unknown) => {
      const refusal = refusalOf(error);
      if (refusal === undefined && !(error instanceof Undo)) throw error;
      return refusal;
    });
  if (reason === undefined || !first) return [];
  if (rows.length === 1) return [{ rowid: first.rowid, reason }];
  const middle = rows.length >> 1;
  const halves = [rows.slice(0, middle), rows.slice(middle)];
  const refused: Refused[] = [];
  for (const half of halves) refused.push(...(await findRefused(deps, half)));
  return refused;
}

/** Ends a transaction without an effect. */
class Undo extends Error {
  readonly accepted: number;
  constructor(accepted: number) {
    super();
    this.accepted = accepted;
  }
}

/**
 * Inserts links and their records in one transaction, and leaves existing ones unchanged. If another gateway has used the
 * number of a link, inserts nothing. Resolves with the number of links before that one.
 */
async function insertTogether(
  db: Kysely<Tables>,
  records: readonly AuditRecordsTable[],
  links: readonly WaitingLink[],
  forked: ReadonlySet<string>,
): Promise<number> {
  try {
    await db.transaction().execute(async (transaction) => {
      await insertRecords(transaction, records);
      const accepted = await insertLinks(transaction, links, forked);
      if (accepted < links.length) throw new Undo(accepted);
    });
    return links.length;
  } catch (error) {
    if (error instanceof Undo) return error.accepted;
    throw error;
  }
}

const COUNTED = sql.join(COUNTED_COLUMNS.map((name) => sql.ref(name)));

/** The inserted records wait to be counted by the statistics. In the same statement, so that a record is counted exactly if it is inserted. */
export async function insertRecords(
  db: Kysely<Tables>,
  records: readonly AuditRecordsTable[],
): Promise<void> {
  if (records.length === 0) return;
  await sql`
    with inserted as (
      insert into audit_records
      select * from json_populate_recordset(null::audit_records, ${encodeRecords(records)}::json)
      on conflict (audit_id) do nothing
      returning ${COUNTED}
    )
    insert into statistics_waiting (${COUNTED}) select ${COUNTED} from inserted`.execute(db);
}

/** PostgreSQL refuses lone surrogates. SQLite has replaced them in what was read from the file. */
function encodeRecords(records: readonly AuditRecordsTable[]): string {
  const json = JSON.stringify(records);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(records, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

async function insertLinks(
  db: Kysely<Tables>,
  links: readonly WaitingLink[],
  forked: ReadonlySet<string>,
): Promise<number> {
  const known = links.findIndex(({ origin }) => forked.has(origin));
  if (known === 0 || links.length === 0) return 0;
  const shipped = sql`json_populate_recordset(null::audit_links, ${JSON.stringify(links)}::json)`;
  const { numAffectedRows } = await sql`
    insert into audit_links select * from ${shipped}
    on conflict (origin, seq) do nothing`.execute(db);
  if (known < 0 && Number(numAffectedRows) === links.length) return links.length;
  const { rows } = await sql<Pick<WaitingLink, 'rowid'>>`
    select shipped.rowid from json_to_recordset(${JSON.stringify(links)}::json)
      as shipped (rowid int8, origin text, seq int8, hash text)
    join audit_links using (origin, seq) where audit_links.hash <> shipped.hash`.execute(db);
  const conflicts = new Set(rows.map(({ rowid }) => rowid));
  const accepted = links.findIndex(({ rowid }, index) => index === known || conflicts.has(rowid));
  return accepted < 0 ? links.length : accepted;
}

/**
 * Why the rows are the cause of an error, and not the server: SQLSTATE classes 22 (data exception), 23 (constraint) and 54
 * (program limit), or a value that JavaScript cannot represent. A missing table, permission, disk space or memory is the
 * server's.
 */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    return /^(?:22|23|54)/.test(error.code ?? '') ? `${error.code}: ${error.message}` : undefined;
  }
  const isTooLarge =
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG');
  return isTooLarge ? error.message : undefined;
}

/** SQLSTATE 25006: a standby, or a read-only server. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '25006';
