import type { ChainFinding, ChainFindings } from './chain-findings.ts';
import { type ChainLink, hashLink } from './chain-link.ts';
import { isIntact, type LawfulSweeps, type SweepLookup, type SweptEnd } from './chain-sweep.ts';

/** Checks the links of one chain, in order. */
export interface LinkCheck {
  /** Reports what is wrong with a link and with its position. Resolves with true if the link itself is intact. */
  check(link: ChainLink): Promise<boolean>;
}

export interface LinkCheckDeps {
  readonly origin: string;
  readonly findings: ChainFindings;
  readonly sweeps: SweepLookup;
}

export function createLinkCheck({ origin, findings, sweeps }: LinkCheckDeps): LinkCheck {
  let previous: ChainLink | undefined;
  let isPreviousIntact = true;

  const sweptEnd = ({ links }: LawfulSweeps): SweptEnd => links.get(origin) ?? { seq: 0, hash: '' };

  const reportRewritten = ({ seq }: ChainLink): void =>
    findings.add({ kind: 'altered', origin, seq, text: REWRITTEN });

  const checkPosition = async (link: ChainLink, intact: boolean): Promise<void> => {
    const expected = (previous?.seq ?? 0) + 1;
    const before = link.seq - 1;
    if (link.seq > expected) {
      if (!(await sweeps.covers((lawful) => sweptEnd(lawful).seq >= before))) {
        findings.add({ kind: 'deleted', origin, seq: expected, text: missing(expected, before) });
        return;
      }
      const { seq, hash } = sweptEnd(sweeps.current());
      if (seq === before && hash !== link.prev_hash && intact) reportRewritten(link);
    } else if (intact && isPreviousIntact && link.prev_hash !== (previous?.hash ?? '')) {
      reportRewritten(link);
    }
  };

  return {
    check: async (link) => {
      const intact = isIntact(link);
      if (!intact) findings.add(describeChange(link));
      await checkPosition(link, intact);
      previous = link;
      isPreviousIntact = intact;
      return intact;
    },
  };
}

const REWRITTEN =
  'The link does not follow the one before it: the chain was rewritten before this link.';

const missing = (from: number, to: number): string =>
  from === to ? `Link ${from} was deleted.` : `Links ${from} to ${to} were deleted.`;

function describeChange(link: ChainLink): ChainFinding {
  const { origin, seq } = link;
  const original = originalSeq(link);
  return original === undefined
    ? { kind: 'altered', origin, seq, text: 'The link was changed.' }
    : { kind: 'reordered', origin, seq, text: `The link was number ${original}.` };
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
