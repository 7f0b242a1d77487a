/** What distinguishes a revision of MCP for this gateway. */
export interface Revision {
  /** Its name. Revisions are ISO dates, so comparing the texts compares the dates. */
  readonly date: string;
  /** `legacy`: begins with `initialize`. `stateless`: each request is complete in itself. */
  readonly shape: 'legacy' | 'stateless';
  /** Whether its clients may send batches. */
  readonly batches?: true;
  /** Whether it declares completions; the method itself is older. */
  readonly completions?: true;
  /** The revision of a request that does not name one (MCP 2025-06-18, "Protocol Version Header"). */
  readonly isDefault?: true;
}

/** The supported revisions, oldest first: detection, `initialize`, `server/discover`, the tests and docs/mcp.md follow. */
export const REVISIONS: readonly Revision[] = [
  { date: '2024-11-05', shape: 'legacy' },
  { date: '2025-03-26', shape: 'legacy', batches: true, completions: true, isDefault: true },
  { date: '2025-06-18', shape: 'legacy', completions: true },
  { date: '2025-11-25', shape: 'legacy', completions: true },
  { date: '2026-07-28', shape: 'stateless', completions: true },
];

export const LEGACY_REVISIONS = REVISIONS.filter(({ shape }) => shape === 'legacy');

/** Dates of the revisions whose requests are complete in themselves. */
export const STATELESS_REVISIONS: readonly string[] = REVISIONS.filter(
  ({ shape }) => shape === 'stateless',
).map(({ date }) => date);

/** Whether a revision, also one that is not known yet, is later than the last with `initialize`. */
export const isStateless = (date: string): boolean => date >= (STATELESS_REVISIONS[0] ?? '');

/** The revision with `initialize` of this date; without a date, the one that such a request means. */
export const legacyRevision = (date: unknown): Revision | undefined =>
  LEGACY_REVISIONS.find((each) => (date === undefined ? each.isDefault : each.date === date));
