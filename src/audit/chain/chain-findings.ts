/** What was done to the log. */
export type FindingKind = 'deleted' | 'altered' | 'reordered' | 'inserted' | 'truncated';

export interface ChainFinding {
  readonly kind: FindingKind;
  /** Undefined for a record that no chain names. */
  readonly origin?: string;
  readonly seq?: number;
  readonly auditId?: string;
  /** A sentence for the operator. */
  readonly text: string;
}

/** Enough to see where to look; all are counted. */
const MAX_LISTED = 100;

export interface ChainFindings {
  add(finding: ChainFinding): void;
  /** The first ones. */
  listed(): readonly ChainFinding[];
  counts(): Readonly<Partial<Record<FindingKind, number>>>;
}

export function createFindings(): ChainFindings {
  const listed: ChainFinding[] = [];
  const counts: Partial<Record<FindingKind, number>> = {};
  return {
    add: (finding) => {
      counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
      if (listed.length < MAX_LISTED) listed.push(finding);
    },
    listed: () => listed,
    counts: () => counts,
  };
}
