/** Periods that end now, by their name in the address. */
export const RANGES_MS = {
  '1h': 3_600_000,
  '6h': 6 * 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
  '90d': 90 * 86_400_000,
} as const;
export type Range = keyof typeof RANGES_MS;
export const RANGES = Object.keys(RANGES_MS) as Range[];
export const DEFAULT_RANGE: Range = '24h';

export const GROUPINGS = ['none', 'tool', 'key', 'upstream', 'tenant'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What the overview keeps in its address. */
export interface OverviewSearch {
  readonly range?: Range;
  readonly by?: Grouping;
  /** All tenants; for operators. */
  readonly scope?: 'all';
}

/** Reads an address. Members that are not valid are left out. */
export function readOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  const range = RANGES.find((each) => each === search['range']);
  const by = GROUPINGS.find((each) => each === search['by']);
  return {
    ...(range && range !== DEFAULT_RANGE && { range }),
    ...(by && by !== 'none' && { by }),
    ...(search['scope'] === 'all' && { scope: 'all' as const }),
  };
}
