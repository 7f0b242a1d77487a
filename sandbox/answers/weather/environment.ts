import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../src/public-data/korean-time.ts';
import { airStations, nearest, observatories, type Place, tideStations } from '../../places.ts';
import { type AnswerRules, each, namedAlike, type Row } from '../answer-rule.ts';
import { noise, smooth, whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { daysBetween, printTime } from '../times.ts';
import { airAt, halfDay, moonTransit, noonOf } from './weather-model.ts';

/** 1 good to 4 very bad, by the upper limits of the first three grades. */
const grade = (value: number, limits: readonly [number, number, number]): string =>
  String(1 + limits.filter((limit) => value > limit).length);

/** Midnight is written as 24:00 of the day that ends. */
const hourText = (time: KoreanTime): string =>
  time === startOfDay(time)
    ? printTime(time - HOUR, 'YYYY-MM-DD 24:00')
    : printTime(time, 'YYYY-MM-DD HH:mm');

function measuredRow(station: Place, time: KoreanTime): Row {
  const air = airAt(`${station.province}:${station.name}`, time);
  const index = Math.round(Math.max(air.pm25 * 2.6, air.pm10 * 1.4));
  return {
    sidoName: station.province,
    stationName: station.name,
    dataTime: hourText(time),
    pm10Value: String(Math.round(air.pm10)),
    pm10Grade: grade(air.pm10, [30, 80, 150]),
    pm25Value: String(Math.round(air.pm25)),
    pm25Grade: grade(air.pm25, [15, 35, 75]),
    o3Value: air.ozone.toFixed(3),
    o3Grade: grade(air.ozone, [0.03, 0.09, 0.15]),
    no2Value: air.nitrogenDioxide.toFixed(3),
    no2Grade: grade(air.nitrogenDioxide, [0.03, 0.06, 0.2]),
    coValue: air.carbonMonoxide.toFixed(1),
    so2Value: air.sulphurDioxide.toFixed(3),
    khaiValue: String(index),
    khaiGrade: grade(index, [50, 100, 250]),
  };
}

/** From one high water to the next. */
const TIDE = 12 * HOUR + 25.2 * MINUTE;
/** From one spring tide to the next. */
const SPRING = 14.765 * DAY;

/** Difference of high and low water in cm: large on the west coast, small on the east coast. */
function rangeAt({ longitude, latitude }: Place, time: KoreanTime): number {
  const west = Math.min(1, Math.max(0, (129.2 - longitude) / 2.6));
  const north = Math.min(1, Math.max(0, (latitude - 33) / 4));
  const spring = 1 + 0.3 * Math.cos((2 * Math.PI * time) / SPRING);
  return (25 + 250 * west + 450 * west * north) * spring;
}

/** The high and low waters of a day; 1 and 3 are the first and the second high water, 2 and 4 the low ones. */
function tidesOf(place: Place, day: KoreanTime): Row[] {
  const phase = noise('tide', place.code) * TIDE;
  const first = Math.ceil((day - phase) / (TIDE / 2));
  const seen = { high: 0, low: 0 };
  const rows: Row[] = [];
  for (let half = first; phase + half * (TIDE / 2) < day + DAY; half++) {
    const time = phase + half * (TIDE / 2);
    const isHigh = half % 2 === 0;
    const range = rangeAt(place, time);
    const level = range * 0.6 + (isHigh ? range / 2 : -range / 2);
    rows.push({
      obsvtrNm: place.name,
      lot: place.longitude,
      lat: place.latitude,
      predcDt: printTime(time, 'YYYY-MM-DD HH:mm'),
      predcTdlvVl: String(Math.round(level)),
      extrSe: String(isHigh ? 2 * seen.high++ + 1 : 2 * seen.low++ + 2),
    });
  }
  return rows;
}

const GAUGE_INTERVAL = 10 * MINUTE;

/** Altitudes of the sun at which the twilights begin and end, degrees. */
const TWILIGHTS = { civil: -6, naut: -12, ast: -18 } as const;

/** Blanks fill a time up to the six digits of the noon. */
const clock = (time: KoreanTime | undefined): string =>
  time === undefined ? '------' : `${printTime(time, 'HHmm')}  `;

const degreesAndMinutes = (degrees: number): string =>
  `${Math.floor(degrees)}${String(Math.floor((degrees % 1) * 60)).padStart(2, '0')}`;

/** Decimal degrees; those of dnYn=N are degrees and minutes, such as 3733. */
function degreesOf({ text, number }: Question, name: string): number | undefined {
  const value = number(name);
  if (value === undefined || text('dnYn') !== 'N') return value;
  return Math.floor(value / 100) + (value % 100) / 60;
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
function holidaysOf(year: number): { day: KoreanTime; name: string }[] {
  const fixed = FIXED.map(([month, day, name]) => ({ day: Date.UTC(year, month - 1, day), name }));
  const days = daysBetween(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31));
  const lunar = days.flatMap((day) => {
    const [name, around] = LUNAR[lunarDay(day)] ?? [];
    if (name === undefined || around === undefined) return [];
    return daysBetween(day - around * DAY, day + around * DAY).map((each) => ({ day: each, name }));
  });
  return [...fixed, ...lunar].sort((one, other) => one.day - other.day);
}

/** Years for which the institute publishes holidays. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2100;

/** The air quality that AirKorea measures, tides, water levels, the sky, and holidays. */
export const ENVIRONMENT: AnswerRules = {
  airkorea_sido_realtime: {
    rows({ text, now }) {
      const time = Math.floor(now / HOUR) * HOUR;
      return airStations()
        .filter(({ province }) => ['전국', province].includes(text('sidoName')))
        .map((station) => measuredRow(station, time));
    },
  },
  // The stations whose province is named in the asked part of an address, and with the asked name.
  airkorea_stations: {
    rows({ text }) {
      const [province = '', rest = ''] = text('addr').trim().split(/\s+/);
      return airStations()
        .filter(
          (station) =>
            (province === '' ||
              province.startsWith(station.province) ||
              station.name.includes(province)) &&
            (station.name.includes(rest) || rest.includes(station.name)) &&
            station.name.includes(text('stationName')),
        )
        .map((station) => ({
          stationName: station.name,
          stationCode: String(whole(111_000, 999_999, station.province, station.name)),
          addr: `${station.province} ${rest} ${station.name}`.replace(/\s+/g, ' '),
          dmX: station.longitude.toFixed(6),
          dmY: station.latitude.toFixed(6),
        }));
    },
  },
  // With the columns that `include` names, without those that `exclude` names.
  khoa_tide_high_low: {
    rows({ text, time, list, now }) {
      const place = tideStations().find(({ code }) => code === text('obsCode'));
      const [included, excluded] = [list('include'), list('exclude')];
      const isAsked = (column: string): boolean =>
        (included.length === 0 || included.includes(column)) && !excluded.includes(column);
      return (place ? tidesOf(place, startOfDay(time('reqDate') ?? now)) : []).map((row) =>
        each(Object.keys(row), (column) => (isAsked(column) ? row[column] : undefined)),
      );
    },
  },
  // The latest level in metres; the flow rises with it.
  hrfco_water_level: {
    echo: namedAlike('wlobscd'),
    codes: ['wlobscd'],
    rows({ text, now }) {
      const gauge = text('wlobscd');
      const time = Math.floor(now / GAUGE_INTERVAL) * GAUGE_INTERVAL;
      const level = 0.3 + 3 * noise('gauge', gauge) + smooth(time, 12 * HOUR, 'level', gauge);
      const fw = (90 * level ** 1.8).toFixed(2);
      return [{ ymdhm: printTime(time, 'YYYYMMDDHHmm'), wl: level.toFixed(2), fw }];
    },
  },
  kasi_sun_moon_times: {
    rows(question) {
      const day = question.time('locdate');
      const latitude = degreesOf(question, 'latitude') ?? Number.NaN;
      const longitude = degreesOf(question, 'longitude') ?? Number.NaN;
      const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
      if (day === undefined || !isOnEarth) return undefined;
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
        moonrise: clock(moon && moon - 6 * HOUR),
        moontransit: clock(moon),
        moonset: clock(moon && moon + 6 * HOUR),
      });
      return [row];
    },
  },
  // The holidays of a year, or of a month of it.
  kasi_holidays: {
    rows({ number }) {
      const [year, month] = [number('solYear'), number('solMonth')];
      if (year === undefined || year < FIRST_YEAR || year > LAST_YEAR) return undefined;
      const prefix = `${year}${month === undefined ? '' : String(month).padStart(2, '0')}`;
      return holidaysOf(year)
        .map(({ day, name }) => ({ dateName: name, locdate: Number(printTime(day, 'YYYYMMDD')) }))
        .filter(({ locdate }) => String(locdate).startsWith(prefix));
    },
  },
};
