import type { Kysely } from 'kysely';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { ChainAnchor, ChainLink } from './chain-link.ts';
import { idsOf, readRecords } from './chain-reader.ts';
import type { ChainWriter } from './chain-writer.ts';

/** At most 3 MB: a link contains at most 500 audit ids. */
const LINKS_AT_ONCE = 200;
/** Records that are moved to a new chain in one transaction. */
const RECORDS_AT_ONCE = 1000;

export interface ChainShipperDeps {
  readonly file: AuditFile;
  readonly chain: ChainWriter;
  readonly db: Kysely<Tables>;
  /** Pause between two checks for links. */
  readonly intervalMs: number;
  /** Called with every anchor once PostgreSQL has it, perhaps again after a restart. */
  readonly onAnchor?: ((anchor: ChainAnchor) => void) | undefined;
  /** Called with the error of every failed attempt. The links wait in `audit.db` meanwhile. */
  readonly onError: (error: unknown) => void;
  /** Called with the origin of a chain that another gateway has continued. This gateway then starts a new chain. */
  readonly onForked?: ((origin: string) => void) | undefined;
}

/** Moves links from `audit.db` to PostgreSQL after their records. The newest link stays, because the next one follows it. */
export interface ChainShipper extends Closeable {
  /** Ships every link whose records have all been shipped. Rejects while PostgreSQL is unavailable. */
  ship(): Promise<void>;
}

export function createChainShipper(deps: ChainShipperDeps): ChainShipper {
  const { file, db, intervalMs } = deps;
  const waiting = file.writer.prepare(
    'SELECT rowid, * FROM audit_links WHERE rowid > ? ORDER BY rowid LIMIT ?',
  );
  const oldestRecord = file.writer.prepare(
    'SELECT audit_id FROM audit_records ORDER BY rowid LIMIT 1',
  );
  const remove = file.writer.prepare(
    'DELETE FROM audit_links WHERE rowid <= ? AND rowid < (SELECT max(rowid) FROM audit_links)',
  );
  /** Origins whose chain another gateway has continued. */
  const forked = new Set<string>();
  let shippedRowid = 0;
  let underWay = Promise.resolve();
  let closed = false;

  /** Records are shipped in the order of their links, so a link with a waiting record also delays the links after it. */
  const next = (): WaitingLink[] => {
    const links = waiting.all(shippedRowid, LINKS_AT_ONCE) as unknown as WaitingLink[];
    const recordId = oldestRecord.get()?.['audit_id'];
    if (typeof recordId !== 'string') return links;
    const firstWaiting = links.findIndex((link) => link.detail.includes(recordId));
    return firstWaiting < 0 ? links : links.slice(0, firstWaiting);
  };

  const shipAll = async (): Promise<void> => {
    for (let links = next(); links[0] && !closed; links = next()) {
      if (forked.has(links[0].origin)) await moveToNewChain(deps, forked, links);
      else await shipLinks(links);
    }
  };

  const shipLinks = async (links: readonly WaitingLink[]): Promise<void> => {
    const conflict = await insertLinks(db, links.map(toShip));
    const accepted = links.slice(0, conflict);
    for (const { origin, seq, hash, kind, records_total: recordsTotal } of accepted) {
      if (kind !== 'records') deps.onAnchor?.({ origin, seq, hash, recordsTotal });
    }
    const shipped = accepted.at(-1);
    if (shipped) {
      shippedRowid = shipped.rowid;
      remove.run(shipped.rowid);
    }
    const origin = links[conflict]?.origin;
    if (origin === undefined) return;
    forked.add(origin);
    deps.onForked?.(origin);
  };

  const ship = (): Promise<void> => {
    underWay = underWay.then(shipAll, shipAll);
    return underWay;
  };

  const stop = repeat(
    () => ship().catch(deps.onError),
    () => intervalMs,
  );

  return {
    ship,
    close: async () => {
      closed = true;
      stop();
      await underWay.catch(() => undefined);
    },
  };
}

interface WaitingLink extends ChainLink {
  readonly rowid: number;
  readonly mac: string;
}

/** Without the columns that PostgreSQL does not have. */
const toShip = ({ rowid: _, mac: __, ...link }: WaitingLink): ChainLink => link;

/** Returns the index of the first link whose sequence number another link has in PostgreSQL, or the number of links. */
async function insertLinks(db: Kysely<Tables>, links: readonly ChainLink[]): Promise<number> {
  const inserted = await db
    .insertInto('audit_links')
    .values([...links])
    .onConflict((conflict) => conflict.columns(['origin', 'seq']).doNothing())
    .returning(['origin', 'seq'])
    .execute();
  if (inserted.length === links.length) return links.length;
  for (const [index, { origin, seq, hash }] of links.entries()) {
    const stored = await db
      .selectFrom('audit_links')
      .select('hash')
      .where('origin', '=', origin)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (stored?.hash === hash) continue;
    const beyond = inserted.filter((row) => row.origin === origin && row.seq > seq);
    await removeLinks(db, origin, beyond);
    return index;
  }
  return links.length;
}

async function removeLinks(
  db: Kysely<Tables>,
  origin: string,
  links: readonly { readonly seq: number }[],
): Promise<void> {
  if (links.length === 0) return;
  const seqs = links.map(({ seq }) => seq);
  await db
    .deleteFrom('audit_links')
    .where('origin', '=', origin)
    .where('seq', 'in', seqs)
    .execute();
}

/**
 * After DATA_DIR was copied or restored from a backup, another gateway may have continued the same chain. This gateway
 * then continues under a new origin, and the new chain includes the records whose links conflict.
 */
async function moveToNewChain(
  { file, db, chain }: ChainShipperDeps,
  forked: ReadonlySet<string>,
  waiting: readonly WaitingLink[],
): Promise<void> {
  const links = firstLinks(waiting.filter(({ origin }) => forked.has(origin)));
  const ids = links.flatMap(idsOf);
  const rows = await readRecords(db, ids);
  const { writer } = file;
  const remove = writer.prepare('DELETE FROM audit_links WHERE rowid = ?');
  try {
    inTransaction(writer, () => {
      if (forked.has(chain.origin())) chain.startNewChain();
      chain.link(ids.flatMap((id) => rows.get(id) ?? []));
      for (const { rowid } of links) remove.run(rowid);
    });
  } catch (error) {
    chain.undo();
    throw error;
  }
}

/** The first links whose records one query can read, but at least one link. */
function firstLinks(links: readonly WaitingLink[]): readonly WaitingLink[] {
  let records = 0;
  const end = links.findIndex((link) => {
    records += link.record_count;
    return records > RECORDS_AT_ONCE;
  });
  return end < 0 ? links : links.slice(0, Math.max(1, end));
}
