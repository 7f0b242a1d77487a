import type { Row } from './find-rows.ts';

/** One line of a chart. */
export interface Line {
  readonly name: string;
  /** One value for each time. */
  readonly values: readonly (number | null)[];
}

/** Rows that are a series: values over time. */
export interface Series {
  /** The column, or both columns, from which the times are read. */
  readonly timeName: string;
  /** Milliseconds since the epoch, ascending, each once. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

/** Lines beyond these cannot be told from one another. */
export const MAX_LINES = 12;
/** Names that say which line a row belongs to; Gyeonggi has more than 40 districts. */
const MAX_KINDS = 50;
/** A chart of more points than pixels shows nothing more. */
const MAX_POINTS = 5000;
/** Share of the rows that must have a time, or a number, for a column to count as one. */
const MIN_SHARE = 0.8;

/** Finds the values over time in rows; null if they have no times, or nothing but times. */
export function findSeries(rows: readonly Row[], columns: readonly string[]): Series | null {
  const used = rows.slice(0, MAX_POINTS);
  const clock = findTimes(used, columns);
  if (!clock) return null;
  const rest = columns.filter((name) => !clock.names.includes(name));
  const numeric = rest
    .filter((name) => isMostly(used, (row) => toNumber(row[name]) !== null))
    .sort((a, b) => Number(isCode(a)) - Number(isCode(b)));
  const known = clock.times.filter((ms) => ms !== null);
  const times = [...new Set(known)].sort((a, b) => a - b);
  if (times.length < 2) return null;
  const isLong = known.length > times.length;
  const lines = isLong
    ? longLines(used, { clock, times, rest, numeric })
    : numeric.map((name) => lineOf(name, used, { clock, times, name }));
  const shown = lines.filter(({ values }) => isVaried(values)).slice(0, MAX_LINES);
  return shown.length > 0 ? { timeName: clock.names.join(' + '), times, lines: shown } : null;
}

interface Clock {
  readonly names: readonly string[];
  /** Of each row. */
  readonly times: readonly (number | null)[];
}

/** The column with the most distinct times, joined by a column of times of day if that has the same prefix. */
function findTimes(rows: readonly Row[], columns: readonly string[]): Clock | null {
  const candidates = columns
    .map((name) => ({ names: [name], times: rows.map((row) => readTime(row[name])) }))
    .filter(
      ({ names: [name = ''], times }) =>
        times.filter(isKnown).length >= MIN_SHARE * rows.length && !isCount(rows, name),
    )
    .map((clock) => withTimeOfDay(clock, rows, columns));
  const distinct = ({ times }: Clock) => new Set(times).size;
  return candidates.sort((a, b) => distinct(b) - distinct(a))[0] ?? null;
}

const isKnown = (value: number | null): value is number => value !== null;

/** Four digits are a year only in a column that is called so. */
const isCount = (rows: readonly Row[], name: string): boolean =>
  rows.every((row) => /^\d{4}$/.test(String(row[name]))) && !/y(ea)?r|date|time|년/i.test(name);

function withTimeOfDay(clock: Clock, rows: readonly Row[], columns: readonly string[]): Clock {
  const [day = ''] = clock.names;
  if (!/(date|day|dt|de|일자|일)$/i.test(day)) return clock;
  const prefix = day.replace(/_?(date|day|dt|de|일자|일)$/i, '').toLowerCase();
  const time = columns.find(
    (name) =>
      name !== day &&
      name.toLowerCase().startsWith(prefix) &&
      /(time|tm|hour|hh|시각|시간)$/i.test(name) &&
      isMostly(rows, (row) => readTimeOfDay(row[name]) !== null),
  );
  if (time === undefined) return clock;
  return {
    names: [day, time],
    times: clock.times.map((ms, at) =>
      ms === null ? null : ms + (readTimeOfDay(rows[at]?.[time]) ?? 0),
    ),
  };
}

const isMostly = (rows: readonly Row[], holds: (row: Row) => boolean): boolean =>
  rows.filter(holds).length >= MIN_SHARE * rows.length && rows.length > 0;

/** Public data writes numbers as strings, with commas. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*[+-]?[\d,]*\.?\d+\s*%?\s*$/.test(value)) return null;
  return Number(value.replace(/[,%\s]/g, ''));
}

interface LineSource {
  readonly clock: Clock;
  readonly times: readonly number[];
  /** The column of the values. */
  readonly name: string;
}

function lineOf(
  label: string,
  rows: readonly Row[],
  { clock, times, name }: LineSource,
  belongs = (_: Row) => true,
): Line {
  const byTime = new Map<number, number | null>();
  for (const [at, row] of rows.entries()) {
    const ms = clock.times[at];
    if (isKnown(ms ?? null) && belongs(row)) byTime.set(ms as number, toNumber(row[name]));
  }
  return { name: label, values: times.map((ms) => byTime.get(ms) ?? null) };
}

interface LongSource {
  readonly clock: Clock;
  readonly times: readonly number[];
  readonly rest: readonly string[];
  readonly numeric: readonly string[];
}

/** Several rows for each time: a column of few names says which line a row belongs to, another holds the value. */
function longLines(rows: readonly Row[], { clock, times, rest, numeric }: LongSource): Line[] {
  const kinds = rest
    .map((name) => ({ name, values: [...new Set(rows.map((row) => String(row[name])))] }))
    .filter(
      ({ name, values }) =>
        values.length > 1 &&
        values.length <= MAX_KINDS &&
        (isCode(name) || !numeric.includes(name)),
    )
    .sort((a, b) => b.values.length - a.values.length)[0];
  const value =
    rest.find((name) => /val(ue)?$/i.test(name) && name !== kinds?.name) ??
    numeric.find(
      (name) => name !== kinds?.name && isVaried(rows.map((row) => toNumber(row[name]))),
    );
  if (!kinds || value === undefined) return [];
  return kinds.values.map((kind) =>
    lineOf(kind, rows, { clock, times, name: value }, (row) => String(row[kinds.name]) === kind),
  );
}

/** Numbers that are names: a reader looks for quantities first. */
const isCode = (name: string): boolean => /(code|cd|id|no|num|seq|page|코드|번호)$/i.test(name);

/** A line that never changes, such as a grid point in every row, says nothing. */
const isVaried = (values: readonly (number | null)[]): boolean =>
  new Set(values.filter(isKnown)).size > 1;

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
function readTimeOfDay(value: unknown): number | null {
  const [, h, min] = /^([01]\d|2[0-3]):?([0-5]\d)(?::?[0-5]\d)?$/.exec(String(value).trim()) ?? [];
  return h === undefined ? null : (Number(h) * 60 + Number(min)) * 60_000;
}
