import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { originTime } from '../../platform/kernel/ids.ts';
import { type ChainLink, type ChainStart, isIntact, type LinkName } from './chain-link.ts';
import { readLink } from './chain-reader.ts';

export type ChainTrust = Awaited<ReturnType<typeof readTrust>>;

/** A chain that says what it follows. */
interface Declared extends ChainStart {
  readonly origin: string;
}

/** What the given anchors prove. Without anchors, every chain counts as proven. */
export async function readTrust(
  db: Kysely<Tables>,
  origins: readonly string[],
  given: readonly LinkName[],
) {
  const isJudged = given.length > 0;
  const anchors = [...given];
  const declared: Declared[] = [];
  const proven = new Map<string, number>();
  const prove = async (origin: string): Promise<void> => {
    proven.set(origin, await readProvenEnd(db, origin, anchors));
  };
  if (isJudged) for (const origin of origins) await prove(origin);

  // The start of one chain may prove the start of another.
  const open = isJudged ? await readStarts(db, origins) : [];
  for (let index = 0; index < open.length; index++) {
    const link = open[index] as ChainLink;
    const start = decodeStart(link);
    if (!start || !(await isProven(db, link, anchors, proven.get(link.origin) ?? -1))) continue;
    declared.push(start);
    anchors.push(start.follows);
    await prove(start.follows.origin);
    open.splice(index, 1);
    index = -1;
  }

  /** The last link of a chain that an anchor proves, with all links before it. */
  const provenTo = (origin: string): number =>
    isJudged ? (proven.get(origin) ?? -1) : Number.POSITIVE_INFINITY;
  const known = new Set(anchors.map(({ origin }) => origin));
  let sweeps = await readSweeps(db, provenTo);
  const ends = declared.filter(({ restored }) => !restored).map(({ follows }) => follows);
  return {
    /** The given anchors, and the links that proven chains name as the last ones of others. */
    anchors,
    /** Whether anchors were given, and none is of this chain. */
    isUnknown: (origin: string): boolean => isJudged && !known.has(origin),
    provenTo,
    /** The last link that the gateway of a chain wrote before it found others behind it. */
    endOf: (origin: string): number =>
      ends.find((end) => end.origin === origin)?.seq ?? Number.POSITIVE_INFINITY,
    /** Whether the link of an anchor was lost when a backup was restored. `isStored`: its chain has links. */
    isLost: (anchor: LinkName, isStored: boolean): boolean =>
      declared.some((start) => loses(start, anchor, isStored)),
    /** Whether sweeps explain that something is missing. Reads them again before it is false: another may have run meanwhile. */
    sweepsCover: async (test: (swept: LawfulSweeps) => boolean): Promise<boolean> => {
      if (test(sweeps)) return true;
      sweeps = await readSweeps(db, provenTo);
      return test(sweeps);
    },
  };
}

/** A restored backup ends before what came later: of its own chain, and of chains that started in between. */
function loses({ origin, follows, restored }: Declared, anchor: LinkName, isStored: boolean) {
  if (!restored) return false;
  if (anchor.origin === follows.origin) return anchor.seq > follows.seq;
  return (
    !isStored &&
    !restored.includes(anchor.origin) &&
    originTime(anchor.origin) <= originTime(origin)
  );
}

/** The first links of the chains that follow another one. */
async function readStarts(db: Kysely<Tables>, origins: readonly string[]): Promise<ChainLink[]> {
  const starts: ChainLink[] = [];
  for (const origin of origins) {
    const link = await readLink(db, origin, 0);
    if (link && link.detail !== '' && isIntact(link)) starts.push(link);
  }
  return starts;
}

/** Undefined for a content that no gateway writes. */
function decodeStart({ origin, detail }: ChainLink): Declared | undefined {
  try {
    const { follows, restored } = JSON.parse(detail) as ChainStart;
    const { origin: before, seq, hash } = follows;
    if (before === origin) return undefined;
    const named = { origin, follows: { origin: before, seq, hash } };
    return Array.isArray(restored) ? { ...named, restored } : named;
  } catch {
    return undefined;
  }
}

/** By an anchor of its own, or by a later one while no link between them has been swept. */
async function isProven(
  db: Kysely<Tables>,
  { origin, hash }: ChainLink,
  anchors: readonly LinkName[],
  provenTo: number,
): Promise<boolean> {
  const isOwn = (anchor: LinkName) => anchor.origin === origin && anchor.seq === 0;
  if (anchors.some((anchor) => isOwn(anchor) && anchor.hash === hash)) return true;
  if (provenTo <= 0) return false;
  const { count } = await runQuery(() =>
    db
      .selectFrom('audit_links')
      .select((query) => query.fn.countAll<number>().as('count'))
      .where('origin', '=', origin)
      .where('seq', '>=', 0)
      .where('seq', '<=', provenTo)
      .executeTakeFirstOrThrow(),
  );
  return count === provenTo + 1;
}

const ANCHORS_AT_ONCE = 500;

/** The newest anchor of a chain that is one of its links; -1 if none is. */
async function readProvenEnd(
  db: Kysely<Tables>,
  origin: string,
  anchors: readonly LinkName[],
): Promise<number> {
  const own = anchors.filter((anchor) => anchor.origin === origin).sort((a, b) => b.seq - a.seq);
  for (let i = 0; i < own.length; i += ANCHORS_AT_ONCE) {
    const some = own.slice(i, i + ANCHORS_AT_ONCE);
    const seqs = [...new Set(some.map(({ seq }) => seq))];
    const links = await runQuery(() =>
      db
        .selectFrom('audit_links')
        .select(['seq', 'hash'])
        .where('origin', '=', origin)
        .where('seq', 'in', seqs)
        .execute(),
    );
    const isStored = ({ seq, hash }: LinkName) =>
      links.some((link) => link.seq === seq && link.hash === hash);
    const newest = some.find(isStored);
    if (newest) return newest.seq;
  }
  return -1;
}

/** The content of a link of kind `sweep`: before the sweep, what it deletes; after it, how many records it deleted. */
interface SweepNote {
  /** Records created before this time are deleted. */
  readonly beforeMs: number;
  /** The retention in force. Sweeps of older versions have none. */
  readonly retentionMs?: number;
  /** Sweeps of older versions name the last link of each chain that they delete. */
  readonly links?: Readonly<Record<string, { readonly seq: number } | null>>;
  readonly deleted?: number;
}

export const encodeSweep = (note: SweepNote): string => JSON.stringify(note);

/** A clock that is set while a link is made can give its records such different ages that one is deleted before the others. */
export const MAX_SPREAD_MS = 86_400_000;

/** What retention may have deleted, according to the chains. */
interface LawfulSweeps {
  /** Links whose records were all created before this time, and these records. */
  readonly beforeMs: number;
  /** Sweeps of older versions deleted each record by its own time. */
  readonly eachBeforeMs: number;
  /** Per origin, up to which link older versions deleted. */
  readonly links: ReadonlyMap<string, number>;
}

/** `provenTo` returns up to which link the sweeps of a chain count. */
async function readSweeps(
  db: Kysely<Tables>,
  provenTo: (origin: string) => number,
): Promise<LawfulSweeps> {
  const rows = await runQuery(() =>
    db.selectFrom('audit_links').selectAll().where(sql<boolean>`kind = 'sweep'`).execute(),
  );
  const links = new Map<string, number>();
  let beforeMs = 0;
  let eachBeforeMs = 0;
  for (const row of rows) {
    // A link before the first one is never read as part of a chain.
    if (!isIntact(row) || row.seq < 1 || row.seq > provenTo(row.origin)) continue;
    const note = decodeSweep(row.detail);
    const allowedMs = Math.min(note.beforeMs, row.made_at_ms - (note.retentionMs ?? 0));
    beforeMs = Math.max(beforeMs, allowedMs);
    if (note.retentionMs === undefined) eachBeforeMs = Math.max(eachBeforeMs, allowedMs);
    for (const [origin, end] of Object.entries(note.links ?? {})) {
      links.set(origin, Math.max(Number(end?.seq) || 0, links.get(origin) ?? 0));
    }
  }
  return { beforeMs, eachBeforeMs, links };
}

/** The content may be anything: an attacker can write a link with a correct hash. */
function decodeSweep(detail: string): SweepNote {
  try {
    const { beforeMs, retentionMs, links } = JSON.parse(detail) as SweepNote;
    const note = { beforeMs: Number(beforeMs) || 0, links: links ?? {} };
    return retentionMs === undefined ? note : { ...note, retentionMs: Number(retentionMs) || 0 };
  } catch {
    return { beforeMs: 0 };
  }
}
