import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { isIntact } from './chain-link.ts';

/** The content of a link of kind `sweep`: before the sweep, what it deletes; after it, how many records it deleted. */
export interface SweepNote {
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
export interface LawfulSweeps {
  /** Links whose records were all created before this time, and these records. */
  readonly beforeMs: number;
  /** Sweeps of older versions deleted each record by its own time. */
  readonly eachBeforeMs: number;
  /** Per origin, up to which link older versions deleted. */
  readonly links: ReadonlyMap<string, number>;
}

/** Whether sweeps explain that something is missing. */
export interface SweepLookup {
  /** Reads the sweeps again before it returns false, because another sweep may have run meanwhile. */
  covers(test: (sweeps: LawfulSweeps) => boolean): Promise<boolean>;
}

/** `provenTo` returns up to which link the sweeps of a chain count. */
export async function createSweepLookup(
  db: Kysely<Tables>,
  provenTo: (origin: string) => number,
): Promise<SweepLookup> {
  let sweeps = await readSweeps(db, provenTo);
  return {
    covers: async (test) => {
      if (test(sweeps)) return true;
      sweeps = await readSweeps(db, provenTo);
      return test(sweeps);
    },
  };
}

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
