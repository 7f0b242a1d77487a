/** A date or a time as people write it, taken apart. Every part is digits of its full width, or empty. */
type WrittenTime = Readonly<
  Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', string>
>;

const FORMS = [
  /^(?<year>\d{4})(?<mark>[-./])(?<month>\d\d)(?:\k<mark>(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.0+)?)?)?)?$/,
  /^(?<year>\d{4})(?<month>\d\d)(?:(?<day>\d\d)(?:(?<hour>\d\d)(?<minute>\d\d))?)?$/,
  /^(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d))?$/,
];

/**
 * The other forms of a date, a month, a date with its time, or a time of day: digits alone and ISO 8601. Empty for any
 * other text, for a date that does not exist, and for a time with an offset, whose date may differ where the data are.
 */
export function otherTimeForms(text: string): string[] {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return [];
  const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = parts;
  const written = {
    year,
    month,
    day,
    hour: hour === '' ? '' : hour.padStart(2, '0'),
    minute,
    second,
  };
  return exists(written) ? formsOf(written) : [];
}

function exists({ year, month, day, hour, minute, second }: WrittenTime): boolean {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
  if (year === '') return true;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day || 1)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCFullYear() === Number(year);
}

function formsOf({ year, month, day, hour, minute, second }: WrittenTime): string[] {
  const clock = [`${hour}${minute}`, `${hour}:${minute}`, ...(Number(minute) === 0 ? [hour] : [])];
  const times = Number(second) === 0 ? clock : [];
  if (year === '') return times;
  if (day === '') return [`${year}${month}`, `${year}-${month}`];
  const [digits, dashed] = [`${year}${month}${day}`, `${year}-${month}-${day}`];
  if (hour === '') return [digits, dashed];
  const isMidnight = Number(hour + minute + second) === 0;
  return [
    ...times.map((time) => (time.includes(':') ? `${dashed}T${time}` : `${digits}${time}`)),
    `${digits}${hour}${minute}${second || '00'}`,
    ...(isMidnight ? [digits, dashed] : []),
  ];
}

/** Words of names that say which end of a range an argument is, in the spellings of APIs. */
const BEGIN = new Set(['begin', 'bgn', 'beg', 'start', 'strt', 'from', 'since']);
const END = new Set(['end', 'to', 'until', 'till']);

/** Which end of a range an argument is by its name, such as `inqryBgnDt`; undefined if the name does not say. */
export function rangeEndOf(name: string): 'begin' | 'end' | undefined {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const [isBegin, isEnd] = [BEGIN, END].map((known) => words.some((word) => known.has(word)));
  if (isBegin === isEnd) return undefined;
  return isBegin ? 'begin' : 'end';
}

/**
 * The first or the last moment of a day, for an argument that is the begin or the end of a range of instants. Empty for
 * any other argument, because a day does not say which of its instants is meant, and for a text that is not a day.
 */
export function instantsOfDay(text: string, name: string): string[] {
  const end = rangeEndOf(name);
  const [digits = '', dashed] = end === undefined ? [] : otherTimeForms(text);
  if (digits.length !== 'YYYYMMDD'.length) return [];
  const [hour, minute, second] = end === 'begin' ? ['00', '00', '00'] : ['23', '59', '59'];
  return [
    `${digits}${hour}${minute}`,
    `${digits}${hour}`,
    `${digits}${hour}${minute}${second}`,
    `${dashed}T${hour}:${minute}`,
    `${dashed}T${hour}:${minute}:${second}`,
    `${dashed} ${hour}:${minute}`,
    `${dashed} ${hour}:${minute}:${second}`,
  ];
}
