import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { anchorAt, type ChainAnchor } from '../chain/chain-link.ts';
import { idsOf, readRecords } from '../chain/chain-reader.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import type { AuditFile } from '../record/audit-file.ts';
import { COUNTED_COLUMNS } from '../record/counted-record.ts';
import {
  type AuditOutbox,
  countOf,
  partOf,
  type WaitingBatch,
  type WaitingLink,
} from './audit-outbox.ts';
import type { DeadLetters, RefusedRecord } from './dead-letters.ts';
import { RecordJoin, rowsOf } from './outbox-table.ts';

/** Reading a batch and sending it must not delay calls. A single link may be larger. */
const MAX_BATCH_RECORDS = 500;
const MAX_BATCH_CHARACTERS = 1024 * 1024;

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
  const recordJoin = new RecordJoin();
  let maxRecords = MAX_BATCH_RECORDS;

  const shipTogether = async (batch: WaitingBatch): Promise<number> => {
    const { links, entries } = batch;
    const accepted = await insertTogether(db, recordJoin.join(entries), links, forked);
    if (accepted === 0 && links.length > 0) return moveToNewChain(deps, forked, batch);
    if (accepted < links.length) return shipTogether(partOf(batch, links.slice(0, accepted)));
    for (const link of links) if (link.kind !== 'records') onAnchor?.(anchorAt(link));
    outbox.remove(batch);
    return countOf(batch);
  };

  const bury = (refused: readonly Refused[]): number => {
    for (const link of new Set(refused.map((record) => record.link))) {
      const ofLink = refused.filter((record) => record.link === link);
      const rows = ofLink.map(({ row }) => row);
      deadLetters.bury(ofLink, () => outbox.takeOut(link, rows));
      outbox.buried(rows);
      for (const { reason } of ofLink) onBuried(reason);
    }
    return refused.length;
  };

  /** Returns how many rows are too large and became dead letters instead. */
  const pack = (): number => {
    const tooLarge = outbox.pack();
    for (const { rowid, tenantId, bytes } of tooLarge) {
      const reason = `The row has ${bytes} bytes.`;
      deadLetters.buryRow(rowid, reason);
      outbox.buriedRow(tenantId);
      onBuried(reason);
    }
    return tooLarge.length;
  };

  return {
    /**
     * Resolves with the number of records that left the outbox; undefined if nothing waits. Rejects if the server cannot
     * accept them. Rows are removed only after PostgreSQL has committed them, and inserting them again has no effect.
     */
    ship: async (): Promise<number | undefined> => {
      const tooLarge = pack();
      if (tooLarge > 0) return tooLarge;
      const batch = outbox.next(maxRecords, MAX_BATCH_CHARACTERS);
      if (!batch) return undefined;
      const left = await shipTogether(batch).catch(async (error: unknown) => {
        const refused =
          refusalOf(error) === undefined ? [] : await findRefused(db, recordsOf(batch));
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
  batch: WaitingBatch,
): Promise<number> {
  const origin = batch.links[0]?.origin ?? '';
  if (!forked.has(origin)) onForked?.(origin);
  forked.add(origin);
  const links = batch.links.filter((link) => link.origin === origin);
  const { entries } = partOf(batch, links);
  const ids = links.flatMap(idsOf);
  const waiting = new Map(entries.flatMap(rowsOf).map((row) => [row.audit_id, row]));
  // Earlier versions shipped records before their links.
  const rows = new Map([...(await readRecords(db, ids)), ...waiting]);
  const removeLink = file.writer.prepare('DELETE FROM audit_links WHERE rowid = ?');
  try {
    inTransaction(file.writer, () => {
      if (forked.has(chain.origin())) chain.startNewChain();
      for (const linked of chain.link(ids.flatMap((id) => rows.get(id) ?? []))) {
        const left = linked.rows.filter(({ audit_id: id }) => waiting.has(id));
        outbox.store(linked.rowid, left);
      }
      outbox.discard(entries);
      for (const { rowid } of links) removeLink.run(rowid);
    });
    return 0;
  } catch (error) {
    chain.undo();
    throw error;
  }
}

/** A record that waits, with the link of its entry. */
interface WaitingRecord {
  readonly link: number;
  readonly row: AuditRecordsTable;
}

const recordsOf = ({ entries }: WaitingBatch): WaitingRecord[] =>
  entries.flatMap((entry) => rowsOf(entry).map((row) => ({ link: entry.link, row })));

type Refused = WaitingRecord & RefusedRecord;

/** Searches by halves for the records that are refused, so that they do not block the others. Inserts nothing. */
async function findRefused(
  db: Kysely<Tables>,
  records: readonly WaitingRecord[],
): Promise<readonly Refused[]> {
  const [first] = records;
  const reason = await db
    .transaction()
    .execute(async (transaction) => {
      await insertRecords(transaction, JSON.stringify(records.map(({ row }) => row)));
      throw new Undo(0);
    })
    .catch((error: unknown) => {
      const refusal = refusalOf(error);
      if (refusal === undefined && !(error instanceof Undo)) throw error;
      return refusal;
    });
  if (reason === undefined || !first) return [];
  if (records.length === 1) return [{ ...first, reason }];
  const middle = records.length >> 1;
  const halves = [records.slice(0, middle), records.slice(middle)];
  const refused: Refused[] = [];
  for (const half of halves) refused.push(...(await findRefused(db, half)));
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
  records: Buffer,
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

/**
 * Inserts a JSON array of records, which then wait to be counted by the statistics: in the same statement, so that a record is
 * counted exactly if it is inserted.
 */
export async function insertRecords(db: Kysely<Tables>, records: Buffer | string): Promise<void> {
  if (records.length === '[]'.length) return;
  await sql`
    with inserted as (
      insert into audit_records
      select * from json_populate_recordset(null::audit_records, ${records}::json)
      on conflict (audit_id) do nothing
      returning ${COUNTED}
    )
    insert into statistics_waiting (${COUNTED}) select ${COUNTED} from inserted`.execute(db);
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
 * Why the records are the cause of an error, and not the server: SQLSTATE classes 22 (data exception), 23 (constraint) and 54
 * (program limit). A missing table, permission, disk space or memory is the server's.
 */
function refusalOf(error: unknown): string | undefined {
  const isRefusal = error instanceof pg.DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');
  return isRefusal ? `${error.code}: ${error.message}` : undefined;
}

/** SQLSTATE 25006: a standby, or a read-only server. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '25006';
