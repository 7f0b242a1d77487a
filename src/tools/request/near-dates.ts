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
