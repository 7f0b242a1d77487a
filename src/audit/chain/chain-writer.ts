import type { SQLOutputValue } from 'node:sqlite';
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
/** At full load an anchor every few minutes. */
const LINKS_BETWEEN_ANCHORS = 50_000;

/** The hash chain over the records of one `audit.db`; `file.writer` is its only writer. */
export interface ChainWriter {
  /** Adds links for records, within the transaction that writes them. */
  link(rows: readonly AuditRecordsTable[]): void;
  /** To be called when that transaction failed: the links are gone with it. */
  undo(): void;
  /** Adds a sweep in a transaction of its own. */
  addSweep(detail: string): void;
  /** Adds an anchor in a transaction of its own if enough links have come since the last one. */
  anchorIfDue(): void;
  /** Adds an anchor in a transaction of its own. */
  anchor(): void;
  /** The newest link; undefined while the chain has none. */
  head(): Pick<ChainLink, 'origin' | 'seq' | 'hash'> | undefined;
  /** Begins another chain, because somebody else has continued this one. */
  beginAnew(): void;
}

export interface ChainWriterDeps {
  readonly file: Pick<AuditFile, 'writer'>;
  readonly clock: Clock;
  /** Told of every anchor, which is worth something outside the database only. */
  readonly onAnchor?: ((anchor: ChainAnchor) => void) | undefined;
}

/** Where the next link goes on. */
interface Head {
  readonly origin: string;
  readonly seq: number;
  readonly hash: string;
  readonly total: number;
}

export function createChainWriter(deps: ChainWriterDeps): ChainWriter {
  const { writer } = deps.file;
  const insert = writer.prepare(
    `INSERT INTO audit_links (origin, seq, kind, made_at_ms, record_count, records_total, detail,
       records_hash, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const newest = writer.prepare(
    'SELECT origin, seq, hash, records_total FROM audit_links ORDER BY rowid DESC LIMIT 1',
  );
  let head: Head | undefined;
  let sinceAnchor = 0;

  const readHead = (): Head => {
    const row = newest.get();
    if (!row) return firstHead();
    return {
      origin: String(row['origin']),
      seq: integer(row['seq']),
      hash: String(row['hash']),
      total: integer(row['records_total']),
    };
  };

  const add = (kind: ChainLink['kind'], detail: string, count: number, records: string): void => {
    head ??= readHead();
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
    head = { origin: link.origin, seq: link.seq, hash, total: link.records_total };
    sinceAnchor++;
  };

  /** A statement outside a transaction is one by itself; the head must not outlive its failure. */
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
    sinceAnchor = 0;
    if (head) deps.onAnchor?.({ ...head, recordsTotal: head.total });
  };

  return {
    link: (rows) => {
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
    },
    undo: () => {
      head = undefined;
    },
    addSweep: (detail) => addAlone('sweep', detail),
    anchorIfDue: () => {
      if (sinceAnchor >= LINKS_BETWEEN_ANCHORS) anchor();
    },
    anchor,
    head: () => {
      head ??= readHead();
      return head.seq === 0 ? undefined : head;
    },
    beginAnew: () => {
      head = firstHead();
      anchor();
    },
  };
}

const firstHead = (): Head => ({ origin: newOriginId(), seq: 0, hash: '', total: 0 });

function integer(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`The chain holds ${typeof value} where a number belongs.`);
}
