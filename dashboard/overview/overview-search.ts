import type { CallsFilter } from '../shared/calls-link.tsx';
import { stepAt } from '../shared/chart-data.ts';

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

const MAX_TIME_LENGTH = 40;

/** What the overview keeps in its address. */
export interface OverviewSearch {
  readonly range?: Range;
  /** ISO 8601. With these, `range` does not count. */
  readonly from?: string;
  readonly to?: string;
  readonly by?: Grouping;
  /** All tenants; for operators. */
  readonly scope?: 'all';
}

/** Reads an address. Members that are not valid are left out. */
export function readOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  const range = RANGES.find((each) => each === search['range']);
  const by = GROUPINGS.find((each) => each === search['by']);
  return {
    ...timesIn(search),
    ...(range && range !== DEFAULT_RANGE && { range }),
    ...(by && by !== 'none' && { by }),
    ...(search['scope'] === 'all' && { scope: 'all' as const }),
  };
}

/** Both ends of a period of its own, in order; else none. */
function timesIn(search: Readonly<Record<string, unknown>>): Pick<OverviewSearch, 'from' | 'to'> {
  const [from, to] = [search['from'], search['to']].map((value) =>
    typeof value === 'string' && value.length <= MAX_TIME_LENGTH ? Date.parse(value) : Number.NaN,
  );
  if (from === undefined || to === undefined || !(from < to)) return {};
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

const MINUTE_MS = 60_000;

/** The whole minutes that a stretch of time touches: calls are counted by the minute. */
export const wholeMinutes = (fromMs: number, toMs: number): { from: string; to: string } => ({
  from: new Date(Math.floor(fromMs / MINUTE_MS) * MINUTE_MS).toISOString(),
  to: new Date(Math.ceil(toMs / MINUTE_MS) * MINUTE_MS).toISOString(),
});

/** The ends of a period, the earlier one first. */
export const inOrder = ({ from, to }: Ends): Ends =>
  from !== undefined && to !== undefined && from > to ? { from: to, to: from } : { from, to };

interface Ends {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The period that an address names, or the one of the same length before it. */
export function periodOf(
  { range = DEFAULT_RANGE, from, to }: Pick<OverviewSearch, 'range' | 'from' | 'to'>,
  nowMs: number,
  periodsAgo = 0,
): { from: string; to: string } {
  const endMs = to === undefined ? nowMs : Date.parse(to);
  const lengthMs = from === undefined ? RANGES_MS[range] : endMs - Date.parse(from);
  const toMs = endMs - periodsAgo * lengthMs;
  return { from: new Date(toMs - lengthMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** Finds the calls that figures count, which begin and end with their first and last step. A range ends now. */
export function callsIn(
  timesMs: readonly number[],
  { to }: Pick<OverviewSearch, 'to'> = {},
): CallsFilter {
  const isoTime = (ms: number) => new Date(ms).toISOString();
  const endMs = stepAt(timesMs, timesMs.length - 1)?.[1];
  return {
    ...(timesMs[0] !== undefined && { from: isoTime(timesMs[0]) }),
    ...(to !== undefined && { to: endMs === undefined ? to : isoTime(endMs) }),
  };
}

/** Finds the calls of a group; undefined if the audit log does not know what they have in common. */
export function callsOf(
  by: Grouping,
  { subject, name }: { readonly subject: string | null; readonly name: string | null },
): CallsFilter | undefined {
  if (subject === null) return undefined;
  if (by === 'tool') return { tool: name ?? subject };
  if (by === 'key') return { key: subject };
  const host = by === 'upstream' ? URL.parse(subject)?.host : undefined;
  return host === undefined ? undefined : { upstream: host };
}
