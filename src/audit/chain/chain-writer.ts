import type { DatabaseSync } from 'node:sqlite';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { newOriginId } from '../../platform/kernel/ids.ts';
import type { AuditFile } from '../record/audit-file.ts';
import {
  type ChainAnchor,
  type ChainLink,
  hashLink,
  hashRecords,
  serialiseRecord,
} from './chain-link.ts';

/** Bounds of one link, so that it can be read and checked within bounded memory. */
const MAX_RECORDS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** At full load, this is an anchor every few minutes. */
const LINKS_BETWEEN_ANCHORS = 50_000;

/** The hash chain over the records of one `audit.db`; `file.writer` is its only writer. */
export interface ChainWriter {
  /** Adds links for records. Call it within the transaction that writes the records. */
  link(rows: readonly AuditRecordsTable[]): void;
  /** Forgets the links of a transaction that failed. */
  undo(): void;
  /** Adds a sweep in its own transaction. */
  addSweep(detail: string): void;
  /** Adds an anchor in its own transaction if enough links have been added since the last one. */
  anchorIfDue(): void;
  /** Adds an anchor in its own transaction. */
  anchor(): void;
  /** The origin of the chain; undefined while the chain has no link. */
  origin(): string | undefined;
  /** Starts a new chain with an anchor, because another gateway has continued this one. */
  startNewChain(): void;
}

export interface ChainWriterDeps {
  readonly file: Pick<AuditFile, 'writer'>;
  readonly clock: Clock;
  /** Called with every anchor. An anchor proves something only outside the database. */
  readonly onAnchor?: ((anchor: ChainAnchor) => void) | undefined;
}

/** The link that the next one follows. */
interface Head {
  readonly origin: string;
  readonly seq: number;
  readonly hash: string;
  readonly total: number;
}

export function createChainWriter(deps: ChainWriterDeps): ChainWriter {
  const table = openLinksTable(deps.file.writer);
  let head: Head | undefined;
  let linksSinceAnchor = 0;

  const add = (kind: ChainLink['kind'], detail: string, count: number, records: string): void => {
    head ??= table.readHead();
    const link = {
      origin: head.origin,
      seq: head.seq + 1,
      kind,
      made_at_ms: deps.clock.now(),
      record_count: count,
      records_total: head.total + count,
      detail,
      records_hash: records === '' ? '' : hashRecords(records),
      prev_hash: head.hash,
    };
    const hash = hashLink(link);
    table.insert(link, hash);
    head = { origin: link.origin, seq: link.seq, hash, total: link.records_total };
    linksSinceAnchor++;
  };

  /** Outside a transaction, each statement is its own. If it fails, the head must be read again. */
  const addAlone = (kind: ChainLink['kind'], detail: string): void => {
    try {
      add(kind, detail, 0, '');
    } catch (error) {
      head = undefined;
      throw error;
    }
  };

  const anchor = (): void => {
    addAlone('anchor', '');
    linksSinceAnchor = 0;
    if (head) deps.onAnchor?.({ ...head, recordsTotal: head.total });
  };

  return {
    link: (rows) => linkRecords(rows, add),
    undo: () => {
      head = undefined;
    },
    addSweep: (detail) => addAlone('sweep', detail),
    anchorIfDue: () => {
      if (linksSinceAnchor >= LINKS_BETWEEN_ANCHORS) anchor();
    },
    anchor,
    origin: () => {
      head ??= table.readHead();
      return head.seq === 0 ? undefined : head.origin;
    },
    startNewChain: () => {
      head = emptyChain();
      anchor();
    },
  };
}

type AddLink = (kind: 'records', ids: string, count: number, records: string) => void;

/** Adds as few links for the records as the bounds of one link allow. */
function linkRecords(rows: readonly AuditRecordsTable[], add: AddLink): void {
  let ids = '';
  let records = '';
  let count = 0;
  for (const row of rows) {
    if (count === MAX_RECORDS || records.length > MAX_CHARACTERS) {
      add('records', ids, count, records);
      ids = '';
      records = '';
      count = 0;
    }
    ids += count === 0 ? row.audit_id : ` ${row.audit_id}`;
    records += serialiseRecord(row);
    count++;
  }
  if (count > 0) add('records', ids, count, records);
}

const emptyChain = (): Head => ({ origin: newOriginId(), seq: 0, hash: '', total: 0 });

interface LinksTable {
  /** The newest link, or the start of a new chain. */
  readHead(): Head;
  insert(link: Omit<ChainLink, 'hash'>, hash: string): void;
}

function openLinksTable(writer: DatabaseSync): LinksTable {
  const insert = writer.prepare(
    `INSERT INTO audit_links (origin, seq, kind, made_at_ms, record_count, records_total, detail,
       records_hash, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const newest = writer.prepare(
    'SELECT origin, seq, hash, records_total FROM audit_links ORDER BY rowid DESC LIMIT 1',
  );
  return {
    readHead: () => {
      const row = newest.get();
      if (!row) return emptyChain();
      return {
        origin: String(row['origin']),
        seq: toInteger(row['seq']),
        hash: String(row['hash']),
        total: toInteger(row['records_total']),
      };
    },
    insert: (link, hash) => {
      insert.run(
        link.origin,
        link.seq,
        link.kind,
        link.made_at_ms,
        link.record_count,
        link.records_total,
        link.detail,
        link.records_hash,
        link.prev_hash,
        hash,
      );
    },
  };
}
