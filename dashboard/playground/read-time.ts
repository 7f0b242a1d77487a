/** A time in a response: ISO 8601, or the digits that Korean public data uses. */
const PATTERNS: readonly RegExp[] = [
  /^(?<y>\d{4})-(?<m>\d{2})(?:-(?<d>\d{2})(?:[T ](?<h>\d{2}):(?<min>\d{2})(?::(?<s>\d{2})(?:\.\d+)?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?)?$/,
  /^(?<y>\d{4})[./](?<m>\d{2})[./](?<d>\d{2})(?:\s+(?<h>\d{2}):(?<min>\d{2}))?$/,
  /^(?<y>(?:18|19|20|21)\d{2})(?<m>0[1-9]|1[0-2])(?:(?<d>0[1-9]|[12]\d|3[01])(?:(?<h>[01]\d|2[0-4])(?<min>[0-5]\d)?(?<s>[0-5]\d)?)?)?$/,
  /^(?<y>(?:18|19|20|21)\d{2})$/,
];

/**
 * Milliseconds since the epoch; null for anything else. A time without a zone is read as UTC: only the distances between
 * the points of a chart matter.
 */
export function readTime(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim();
  for (const pattern of PATTERNS) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return toMs(groups);
  }
  return null;
}

function toMs(groups: Readonly<Record<string, string | undefined>>): number | null {
  const { y, m = '01', d = '01', h = '00', min = '00', s = '00', zone = 'Z' } = groups;
  const isEndOfDay = h === '24';
  const text = `${y}-${m}-${d}T${isEndOfDay ? '00' : h}:${min}:${s}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms + (isEndOfDay ? 86_400_000 : 0);
}

/** The time of day in a column of its own, such as `0600`, in milliseconds. */
export function readTimeOfDay(value: unknown): number | null {
  const [, h, min] = /^([01]\d|2[0-3]):?([0-5]\d)(?::?[0-5]\d)?$/.exec(String(value).trim()) ?? [];
  return h === undefined ? null : (Number(h) * 60 + Number(min)) * 60_000;
}
