import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type ChainLink, hashLink } from './chain-link.ts';

/** The last link that a sweep takes of a chain. */
export interface SweptEnd {
  readonly seq: number;
  readonly hash: string;
}

/** What a link of kind `sweep` says, before the sweep; and after it, how many records it took. */
export interface SweepNote {
  /** Records made before this moment are deleted. */
  readonly beforeMs: number;
  /** By origin: links up to here are deleted. */
  readonly links?: Readonly<Record<string, SweptEnd>>;
  readonly deleted?: number;
}

export const encodeSweep = (note: SweepNote): string => JSON.stringify(note);

/** All that has been deleted lawfully, by what the chains themselves say. */
export interface LawfulSweeps {
  readonly beforeMs: number;
  readonly links: ReadonlyMap<string, SweptEnd>;
}

/** Reads every sweep whose link is unchanged. */
export async function readSweeps(db: Kysely<Tables>): Promise<LawfulSweeps> {
  const rows = await runQuery(() =>
    db.selectFrom('audit_links').selectAll().where(sql<boolean>`kind = 'sweep'`).execute(),
  );
  const notes = rows.filter(isIntact).map(({ detail }) => decodeSweep(detail));
  const links = new Map<string, SweptEnd>();
  for (const [origin, end] of notes.flatMap((note) => Object.entries(note.links ?? {}))) {
    if (end.seq > (links.get(origin)?.seq ?? 0)) links.set(origin, end);
  }
  return { beforeMs: Math.max(0, ...notes.map((note) => note.beforeMs)), links };
}

/** Somebody may have written a link of his own, whose hash is right by itself. */
function decodeSweep(detail: string): SweepNote {
  try {
    const { beforeMs, links = {} } = JSON.parse(detail) as SweepNote;
    return { beforeMs: Number(beforeMs) || 0, links };
  } catch {
    return { beforeMs: 0 };
  }
}

export const isIntact = (link: ChainLink): boolean => hashLink(link) === link.hash;
