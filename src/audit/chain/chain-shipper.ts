import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { ChainLink } from './chain-link.ts';
import { idsOf, readRecords } from './chain-reader.ts';
import type { ChainWriter } from './chain-writer.ts';

/** Three megabytes at most: a link names at most 500 records. */
const LINKS_AT_ONCE = 200;
/** Records that are chained anew in one step. */
const RECORDS_AT_ONCE = 1000;

export interface ChainShipperDeps {
  readonly file: AuditFile;
  readonly chain: ChainWriter;
  readonly db: Kysely<Tables>;
  /** Pause between two looks for links. */
  readonly intervalMs: number;
  /** Told of every failed attempt; the links wait in `audit.db` meanwhile. */
  readonly onFault: (error: unknown) => void;
  /** Told of a chain that another gateway has continued, so that this one begins another. */
  readonly onForked?: ((origin: string) => void) | undefined;
}

/** Moves links from `audit.db` to PostgreSQL, after their records; the newest stays, for the next one to follow it. */
export interface ChainShipper extends Closeable {
  /** Ships every link whose records have all left; rejects while PostgreSQL is away. */
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
  /** Origins whose chain somebody else has continued. */
  const forked = new Set<string>();
  let shippedRowid = 0;
  let underWay = Promise.resolve();
  let closed = false;

  /** Records leave in the order of their links, so that the first link with a waiting record holds up the rest. */
  const next = (): WaitingLink[] => {
    const links = waiting.all(shippedRowid, LINKS_AT_ONCE) as unknown as WaitingLink[];
    const recordId = oldestRecord.get()?.['audit_id'];
    if (typeof recordId !== 'string') return links;
    const held = links.findIndex((link) => link.detail.includes(recordId));
    return held < 0 ? links : links.slice(0, held);
  };

  const shipAll = async (): Promise<void> => {
    for (let links = next(); links[0] && !closed; links = next()) {
      if (forked.has(links[0].origin)) await chainAnew(deps, forked, links);
      else await shipSome(links);
    }
  };

  const shipSome = async (links: readonly WaitingLink[]): Promise<void> => {
    const misplaced = await insertLinks(db, links.map(withoutRowid));
    const shipped = links.slice(0, misplaced).at(-1);
    if (shipped) {
      shippedRowid = shipped.rowid;
      remove.run(shipped.rowid);
    }
    const origin = links[misplaced]?.origin;
    if (origin === undefined) return;
    forked.add(origin);
    deps.onForked?.(origin);
  };

  const ship = (): Promise<void> => {
    underWay = underWay.then(shipAll, shipAll);
    return underWay;
  };

  const turn = async (): Promise<void> => {
    await ship().catch(deps.onFault);
    if (!closed) timer = setTimeout(turn, intervalMs).unref();
  };
  let timer = setTimeout(turn, intervalMs).unref();

  return {
    ship,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await underWay.catch(() => undefined);
    },
  };
}

interface WaitingLink extends ChainLink {
  readonly rowid: number;
}

const withoutRowid = ({ rowid: _, ...link }: WaitingLink): ChainLink => link;

/** Returns the place of the first link that PostgreSQL has another one in place of; their number when there is none. */
async function insertLinks(db: Kysely<Tables>, links: readonly ChainLink[]): Promise<number> {
  const inserted = await db
    .insertInto('audit_links')
    .values([...links])
    .onConflict((conflict) => conflict.columns(['origin', 'seq']).doNothing())
    .returning(['origin', 'seq'])
    .execute();
  if (inserted.length === links.length) return links.length;
  for (const [place, { origin, seq, hash }] of links.entries()) {
    const stored = await db
      .selectFrom('audit_links')
      .select('hash')
      .where('origin', '=', origin)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (stored?.hash === hash) continue;
    const beyond = inserted.filter((row) => row.origin === origin && row.seq > seq);
    await removeLinks(db, origin, beyond);
    return place;
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
 * After DATA_DIR was copied, or restored from a backup, another gateway may have continued the same chain. This one
 * goes on under another origin, and takes the records along whose links found no place.
 */
async function chainAnew(
  { file, db, chain }: ChainShipperDeps,
  forked: ReadonlySet<string>,
  waiting: readonly WaitingLink[],
): Promise<void> {
  const links = someOf(waiting.filter(({ origin }) => forked.has(origin)));
  const ids = links.flatMap(idsOf);
  const rows = await readRecords(db, ids);
  const { writer } = file;
  const remove = writer.prepare('DELETE FROM audit_links WHERE rowid = ?');
  writer.exec('BEGIN IMMEDIATE');
  try {
    if (forked.has(chain.head()?.origin ?? '')) chain.beginAnew();
    chain.link(ids.flatMap((id) => rows.get(id) ?? []));
    for (const { rowid } of links) remove.run(rowid);
    writer.exec('COMMIT');
  } catch (error) {
    chain.undo();
    if (writer.isTransaction) writer.exec('ROLLBACK');
    throw error;
  }
}

/** The first links, as far as one query can ask for their records. */
function someOf(links: readonly WaitingLink[]): readonly WaitingLink[] {
  let records = 0;
  const end = links.findIndex((link) => {
    records += link.record_count;
    return records > RECORDS_AT_ONCE;
  });
  return end < 0 ? links : links.slice(0, Math.max(1, end));
}
