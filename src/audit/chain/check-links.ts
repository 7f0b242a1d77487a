import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { ChainFinding, ChainFindings } from './chain-findings.ts';
import { type ChainLink, hashLink, isIntact } from './chain-link.ts';
import { idsOf } from './chain-reader.ts';
import type { LawfulSweeps, SweepLookup } from './chain-sweep.ts';
import type { ChainTrust } from './chain-trust.ts';

/** Checks the links of one chain, in order. */
export interface LinkCheck {
  /** Reports what is wrong with a link and with its position. Resolves with true if the link itself is intact. */
  check(link: ChainLink): Promise<boolean>;
}

export interface LinkCheckDeps {
  readonly db: Kysely<Tables>;
  readonly findings: ChainFindings;
  readonly sweeps: SweepLookup;
  readonly trust: ChainTrust;
}

export function createLinkCheck(deps: LinkCheckDeps): LinkCheck {
  const { findings, sweeps, trust } = deps;
  let previous: ChainLink | undefined;
  let isPreviousIntact = true;

  /**
   * A sweep deletes the links of a chain from its oldest on, up to one that an anchor proves and that is itself old enough
   * to be deleted: those before it are older.
   */
  const isSweptBefore = async (link: ChainLink): Promise<boolean> => {
    if (!Number.isInteger(link.seq) || link.seq > trust.provenTo(link.origin)) return false;
    if (previous && previous.kind !== 'start' && (await isStored(deps.db, previous))) return false;
    const explains = ({ beforeMs, links }: LawfulSweeps): boolean =>
      link.made_at_ms < beforeMs || (links.get(link.origin) ?? 0) >= link.seq - 1;
    return sweeps.covers(explains);
  };

  const checkPosition = async (link: ChainLink, intact: boolean): Promise<void> => {
    // The chains of older versions start with 1, which then follows nothing.
    const first = link.prev_hash === '' ? 1 : 0;
    const expected = previous ? previous.seq + 1 : Math.min(link.seq, first);
    if (link.seq !== expected) {
      if (await isSweptBefore(link)) return;
      findings.add({
        ...placeOf(link),
        kind: 'deleted',
        seq: expected,
        text: missing(expected, link.seq - 1),
      });
    } else if (intact && isPreviousIntact && link.prev_hash !== (previous?.hash ?? '')) {
      findings.add({ ...placeOf(link), kind: 'altered', text: REWRITTEN });
    }
  };

  return {
    check: async (link) => {
      const intact = isIntact(link);
      if (!intact) findings.add(describeChange(link));
      await checkPosition(link, intact);
      if (link.seq > trust.endOf(link.origin)) {
        findings.add({ ...placeOf(link), kind: 'inserted', text: BEHIND_END });
      }
      previous = link;
      isPreviousIntact = intact;
      return intact;
    },
  };
}

/** With the first record of the link, if it has one. */
export function placeOf(link: ChainLink): Pick<ChainFinding, 'origin' | 'seq' | 'auditId'> {
  const [auditId] = idsOf(link);
  const { origin, seq } = link;
  return auditId === undefined ? { origin, seq } : { origin, seq, auditId };
}

const isStored = (db: Kysely<Tables>, { origin, seq }: ChainLink): Promise<boolean> =>
  runQuery(async () => {
    const row = await db
      .selectFrom('audit_links')
      .select('seq')
      .where('origin', '=', origin)
      .where('seq', '=', seq)
      .executeTakeFirst();
    return row !== undefined;
  });

const REWRITTEN =
  'The link does not follow the one before it: the chain was rewritten before this link.';
const BEHIND_END = 'The link was inserted behind the last one that the gateway of the chain wrote.';

const missing = (from: number, to: number): string =>
  `${from === to ? `Link ${from} was` : `Links ${from} to ${to} were`} deleted, and no proven sweep explains it.`;

function describeChange(link: ChainLink): ChainFinding {
  const original = originalSeq(link);
  return original === undefined
    ? { ...placeOf(link), kind: 'altered', text: 'The link was changed.' }
    : { ...placeOf(link), kind: 'reordered', text: `The link was number ${original}.` };
}

/** The largest distance at which the original position of a moved link is searched for. */
const MAX_DISTANCE = 10_000;

/** The sequence number that a link was created with; undefined if more than its sequence number was changed. */
function originalSeq(link: ChainLink): number | undefined {
  for (let distance = 1; distance <= MAX_DISTANCE; distance++) {
    for (const seq of [link.seq - distance, link.seq + distance]) {
      if (hashLink({ ...link, seq }) === link.hash) return seq;
    }
  }
  return undefined;
}
