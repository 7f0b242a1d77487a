import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../src/public-data/korean-time.ts';
import { smooth } from '../figures.ts';
import { dayOfYear, hourOf, timesBetween } from '../times.ts';

/** A place for which weather is made up. All tools that name a place alike agree on its weather. */
export interface WeatherPlace {
  readonly key: string;
  readonly latitude: number;
}

/** Made-up weather of one hour: °C, %, mm (0 = dry), share of the sky, m/s, and degrees where the wind comes from. */
export interface Weather {
  readonly temperature: number;
  readonly humidity: number;
  readonly rain: number;
  readonly cloud: number;
  readonly windSpeed: number;
  readonly windDirection: number;
}

const WARMEST_DAY = 202;
const WARMEST_HOUR = 15;

/** -1 in the middle of winter to 1 in the middle of summer. */
function season(time: KoreanTime, latitude: number): number {
  const angle = (2 * Math.PI * (dayOfYear(time) - WARMEST_DAY)) / 365.25;
  return Math.sign(latitude || 1) * Math.cos(angle);
}

/** The weather at a local time: a yearly and a daily curve, and changes over days and hours that are the same in every run. */
export function weatherAt({ key, latitude }: WeatherPlace, time: KoreanTime): Weather {
  const far = Math.abs(latitude);
  const cloud = smooth(time, 9 * HOUR, key, 'cloud');
  const daily = Math.cos((2 * Math.PI * (hourOf(time) - WARMEST_HOUR)) / 24);
  const temperature =
    27 -
    0.4 * far +
    0.35 * far * season(time, latitude) +
    (5.5 - 3 * cloud) * daily +
    8 * (smooth(time, 2 * DAY, key, 'air') - 0.5);
  const rain = cloud > 0.82 ? Math.round((cloud - 0.82) * 250) / 10 + 0.1 : 0;
  return {
    temperature: Math.round(temperature * 10) / 10,
    humidity: Math.round(Math.min(98, Math.max(20, 58 - 14 * daily + 30 * (cloud - 0.4)))),
    rain: Math.round(rain * 10) / 10,
    cloud,
    windSpeed: Math.round((0.4 + 6 * smooth(time, 5 * HOUR, key, 'wind') ** 2) * 10) / 10,
    windDirection: Math.round(359 * smooth(time, 20 * HOUR, key, 'direction')),
  };
}

/** The weather of the 24 hours of a day, from midnight. */
export const weatherOfDay = (place: WeatherPlace, time: KoreanTime): Weather[] =>
  timesBetween(startOfDay(time), startOfDay(time) + 23 * HOUR, HOUR).map((hour) =>
    weatherAt(place, hour),
  );

/** The lowest and the highest temperature of a day's hours, °C. */
export function temperaturesOfDay(place: WeatherPlace, time: KoreanTime) {
  const temperatures = weatherOfDay(place, time).map(({ temperature }) => temperature);
  return { low: Math.min(...temperatures), high: Math.max(...temperatures) };
}

/** A position on the ground: WGS84 degrees. */
interface Viewpoint {
  readonly latitude: number;
  readonly longitude: number;
}

const RADIANS = Math.PI / 180;

/** The meridian of Korean time, degrees. */
const MERIDIAN = 135;

const declination = (time: KoreanTime): number =>
  -23.44 * RADIANS * Math.cos((2 * Math.PI * (dayOfYear(time) + 10)) / 365.25);

/** How far sundials are ahead of clocks, in minutes. */
function equationOfTime(time: KoreanTime): number {
  const angle = (2 * Math.PI * (dayOfYear(time) - 81)) / 364;
  return 9.87 * Math.sin(2 * angle) - 7.53 * Math.cos(angle) - 1.5 * Math.sin(angle);
}

/** When the sun is highest on a day. */
export const noonOf = ({ longitude }: Viewpoint, time: KoreanTime): KoreanTime =>
  startOfDay(time) + 12 * HOUR + (4 * (MERIDIAN - longitude) - equationOfTime(time)) * MINUTE;

/**
 * How long before and after noon the sun is above an altitude in degrees, in milliseconds; between 0 (the sun stays below)
 * and half a day (it stays above).
 */
export function halfDay({ latitude }: Viewpoint, time: KoreanTime, altitude = -0.833): number {
  const [place, sun] = [latitude * RADIANS, declination(time)];
  const cosine =
    (Math.sin(altitude * RADIANS) - Math.sin(place) * Math.sin(sun)) /
    (Math.cos(place) * Math.cos(sun));
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) / (2 * Math.PI)) * DAY;
}

/** The strength of the sun without clouds: 0 at night to 1 at the zenith. */
export function sunshineAt(viewpoint: Viewpoint, time: KoreanTime): number {
  const [place, sun] = [viewpoint.latitude * RADIANS, declination(time)];
  const angle = ((hourOf(time) - hourOf(noonOf(viewpoint, time))) / 12) * Math.PI;
  const height =
    Math.sin(place) * Math.sin(sun) + Math.cos(place) * Math.cos(sun) * Math.cos(angle);
  return Math.max(0, height);
}

const LUNAR_DAY = DAY + 50.47 * MINUTE;
/** A new moon, in Korean time. */
const NEW_MOON = Date.UTC(2026, 10, 9, 16, 2);
const LUNAR_MONTH = 29.530588 * DAY;

/**
 * When the moon is highest on a day, within some half an hour; undefined on the day of each month on which it is not.
 * At new moon it is highest with the sun, and every day about fifty minutes later.
 */
export function moonTransit(viewpoint: Viewpoint, time: KoreanTime): KoreanTime | undefined {
  const day = startOfDay(time);
  const age = (((day - NEW_MOON) % LUNAR_MONTH) + LUNAR_MONTH) % LUNAR_MONTH;
  const first = noonOf(viewpoint, day - age);
  const transits = Math.ceil((day - first) / LUNAR_DAY);
  const transit = first + transits * LUNAR_DAY;
  return transit < day + DAY ? transit : undefined;
}

/** The made-up air of one hour at a place: dust in μg/m³, gases in ppm. It changes over hours, the same in every run. */
export function airAt(key: string, time: number) {
  const level = (name: string) => smooth(time, 8 * HOUR, key, name);
  const pm25 = 6 + 34 * level('pm') ** 1.5;
  return {
    pm25,
    pm10: pm25 * (1.3 + 0.6 * level('dust')),
    ozone: 0.01 + 0.04 * level('ozone'),
    nitrogenDioxide: 0.005 + 0.035 * level('nitrogen'),
    carbonMonoxide: 0.2 + 0.5 * level('carbon'),
    sulphurDioxide: 0.001 + 0.004 * level('sulphur'),
  };
}
