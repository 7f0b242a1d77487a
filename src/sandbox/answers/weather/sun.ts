import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../public-data/korean-time.ts';
import { dayOfYear, hourOf } from '../times.ts';

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
