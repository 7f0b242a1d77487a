import { DAY, type KoreanTime } from '../../../public-data/korean-time.ts';
import { daysBetween } from '../times.ts';

/** A public holiday of Korea. */
export interface Holiday {
  readonly day: KoreanTime;
  readonly name: string;
}

/** Month and day. */
const FIXED: readonly (readonly [number, number, string])[] = [
  [1, 1, '1월1일'],
  [3, 1, '삼일절'],
  [5, 5, '어린이날'],
  [6, 6, '현충일'],
  [8, 15, '광복절'],
  [10, 3, '개천절'],
  [10, 9, '한글날'],
  [12, 25, '기독탄신일'],
];

/** Month and day of the lunisolar calendar, and the days around it that are holidays too. */
const LUNAR: Readonly<Record<string, readonly [string, number]>> = {
  '1-1': ['설날', 1],
  '4-8': ['부처님오신날', 0],
  '8-15': ['추석', 1],
};

const KOREAN_CALENDAR = new Intl.DateTimeFormat('en-u-ca-dangi', {
  timeZone: 'UTC',
  month: 'numeric',
  day: 'numeric',
});

/** The day in the lunisolar calendar, such as `8-15`; that of a leap month has letters in it. */
function lunarDay(day: KoreanTime): string {
  const parts = KOREAN_CALENDAR.formatToParts(day);
  const part = (type: string) => parts.find((each) => each.type === type)?.value;
  return `${part('month')}-${part('day')}`;
}

/** The holidays of a year in order, without substitute holidays and election days. */
export function holidaysOf(year: number): Holiday[] {
  const fixed = FIXED.map(([month, day, name]) => ({ day: Date.UTC(year, month - 1, day), name }));
  const days = daysBetween(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31));
  const lunar = days.flatMap((day) => {
    const [name, around] = LUNAR[lunarDay(day)] ?? [];
    if (name === undefined || around === undefined) return [];
    return daysBetween(day - around * DAY, day + around * DAY).map((each) => ({ day: each, name }));
  });
  return [...fixed, ...lunar].sort((one, other) => one.day - other.day);
}
