import type { JsonObject } from '../../../src/platform/kernel/plain-json.ts';
import { DAY, HOUR, startOfDay, unixTime } from '../../../src/public-data/korean-time.ts';
import { smooth, whole } from '../figures.ts';
import type { Specials } from '../form.ts';
import type { Question } from '../question.ts';
import { daysBetween, printTime, readTime, timesBetween } from '../times.ts';
import { halfDay, rounded, sunshineAt, type Weather, weatherAt } from './weather-model.ts';

type Unit = readonly [label: string, factor: number, offset?: number];

/** Units that a request chooses, by its parameter without `_unit`; the first of each is the default. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, Unit>>>> = {
  temperature: { celsius: ['°C', 1], fahrenheit: ['°F', 1.8, 32] },
  wind_speed: { kmh: ['km/h', 3.6], ms: ['m/s', 1], mph: ['mp/h', 2.237], kn: ['kn', 1.944] },
  precipitation: { mm: ['mm', 1], inch: ['inch', 1 / 25.4] },
};

/** The unit of a quantity: the chosen one, or the label itself. */
function unitOf(unit: string, { text }: Question): Unit {
  const choices = CHOICES[unit] ?? {};
  return choices[text(`${unit}_unit`)] ?? Object.values(choices)[0] ?? [unit, 1];
}

/** A value at the sun's time of a place, of the strength of the sun there, and of the weather or the air. */
type Quantity<Of> = readonly [unit: string, value: (of: Of, sun: number) => number];
type Quantities<Of> = Readonly<Record<string, Quantity<Of>>>;

function weatherCode({ rain, cloud, temperature }: Weather): number {
  if (rain > 0) return temperature > 1 ? 61 : 71;
  return Math.min(3, Math.floor(cloud * 4.5));
}

const WEATHER: Quantities<Weather> = {
  temperature_2m: ['temperature', (hour) => hour.temperature],
  relative_humidity_2m: ['%', (hour) => hour.humidity],
  dew_point_2m: ['temperature', (hour) => hour.temperature - (100 - hour.humidity) / 5],
  apparent_temperature: ['temperature', (hour) => hour.temperature - 0.6 * hour.windSpeed],
  is_day: ['', (_hour, sun) => (sun > 0 ? 1 : 0)],
  precipitation_probability: ['%', ({ cloud, rain }) => (rain > 0 ? 75 : Math.round(cloud * 50))],
  precipitation: ['precipitation', (hour) => hour.rain],
  rain: ['precipitation', ({ temperature, rain }) => (temperature > 1 ? rain : 0)],
  showers: ['precipitation', () => 0],
  snowfall: ['cm', ({ temperature, rain }) => (temperature > 1 ? 0 : rain)],
  snow_depth: ['m', () => 0],
  weather_code: ['wmo code', weatherCode],
  cloud_cover: ['%', ({ cloud }) => Math.round(cloud * 100)],
  visibility: ['m', ({ humidity }) => 40_000 - humidity * 320],
  pressure_msl: ['hPa', ({ cloud }) => 1026 - 16 * cloud],
  surface_pressure: ['hPa', ({ cloud }) => 1019 - 16 * cloud],
  wind_speed_10m: ['wind_speed', (hour) => hour.windSpeed],
  wind_direction_10m: ['°', (hour) => hour.windDirection],
  wind_gusts_10m: ['wind_speed', (hour) => hour.windSpeed * 1.8],
  uv_index: ['', ({ cloud }, sun) => 11 * sun * (1 - cloud / 2)],
  sunshine_duration: ['s', ({ cloud }, sun) => (sun > 0 ? Math.round(3600 * (1 - cloud)) : 0)],
  shortwave_radiation: ['W/m²', ({ cloud }, sun) => Math.round(950 * sun * (1 - 0.7 * cloud))],
};

const COMBINE: Readonly<Record<string, (values: readonly number[]) => number>> = {
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  hours: (values) => values.filter((value) => value > 0).length,
  dominant: ([first = 0]) => first,
};

/** The daily quantities whose names do not say how they follow from an hourly one, with their units. */
const OTHER_DAILY: Readonly<Record<string, readonly [string, string]>> = {
  weather_code: ['max', ''],
  sunshine_duration: ['sum', ''],
  precipitation_hours: ['hours', 'h'],
  shortwave_radiation_sum: ['sum', 'MJ/m²'],
};

/** The level of the air changes over hours, from a lowest to a highest. */
type Air = (name: string, low: number, high: number) => number;

const AIR: Quantities<Air> = {
  european_aqi: ['EAQI', (air) => Math.round(air('pm', 12, 80))],
  us_aqi: ['USAQI', (air) => Math.round(air('pm', 20, 136))],
  pm10: ['μg/m³', (air) => air('pm', 10, 70)],
  pm2_5: ['μg/m³', (air) => air('pm', 6, 40)],
  carbon_monoxide: ['μg/m³', (air) => air('carbon', 230, 800)],
  nitrogen_dioxide: ['μg/m³', (air) => air('nitrogen', 9, 75)],
  sulphur_dioxide: ['μg/m³', (air) => air('sulphur', 3, 13)],
  ozone: ['μg/m³', (air) => air('ozone', 20, 98)],
  aerosol_optical_depth: ['', (air) => air('pm', 0.07, 0.45)],
  dust: ['μg/m³', (air) => air('pm', 1, 7)],
  uv_index: ['', (_air, sun) => 7 * sun],
  uv_index_clear_sky: ['', (_air, sun) => 9 * sun],
};

/** The offset of a zone; `auto` means that of Korea within its rectangle, and GMT elsewhere, as does a zone that is none. */
function zoneOf(asked: string, isKorea: boolean, nowMs: number) {
  const timeZone = asked === 'auto' && isKorea ? 'Asia/Seoul' : asked.replace(/^(auto)?$/, 'GMT');
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const [, sign = '', hours = 0, minutes = 0] =
      /GMT([+-])(\d+):(\d+)/.exec(format.format(nowMs)) ?? [];
    const seconds = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60;
    const short = seconds === 0 ? 'GMT' : `GMT${sign}${Number(hours)}`;
    return { timezone: timeZone, timezone_abbreviation: short, utc_offset_seconds: seconds };
  } catch {
    return { timezone: 'GMT', timezone_abbreviation: 'GMT', utc_offset_seconds: 0 };
  }
}

/** Days of one response. */
const MAX_DAYS = 400;

/** Where and when a question asks: the days on the clocks of the zone are those of a range, or those around today. */
function placeOf({ tool, text, number, now: korean }: Question) {
  const [latitude, longitude] = [number('latitude') ?? 0, number('longitude') ?? 0];
  const isKorea = latitude > 33 && latitude < 38.65 && longitude > 124.5 && longitude < 131.9;
  const zone = zoneOf(text('timezone'), isKorea, unixTime(korean));
  const now = unixTime(korean) + zone.utc_offset_seconds * 1000;
  const first = startOfDay(now) - (number('past_days') ?? 0) * DAY;
  const last = startOfDay(now) + ((number('forecast_days') ?? 7) - 1) * DAY;
  const days = [readTime(text('start_date')) ?? first, readTime(text('end_date')) ?? last] as const;
  return {
    ...{ latitude, longitude, zone, now, key: `${tool.name}:${latitude}:${longitude}` },
    /** How far the sun, which the weather follows, is ahead of the clocks of the zone. */
    solar: longitude * (DAY / 360) - zone.utc_offset_seconds * 1000,
    days: daysBetween(...days).slice(0, MAX_DAYS),
  };
}
type Place = ReturnType<typeof placeOf>;

const CLOCK = 'YYYY-MM-DDTHH:mm';

/** A quantity of a day: what the hours of the day make of it, or the edges of daylight. */
function dayValue(
  name: string,
  day: number,
  place: Place,
  hourly: (name: string, time: number) => number,
) {
  const half = halfDay(place.latitude, day);
  const noon = day + DAY / 2 - place.solar;
  if (name === 'sunrise') return ['iso8601', printTime(noon - half, CLOCK)] as const;
  if (name === 'sunset') return ['iso8601', printTime(noon + half, CLOCK)] as const;
  if (name === 'daylight_duration') return ['s', (2 * half) / 1000] as const;
  const [how = '', unit] = OTHER_DAILY[name] ?? [/[^_]*$/.exec(name)?.[0]];
  const of = Object.hasOwn(WEATHER, name) ? name : name.replace(/_[^_]*$/, '');
  const hours = timesBetween(day, day + DAY - HOUR, HOUR).map((time) => hourly(of, time));
  const value = COMBINE[how]?.(hours) ?? 0;
  return [unit || WEATHER[of]?.[0] || '', unit === 'MJ/m²' ? value * 0.0036 : value] as const;
}

/** Objects of parallel arrays: those of the asked quantities in each part; parts that were not asked for are absent. */
const parallelArrays =
  <Of>(all: Quantities<Of>, interval: number, ofAt: (place: Place, time: number) => Of) =>
  (question: Question, sample: JsonObject): JsonObject => {
    const place = placeOf(question);
    const { latitude, longitude, solar, days } = place;
    const hourly = (name: string, time: number): number =>
      all[name]?.[1](ofAt(place, time + solar), sunshineAt(latitude, time + solar)) ?? 0;
    const hourValue = (name: string, time: number) =>
      [all[name]?.[0] ?? '', hourly(name, time)] as const;
    const dailyValue = (name: string, day: number) => dayValue(name, day, place, hourly);
    const part = (name: string, times: readonly number[], of: typeof dailyValue) => {
      const asked = question.list(name).map((each) => {
        const all = times.map((time) => of(each, time));
        const [label, factor, offset = 0] = unitOf(all[0]?.[0] ?? '', question);
        const values = all.map(([, value]) =>
          typeof value === 'string' ? value : rounded(value * factor + offset, 2),
        );
        return { each, label, values };
      });
      if (asked.length === 0) return {};
      const isNow = name === 'current';
      const printed = times.map((time) => printTime(time, name === 'daily' ? 'YYYY-MM-DD' : CLOCK));
      const units = asked.map(({ each, label }) => [each, label]);
      const values = asked.map((column) => [column.each, isNow ? column.values[0] : column.values]);
      const time = {
        time: isNow ? printed[0] : printed,
        ...(isNow && { interval: interval / 1000 }),
      };
      const unitsOfTime = { time: 'iso8601', ...(isNow && { interval: 'seconds' }) };
      return {
        [`${name}_units`]: { ...unitsOfTime, ...Object.fromEntries(units) },
        [name]: { ...time, ...Object.fromEntries(values) },
      };
    };
    const hours = days.flatMap((day) => timesBetween(day, day + DAY - HOUR, HOUR));
    const now = Math.floor(place.now / interval) * interval;
    const rest = Object.entries(sample).filter(([name]) => !/^(current|hourly|daily)/.test(name));
    return {
      ...Object.fromEntries(rest),
      latitude: Math.round(latitude * 20) / 20,
      longitude: Math.round(longitude * 20) / 20,
      ...{ ...place.zone, elevation: whole(5, 120, latitude, longitude) },
      ...part('current', [now], hourValue),
      ...part('hourly', hours, hourValue),
      ...part('daily', days, dailyValue),
    };
  };

/** The world's weather and air quality. */
export const OPEN_METEO: Specials = {
  openmeteo_forecast: {
    whole: parallelArrays(WEATHER, HOUR / 4, (place, time) => weatherAt(place, time)),
  },
  openmeteo_air_quality: {
    whole: parallelArrays(AIR, HOUR, ({ key }, time): Air => {
      return (name, low, high) => low + (high - low) * smooth(time, 8 * HOUR, key, name);
    }),
  },
};
