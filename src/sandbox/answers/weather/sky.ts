import { HOUR, type KoreanTime } from '../../../public-data/korean-time.ts';
import { nearest, observatories } from '../../facts/places.ts';
import type { AnswerRules } from '../answer-rule.ts';
import type { Question } from '../question.ts';
import { listed, NO_ROWS, type Row } from '../rows.ts';
import { printTime } from '../times.ts';
import { holidaysOf } from './holidays.ts';
import { halfDay, moonTransit, noonOf } from './sun.ts';

/** Altitudes of the sun at which the twilights begin and end, degrees. */
const TWILIGHTS = { civil: -6, naut: -12, ast: -18 } as const;

/** Blanks fill a time up to the six digits of the noon. */
const clock = (time: KoreanTime | undefined): string =>
  time === undefined ? '------' : `${printTime(time, 'HHmm')}  `;

const degreesAndMinutes = (degrees: number): string =>
  `${Math.floor(degrees)}${String(Math.floor((degrees % 1) * 60)).padStart(2, '0')}`;

/** Decimal degrees; those of dnYn=N are degrees and minutes, such as 3733. */
function degreesOf(question: Question, name: string): number | undefined {
  const value = question.number(name);
  if (value === undefined || question.text('dnYn') !== 'N') return value;
  return Math.floor(value / 100) + (value % 100) / 60;
}

function riseAndSet(question: Question) {
  const day = question.time('locdate');
  const [latitude, longitude] = [degreesOf(question, 'latitude'), degreesOf(question, 'longitude')];
  if (day === undefined || latitude === undefined || longitude === undefined) return NO_ROWS;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return NO_ROWS;
  const place = { latitude, longitude };
  const noon = noonOf(place, day);
  const moon = moonTransit(place, day);
  const twilights = Object.entries(TWILIGHTS).map(([name, altitude]) => ({
    [`${name}m`]: clock(noon - halfDay(place, day, altitude)),
    [`${name}e`]: clock(noon + halfDay(place, day, altitude)),
  }));
  const row: Row = Object.assign({}, ...twilights, {
    latitude: degreesAndMinutes(latitude),
    latitudeNum: latitude.toFixed(7),
    longitude: degreesAndMinutes(longitude),
    longitudeNum: longitude.toFixed(7),
    location: nearest(observatories(), latitude, longitude)?.name,
    locdate: printTime(day, 'YYYYMMDD'),
    sunrise: clock(noon - halfDay(place, day)),
    suntransit: printTime(noon, 'HHmmss'),
    sunset: clock(noon + halfDay(place, day)),
    moonrise: clock(moon === undefined ? undefined : moon - 6 * HOUR),
    moontransit: clock(moon),
    moonset: clock(moon === undefined ? undefined : moon + 6 * HOUR),
  });
  return listed([row]);
}

/** Years for which the institute publishes holidays. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2100;

/** The holidays of a year, or of a month of it. */
function holidays(question: Question) {
  const year = question.number('solYear');
  if (year === undefined || year < FIRST_YEAR || year > LAST_YEAR) return NO_ROWS;
  const month = question.number('solMonth');
  const prefix = `${year}${month === undefined ? '' : String(month).padStart(2, '0')}`;
  const found = holidaysOf(year).map(({ day, name }) => ({
    dateName: name,
    locdate: Number(printTime(day, 'YYYYMMDD')),
  }));
  return listed(found.filter(({ locdate }) => String(locdate).startsWith(prefix)));
}

/** The astronomy institute. */
export const SKY: AnswerRules = {
  kasi_sun_moon_times: { rows: riseAndSet },
  kasi_holidays: { rows: holidays },
};
