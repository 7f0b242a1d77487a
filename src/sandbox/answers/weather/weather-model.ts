import { DAY, HOUR, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import { smooth } from '../noise.ts';
import { dayOfYear, hourOf, timesBetween } from '../times.ts';

/** A place for which weather is made up. All tools that name a place alike agree on its weather. */
export interface WeatherPlace {
  readonly key: string;
  readonly latitude: number;
}

/** Made-up weather of one hour. */
export interface Weather {
  /** °C */
  readonly temperature: number;
  /** % */
  readonly humidity: number;
  /** mm in the hour; 0 = dry. */
  readonly rain: number;
  /** Share of the sky, 0 to 1. */
  readonly cloud: number;
  /** m/s */
  readonly windSpeed: number;
  /** Where the wind comes from, degrees. */
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

/** East and north components of the wind, m/s. */
export function windComponents({ windSpeed, windDirection }: Weather) {
  const angle = (windDirection * Math.PI) / 180;
  return { east: -windSpeed * Math.sin(angle), north: -windSpeed * Math.cos(angle) };
}
