/** How the log was changed. */
export type FindingKind =
  | 'deleted'
  | 'altered'
  | 'reordered'
  | 'inserted'
  | 'truncated'
  | 'unknown';

export interface ChainFinding {
  readonly kind: FindingKind;
  /** Undefined for a record that no chain contains. */
  readonly origin?: string;
  readonly seq?: number;
  /** The record concerned, or the first one of the link; the last one that is left of a truncated chain. */
  readonly auditId?: string;
  /** A sentence for the operator. */
  readonly text: string;
}

/** Enough for an operator to start from. Further findings are counted but not listed. */
const MAX_LISTED = 100;

export interface ChainFindings {
  add(finding: ChainFinding): void;
  /** The first findings, up to 100. */
  listed(): readonly ChainFinding[];
  /** The oldest record concerned, also of findings that are not listed; null if no finding has one. */
  firstRecord(): string | null;
  counts(): Readonly<Partial<Record<FindingKind, number>>>;
}

export function createFindings(): ChainFindings {
  const listed: ChainFinding[] = [];
  const counts: Partial<Record<FindingKind, number>> = {};
  let firstRecord: string | null = null;
  return {
    add: (finding) => {
      const { auditId } = finding;
      if (auditId !== undefined && auditId < (firstRecord ?? '\uffff')) firstRecord = auditId;
      counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
      if (listed.length < MAX_LISTED) listed.push(finding);
    },
    listed: () => listed,
    firstRecord: () => firstRecord,
    counts: () => counts,
  };
}
