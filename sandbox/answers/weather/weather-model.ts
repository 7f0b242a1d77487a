import { DAY, HOUR, type KoreanTime, startOfDay } from '../../../src/public-data/korean-time.ts';
import { smooth } from '../figures.ts';
import { dayOfYear, hourOf, timesBetween } from '../times.ts';

/** A place for which weather is made up. All tools that name a place alike agree on its weather. */
export interface WeatherPlace {
  readonly key: string;
  readonly latitude: number;
}

/** Made-up weather of one hour: °C, %, mm (0 = dry), share of the sky, m/s, and degrees where the wind comes from. */
export type Weather = ReturnType<typeof weatherAt>;

const WARMEST_DAY = 202;
const WARMEST_HOUR = 15;

export const rounded = (value: number, decimals = 1): number => Number(value.toFixed(decimals)) + 0;

/** The weather at a local time: a yearly and a daily curve, and changes over days and hours that are the same in every run. */
export function weatherAt({ key, latitude }: WeatherPlace, time: KoreanTime) {
  const far = Math.abs(latitude);
  const angle = (2 * Math.PI * (dayOfYear(time) - WARMEST_DAY)) / 365.25;
  const season = Math.sign(latitude || 1) * Math.cos(angle);
  const cloud = smooth(time, 9 * HOUR, key, 'cloud');
  const daily = Math.cos((2 * Math.PI * (hourOf(time) - WARMEST_HOUR)) / 24);
  const change = 8 * (smooth(time, 2 * DAY, key, 'air') - 0.5);
  return {
    temperature: rounded(27 - 0.4 * far + 0.35 * far * season + (5.5 - 3 * cloud) * daily + change),
    humidity: Math.round(Math.min(98, Math.max(20, 58 - 14 * daily + 30 * (cloud - 0.4)))),
    rain: cloud > 0.82 ? rounded((cloud - 0.82) * 25 + 0.1) : 0,
    cloud,
    windSpeed: rounded(0.4 + 6 * smooth(time, 5 * HOUR, key, 'wind') ** 2),
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

const RADIANS = Math.PI / 180;

/** How long before and after noon the sun is up, in milliseconds; between 0 and half a day. */
export function halfDay(latitude: number, time: KoreanTime): number {
  const declination = -23.44 * Math.cos((2 * Math.PI * (dayOfYear(time) + 10)) / 365.25) * RADIANS;
  const cosine = -Math.tan(latitude * RADIANS) * Math.tan(declination) - 0.0145;
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) / (2 * Math.PI)) * DAY;
}

/** The strength of the sun without clouds at a solar time: 0 at night to about 1 at noon. */
export function sunshineAt(latitude: number, time: KoreanTime): number {
  const half = Math.max(1, halfDay(latitude, time));
  const fromNoon = Math.min(2, (Math.abs(hourOf(time) - 12) * HOUR) / half);
  return Math.max(0, Math.cos((fromNoon * Math.PI) / 2)) * Math.sqrt(half / (DAY / 2));
}
