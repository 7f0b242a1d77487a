import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type ChainLink, hashLink } from './chain-link.ts';

/** The last link of a chain that a sweep deletes. */
export interface SweptEnd {
  readonly seq: number;
  readonly hash: string;
}

/** The content of a link of kind `sweep`: before the sweep, what it deletes; after it, how many records it deleted. */
export interface SweepNote {
  /** Records created before this time are deleted. */
  readonly beforeMs: number;
  /** Per origin, links up to and including this one are deleted. */
  readonly links?: Readonly<Record<string, SweptEnd>>;
  readonly deleted?: number;
}

export const encodeSweep = (note: SweepNote): string => JSON.stringify(note);

/** What retention may have deleted, according to the chains. */
export interface LawfulSweeps {
  readonly beforeMs: number;
  readonly links: ReadonlyMap<string, SweptEnd>;
}

/** Whether sweeps explain that something is missing. */
export interface SweepLookup {
  /** Reads the sweeps again before it returns false, because another sweep may have run meanwhile. */
  covers(test: (sweeps: LawfulSweeps) => boolean): Promise<boolean>;
  /** The sweeps as last read. */
  current(): LawfulSweeps;
}

export async function createSweepLookup(db: Kysely<Tables>): Promise<SweepLookup> {
  let sweeps = await readSweeps(db);
  return {
    covers: async (test) => {
      if (test(sweeps)) return true;
      sweeps = await readSweeps(db);
      return test(sweeps);
    },
    current: () => sweeps,
  };
}

/** Reads every sweep whose link is intact. */
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

/** The content may be anything: an attacker can write a link with a correct hash. */
function decodeSweep(detail: string): SweepNote {
  try {
    const { beforeMs, links = {} } = JSON.parse(detail) as SweepNote;
    return { beforeMs: Number(beforeMs) || 0, links };
  } catch {
    return { beforeMs: 0 };
  }
}

export const isIntact = (link: ChainLink): boolean => hashLink(link) === link.hash;
