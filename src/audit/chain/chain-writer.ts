import type { DatabaseSync } from 'node:sqlite';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { AuditFile } from '../record/audit-file.ts';
import {
  anchorAt,
  type ChainAnchor,
  type ChainLink,
  type ChainStart,
  hashLink,
  hashRecords,
  isIntact,
  type LinkName,
  lengthAtMost,
} from './chain-link.ts';
import { type ChainMemory, macOf, newMemory, readMemory, writeMemory } from './chain-memory.ts';

/** Bounds of one link, so that it can be shipped, read and checked within bounded memory. */
const MAX_RECORDS = 500;
const MAX_CHARACTERS = 1024 * 1024;
/** At full load, this is an anchor every few minutes. */
const LINKS_BETWEEN_ANCHORS = 50_000;
const REMEMBER_INTERVAL_MS = 1000;

export type ChainWriter = ReturnType<typeof createChainWriter>;

export interface ChainWriterDeps {
  readonly file: Pick<AuditFile, 'writer' | 'dataDir'>;
  readonly clock: Clock;
  /** How a chain starts if DATA_DIR remembers none. */
  readonly start?: ChainStart | undefined;
  /** Called with every anchor, unless the shipper does. An anchor proves something only outside the database. */
  readonly onAnchor?: ((anchor: ChainAnchor) => void) | undefined;
  /** Called with the last link of this gateway if it is missing, or others follow it. A new chain is started. */
  readonly onForeign?: ((last: LinkName) => void) | undefined;
}

/** The hash chain over the records of one `audit.db`; `file.writer` is its only writer. */
export function createChainWriter(deps: ChainWriterDeps) {
  const { clock, onAnchor } = deps;
  const chain = openOwnChain(deps);
  /** The link that the next one follows. */
  let head: ChainLink | undefined;
  let linksSinceAnchor = 0;
  let timer: NodeJS.Timeout | undefined;

  const add = (
    kind: ChainLink['kind'],
    detail: string,
    rows: readonly AuditRecordsTable[] = [],
  ): number => {
    head ??= chain.open();
    const { link, rowid } = chain.insert({
      origin: head.origin,
      seq: head.seq + 1,
      kind,
      // No link is older than the one before it, whatever the clock does, so what precedes an old link is old.
      made_at_ms: Math.max(clock.now(), head.made_at_ms),
      record_count: rows.length,
      records_total: head.records_total + rows.length,
      detail,
      records_hash: rows.length === 0 ? '' : hashRecords(rows),
      prev_hash: head.hash,
    });
    head = link;
    linksSinceAnchor++;
    return rowid;
  };

  const remember = (fsync: boolean): void => {
    clearTimeout(timer);
    timer = undefined;
    if (head) chain.remember(head, fsync);
  };

  /** Outside a transaction, each statement is its own. If it fails, the head must be read again. */
  const addAnchored = (kind: 'anchor' | 'sweep', detail: string): void => {
    try {
      add(kind, detail);
      linksSinceAnchor = 0;
      remember(true);
      if (head) onAnchor?.(anchorAt(head));
    } catch (error) {
      head = undefined;
      throw error;
    }
  };

  const rememberSoon = (): void => {
    timer ??= setTimeout(() => {
      try {
        remember(false);
      } catch {
        // The disk is full or away, which the ledger reports. The next attempt follows the next commit.
      }
    }, REMEMBER_INTERVAL_MS).unref();
  };

  return {
    /** Finds the end of the chain, or starts one. Otherwise the first link does. */
    open: (): void => {
      head ??= chain.open();
      // An earlier process may have ended without an anchor.
      if (head.seq > 0) linksSinceAnchor++;
      remember(true);
    },
    /** Adds links for records, and returns them. Call it within the transaction that writes the records. */
    link: (rows: readonly AuditRecordsTable[]): readonly LinkedRecords[] => linkRecords(rows, add),
    /** Forgets the links of a transaction that failed. */
    undo: (): void => {
      head = undefined;
    },
    /** Call it after every commit: remembers the end of the chain, and anchors it if enough links have been added. */
    committed: (): void => {
      if (linksSinceAnchor >= LINKS_BETWEEN_ANCHORS) addAnchored('anchor', '');
      else rememberSoon();
    },
    /** Adds a sweep in its own transaction, and anchors it. */
    addSweep: (detail: string): void => addAnchored('sweep', detail),
    /** Adds an anchor in its own transaction. */
    anchor: (): void => addAnchored('anchor', ''),
    /** Whether the chain may have links that no anchor covers, beyond its start. */
    isUnanchored: (): boolean => linksSinceAnchor > 0,
    origin: (): string => {
      head ??= chain.open();
      return head.origin;
    },
    /** Starts a new chain, because another gateway has continued this one. Call it within a transaction. */
    startNewChain: (): void => {
      head = chain.start();
    },
  };
}

/** The records of a link. */
export interface LinkedRecords {
  /** Of the link. */
  readonly rowid: number;
  readonly rows: readonly AuditRecordsTable[];
}

type AddLink = (kind: 'records', ids: string, rows: readonly AuditRecordsTable[]) => number;

/** Adds as few links for the records as the bounds of one link allow. */
function linkRecords(rows: readonly AuditRecordsTable[], add: AddLink): readonly LinkedRecords[] {
  const linked: LinkedRecords[] = [];
  for (let start = 0; start < rows.length; ) {
    const end = endOfLink(rows, start);
    const within = rows.slice(start, end);
    const ids = within.map(({ audit_id }) => audit_id).join(' ');
    linked.push({ rowid: add('records', ids, within), rows: within });
    start = end;
  }
  return linked;
}

/** Where the link ends that begins with a record: at least one later. */
function endOfLink(rows: readonly AuditRecordsTable[], start: number): number {
  let characters = 0;
  let end = start;
  for (const row of rows.slice(start, start + MAX_RECORDS)) {
    if (characters > MAX_CHARACTERS) break;
    characters += lengthAtMost(row);
    end++;
  }
  return end;
}

/** The chain that DATA_DIR remembers, and its links in `audit.db`. */
function openOwnChain(deps: ChainWriterDeps) {
  const { file, clock, onAnchor, onForeign } = deps;
  const insertNext = prepareInsert(file.writer, 'INSERT');
  // It may be there already, because it is written until it is remembered as written.
  const insertStart = prepareInsert(file.writer, 'INSERT OR IGNORE');
  const rows = file.writer.prepare(
    'SELECT * FROM audit_links WHERE origin = ? AND seq >= ? ORDER BY seq',
  );
  let memory = readMemory(file.dataDir);

  const keep = (changed: ChainMemory, fsync: boolean): ChainMemory => {
    writeMemory(file.dataDir, changed, fsync);
    memory = changed;
    return changed;
  };

  /** Remembered before it is written, and logged until it is remembered as written: no crash leaves it unlogged. */
  const start = (content?: ChainStart): ChainLink => {
    const detail = content ? JSON.stringify(content) : '';
    return writeStart(keep(newMemory(clock.now(), detail), true));
  };
  const writeStart = (own: ChainMemory): ChainLink => {
    const link = startOf(own);
    insertStart(link, macOf(own, link.hash));
    // The first chain of an embedded log needs none: no anchor can be of another one.
    if (link.detail !== '') onAnchor?.(anchorAt(link));
    return link;
  };

  return {
    start,
    insert: (content: Omit<ChainLink, 'hash'>) => {
      if (!memory) throw new Error('The chain is not open.');
      const link: ChainLink = { ...content, hash: hashLink(content) };
      return { link, rowid: insertNext(link, macOf(memory, link.hash)) };
    },
    remember: ({ seq, hash }: LinkName, fsync: boolean): void => {
      if (!memory || memory.seq === seq) return;
      keep({ ...memory, seq, hash, start: { ...memory.start, detail: '' } }, fsync);
    },
    open: (): ChainLink => {
      if (!memory) return start(deps.start);
      if (memory.seq < 0) writeStart(memory);
      const { head, isForeign } = findOwnEnd(rows.iterate(memory.origin, memory.seq), memory);
      if (head && !isForeign) return head;
      const last = head ?? memory;
      const follows = { origin: memory.origin, seq: last.seq, hash: last.hash };
      onForeign?.(follows);
      return start({ follows });
    },
  };
}

function startOf({ origin, start }: ChainMemory): ChainLink {
  const link = {
    origin,
    seq: 0,
    kind: 'start' as const,
    made_at_ms: start.madeAtMs,
    record_count: 0,
    records_total: 0,
    detail: start.detail,
    records_hash: '',
    prev_hash: '',
  };
  return { ...link, hash: hashLink(link) };
}

/**
 * The last of the links that this gateway wrote, from the remembered one on. On PostgreSQL, that one may have been shipped,
 * but the newest is still there. Anything behind the last own link is foreign.
 */
function findOwnEnd(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  memory: ChainMemory,
): { readonly head: ChainLink | undefined; readonly isForeign: boolean } {
  let head: ChainLink | undefined;
  for (const row of rows) {
    const link = row as unknown as ChainLink;
    const isOwn = row['mac'] === macOf(memory, link.hash) && isIntact(link);
    const follows = head
      ? link.prev_hash === head.hash
      : link.seq > memory.seq || link.hash === memory.hash;
    if (!isOwn || !follows) return { head, isForeign: true };
    head = link;
  }
  return { head, isForeign: false };
}

/** Binds by position: the members of a link are in the order of the columns. */
function prepareInsert(writer: DatabaseSync, verb: 'INSERT' | 'INSERT OR IGNORE') {
  const insert = writer.prepare(
    `${verb} INTO audit_links (origin, seq, kind, made_at_ms, record_count, records_total, detail,
       records_hash, prev_hash, hash, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (link: ChainLink, mac: string): number =>
    Number(insert.run(...Object.values(link), mac).lastInsertRowid);
}

const ANCHOR_INTERVAL_MS = 3_600_000;

/**
 * Anchors the chain every hour and on close. An idle chain is anchored as well: a sweep would otherwise delete its last
 * link with all the others. A start that fails leaves a chain without links, and logs nothing.
 */
export function createChainAnchors(deps: {
  readonly chain: ChainWriter;
  readonly onError: (error: unknown) => void;
}): Closeable {
  const anchor = (): void => {
    try {
      deps.chain.anchor();
    } catch (error) {
      deps.onError(error);
    }
  };
  const timer = setInterval(anchor, ANCHOR_INTERVAL_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      if (deps.chain.isUnanchored()) anchor();
    },
  };
}
