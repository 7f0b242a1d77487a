import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { originTime } from '../../platform/kernel/ids.ts';
import { type ChainLink, type ChainStart, isIntact, type LinkName } from './chain-link.ts';

/** What the given anchors prove. Without anchors, every chain counts as proven. */
export interface ChainTrust {
  /** The given anchors, and the links that proven chains name as the last ones of others. */
  readonly anchors: readonly LinkName[];
  /** Whether anchors were given, and none is of this chain. */
  isUnknown(origin: string): boolean;
  /** The last link of a chain that an anchor proves, with all links before it. */
  provenTo(origin: string): number;
  /** The last link that the gateway of a chain wrote before it found others behind it. */
  endOf(origin: string): number;
  /** Whether the link of an anchor was lost when a backup was restored. `isStored`: its chain has links. */
  isLost(anchor: LinkName, isStored: boolean): boolean;
}

/** A chain that says what it follows. */
interface Declared extends ChainStart {
  readonly origin: string;
}

export async function readTrust(
  db: Kysely<Tables>,
  origins: readonly string[],
  given: readonly LinkName[],
): Promise<ChainTrust> {
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
  for (let more = true; more; ) {
    more = false;
    for (const [index, link] of open.entries()) {
      const start = decodeStart(link);
      if (!start || !(await isProven(db, link, anchors, proven.get(link.origin) ?? -1))) continue;
      open.splice(index, 1);
      declared.push(start);
      anchors.push(start.follows);
      await prove(start.follows.origin);
      more = true;
      break;
    }
  }

  const known = new Set(anchors.map(({ origin }) => origin));
  const ends = declared.filter(({ restored }) => !restored).map(({ follows }) => follows);
  return {
    anchors,
    isUnknown: (origin) => isJudged && !known.has(origin),
    provenTo: (origin) => (isJudged ? (proven.get(origin) ?? -1) : Number.POSITIVE_INFINITY),
    endOf: (origin) => ends.find((end) => end.origin === origin)?.seq ?? Number.POSITIVE_INFINITY,
    isLost: (anchor, isStored) => declared.some((start) => loses(start, anchor, isStored)),
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
    const link = await runQuery(() =>
      db
        .selectFrom('audit_links')
        .selectAll()
        .where('origin', '=', origin)
        .where('seq', '=', 0)
        .executeTakeFirst(),
    );
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
