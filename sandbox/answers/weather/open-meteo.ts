import type { JsonObject } from '../../../src/platform/kernel/plain-json.ts';
import { DAY, HOUR, startOfDay, unixTime } from '../../../src/public-data/korean-time.ts';
import { isInKorea } from '../../places.ts';
import { jsonResponse } from '../../sandbox-response.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { between, whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { daysBetween, printTime, timesBetween } from '../times.ts';
import { airAt, halfDay, sunshineAt, type Weather, weatherAt } from './weather-model.ts';

const rounded = (value: number, decimals = 1): number => Number(value.toFixed(decimals));

type Unit = readonly [label: string, convert: (value: number) => number];

/** Units that a request chooses, by its parameter without `_unit`; the first of each is the default. */
const CHOICES = {
  temperature: new Map<string, Unit>([
    ['celsius', ['°C', (celsius) => rounded(celsius)]],
    ['fahrenheit', ['°F', (celsius) => rounded(celsius * 1.8 + 32)]],
  ]),
  wind_speed: new Map<string, Unit>([
    ['kmh', ['km/h', (speed) => rounded(speed * 3.6)]],
    ['ms', ['m/s', (speed) => rounded(speed)]],
    ['mph', ['mp/h', (speed) => rounded(speed * 2.237)]],
    ['kn', ['kn', (speed) => rounded(speed * 1.944)]],
  ]),
  precipitation: new Map<string, Unit>([
    ['mm', ['mm', (depth) => rounded(depth)]],
    ['inch', ['inch', (depth) => rounded(depth / 25.4, 3)]],
  ]),
};
type Units = ReadonlyMap<string, Unit>;

/** The units of an answer. */
const unitsOf = (text: (parameter: string) => string): Units =>
  new Map(
    Object.entries(CHOICES).flatMap(([name, choices]) => {
      const unit = choices.get(text(`${name}_unit`)) ?? [...choices.values()][0];
      return unit ? [[name, unit]] : [];
    }),
  );

/** The place and the time of a value. */
interface Moment {
  readonly place: { readonly key: string; readonly latitude: number; readonly longitude: number };
  /** On the clocks of the zone. */
  readonly time: number;
  /** From those clocks to the sun's time at the place. */
  readonly solar: number;
  readonly units: Units;
}

interface Quantity {
  /** One that the request chooses, or its label. */
  readonly unit: string;
  readonly valueAt: (moment: Moment) => unknown;
}

type Quantities = Readonly<Record<string, Quantity>>;

const sunAt = ({ place, time, solar }: Moment): number =>
  sunshineAt({ latitude: place.latitude, longitude: 135 }, time + solar);

/** Made of the weather at a moment, and of the sun's strength there. */
const hourly = (unit: string, of: (weather: Weather, sun: number) => number): Quantity => ({
  unit,
  valueAt(moment) {
    const value = of(weatherAt(moment.place, moment.time + moment.solar), sunAt(moment));
    return moment.units.get(unit)?.[1](value) ?? value;
  },
});

function weatherCode({ rain, cloud, temperature }: Weather): number {
  if (rain > 0) return temperature > 1 ? 61 : 71;
  return [0, 1, 2, 3][Math.min(3, Math.floor(cloud * 4.5))] ?? 3;
}

const isWarm = ({ temperature }: Weather): boolean => temperature > 1;

const WEATHER_QUANTITIES: Quantities = {
  temperature_2m: hourly('temperature', ({ temperature }) => temperature),
  relative_humidity_2m: hourly('%', ({ humidity }) => humidity),
  dew_point_2m: hourly(
    'temperature',
    ({ temperature, humidity }) => temperature - (100 - humidity) / 5,
  ),
  apparent_temperature: hourly(
    'temperature',
    ({ temperature, windSpeed, humidity }) =>
      temperature - 0.6 * windSpeed + 0.02 * (humidity - 50),
  ),
  is_day: hourly('', (_weather, sun) => (sun > 0 ? 1 : 0)),
  precipitation_probability: hourly('%', ({ cloud, rain }) =>
    rain > 0 ? 75 : Math.round(cloud * 50),
  ),
  precipitation: hourly('precipitation', ({ rain }) => rain),
  rain: hourly('precipitation', (weather) => (isWarm(weather) ? weather.rain : 0)),
  showers: hourly('precipitation', () => 0),
  snowfall: hourly('cm', (weather) => (isWarm(weather) ? 0 : weather.rain)),
  snow_depth: hourly('m', () => 0),
  weather_code: hourly('wmo code', weatherCode),
  cloud_cover: hourly('%', ({ cloud }) => Math.round(cloud * 100)),
  visibility: hourly('m', ({ humidity }) => 40_000 - humidity * 320),
  pressure_msl: hourly('hPa', ({ cloud }) => rounded(1026 - 16 * cloud)),
  surface_pressure: hourly('hPa', ({ cloud }) => rounded(1019 - 16 * cloud)),
  wind_speed_10m: hourly('wind_speed', ({ windSpeed }) => windSpeed),
  wind_direction_10m: hourly('°', ({ windDirection }) => windDirection),
  wind_gusts_10m: hourly('wind_speed', ({ windSpeed }) => windSpeed * 1.8),
  uv_index: hourly('', ({ cloud }, sun) => rounded(11 * sun * (1 - cloud / 2), 2)),
  sunshine_duration: hourly('s', ({ cloud }, sun) =>
    sun > 0 ? Math.round(3600 * (1 - cloud)) : 0,
  ),
  shortwave_radiation: hourly('W/m²', ({ cloud }, sun) =>
    Math.round(950 * sun * (1 - 0.7 * cloud)),
  ),
};

/** The values of an hourly quantity on a day. */
const hoursOf = (moment: Moment, name: string): number[] =>
  timesBetween(moment.time, moment.time + DAY - HOUR, HOUR).map((time) =>
    Number(WEATHER_QUANTITIES[name]?.valueAt({ ...moment, time })),
  );

/** A daily quantity made of the hourly values of the day. */
const ofHours = (name: string, combine: (values: readonly number[]) => number): Quantity => ({
  unit: WEATHER_QUANTITIES[name]?.unit ?? '',
  valueAt: (moment) => rounded(combine(hoursOf(moment, name)), 3),
});

const highest = (values: readonly number[]): number => Math.max(...values);
const lowest = (values: readonly number[]): number => Math.min(...values);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

const daylight = (moment: Moment): number =>
  2 * halfDay({ ...moment.place, longitude: 135 }, moment.time);
const sunEdge = (direction: number): Quantity => ({
  unit: 'iso8601',
  valueAt(moment) {
    const noon = moment.time + DAY / 2 - moment.solar;
    return printTime(noon + (direction * daylight(moment)) / 2, 'YYYY-MM-DDTHH:mm');
  },
});

const DAILY_QUANTITIES: Quantities = {
  weather_code: ofHours('weather_code', highest),
  temperature_2m_max: ofHours('temperature_2m', highest),
  temperature_2m_min: ofHours('temperature_2m', lowest),
  apparent_temperature_max: ofHours('apparent_temperature', highest),
  apparent_temperature_min: ofHours('apparent_temperature', lowest),
  sunrise: sunEdge(-1),
  sunset: sunEdge(1),
  daylight_duration: { unit: 's', valueAt: (moment) => rounded(daylight(moment) / 1000, 2) },
  sunshine_duration: ofHours('sunshine_duration', sum),
  uv_index_max: ofHours('uv_index', highest),
  rain_sum: ofHours('rain', sum),
  showers_sum: ofHours('showers', sum),
  snowfall_sum: ofHours('snowfall', sum),
  precipitation_sum: ofHours('precipitation', sum),
  precipitation_hours: {
    unit: 'h',
    valueAt: (moment) => hoursOf(moment, 'precipitation').filter((value) => value > 0).length,
  },
  precipitation_probability_max: ofHours('precipitation_probability', highest),
  wind_speed_10m_max: ofHours('wind_speed_10m', highest),
  wind_gusts_10m_max: ofHours('wind_gusts_10m', highest),
  wind_direction_10m_dominant: ofHours('wind_direction_10m', ([first = 0]) => first),
  shortwave_radiation_sum: {
    unit: 'MJ/m²',
    valueAt: (moment) => rounded(sum(hoursOf(moment, 'shortwave_radiation')) * 0.0036, 2),
  },
};

const ofAir = (unit: string, value: (air: ReturnType<typeof airAt>) => number): Quantity => ({
  unit,
  valueAt: ({ place, time, solar }) => rounded(value(airAt(place.key, time + solar))),
});

/** A gas that the model has in ppm, of which one is so many μg/m³. */
const ofGas = (gas: keyof ReturnType<typeof airAt>, perPpm: number): Quantity =>
  ofAir('μg/m³', (air) => air[gas] * perPpm);

const AIR_QUANTITIES: Quantities = {
  european_aqi: ofAir('EAQI', ({ pm25 }) => Math.round(pm25 * 2)),
  us_aqi: ofAir('USAQI', ({ pm25 }) => Math.round(pm25 * 3.4)),
  pm10: ofAir('μg/m³', ({ pm10 }) => pm10),
  pm2_5: ofAir('μg/m³', ({ pm25 }) => pm25),
  carbon_monoxide: ofGas('carbonMonoxide', 1145),
  nitrogen_dioxide: ofGas('nitrogenDioxide', 1880),
  sulphur_dioxide: ofGas('sulphurDioxide', 2620),
  ozone: ofGas('ozone', 1960),
  aerosol_optical_depth: ofAir('', ({ pm25 }) => pm25 / 90),
  dust: ofAir('μg/m³', ({ pm10 }) => pm10 / 10),
  uv_index: {
    unit: '',
    valueAt: (moment) => rounded(9 * sunAt(moment) * between(0.6, 0.9, moment.place.key), 2),
  },
  uv_index_clear_sky: { unit: '', valueAt: (moment) => rounded(9 * sunAt(moment), 2) },
};

/** The zone that a request names; `auto` means that of Korea within Korea, and GMT elsewhere. Undefined if it is none. */
function zoneOf(asked: string, latitude: number, longitude: number, nowMs: number) {
  const local = isInKorea(latitude, longitude) ? 'Asia/Seoul' : 'GMT';
  const timeZone = asked === 'auto' ? local : asked || 'GMT';
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const part = format.formatToParts(nowMs).find(({ type }) => type === 'timeZoneName');
    const [, sign = '+', hours = '0', minutes = '0'] =
      /GMT([+-])(\d+):(\d+)/.exec(part?.value ?? '') ?? [];
    const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
    const fraction = Number(minutes) > 0 ? `:${minutes}` : '';
    return {
      timezone: timeZone,
      timezone_abbreviation: seconds === 0 ? 'GMT' : `GMT${sign}${Number(hours)}${fraction}`,
      utc_offset_seconds: sign === '-' ? -seconds : seconds,
    };
  } catch {
    return undefined;
  }
}

/** Where and when a request asks; undefined in an unknown zone. */
function readAsked({ tool, text, number, now: korean }: Question) {
  const [latitude, longitude] = [number('latitude') ?? 0, number('longitude') ?? 0];
  const zone = zoneOf(text('timezone'), latitude, longitude, unixTime(korean));
  if (!zone) return undefined;
  const offset = zone.utc_offset_seconds * 1000;
  return {
    place: { key: `${tool}:${latitude}:${longitude}`, latitude, longitude },
    zone,
    units: unitsOf(text),
    /** The present on the clocks of the zone. */
    now: unixTime(korean) + offset,
    /** The weather follows the sun rather than the clocks of the zone. */
    solar: longitude * (DAY / 360) - offset,
  };
}
type Asked = NonNullable<ReturnType<typeof readAsked>>;

/** Days of one response. */
const MAX_DAYS = 400;

/** The asked days on the clocks of the zone: those of a range, or those around today. */
function daysOf({ time, number }: Question, { now }: Asked, defaultDays: number): number[] {
  const today = startOfDay(now);
  const [from, to] = [time('start_date'), time('end_date')];
  const days =
    from !== undefined && to !== undefined
      ? daysBetween(from, to)
      : daysBetween(
          now - (number('past_days') ?? 0) * DAY,
          today + ((number('forecast_days') ?? defaultDays) - 1) * DAY,
        );
  return days.slice(0, MAX_DAYS);
}

const MINUTES = 'YYYY-MM-DDTHH:mm';

/** The asked quantities of a part of a response, with a list of values for each; undefined if none was asked for. */
function partOf(
  names: readonly string[],
  { place, solar, units }: Asked,
  quantities: Quantities,
  { times, format = MINUTES }: { readonly times: readonly number[]; readonly format?: string },
): { units: JsonObject; values: Readonly<Record<string, readonly unknown[]>> } | undefined {
  const asked = names.flatMap((name) => {
    const quantity = Object.hasOwn(quantities, name) ? quantities[name] : undefined;
    return quantity ? [[name, quantity] as const] : [];
  });
  if (asked.length === 0) return undefined;
  return {
    units: Object.fromEntries([
      ['time', 'iso8601'],
      ...asked.map(([name, { unit }]) => [name, units.get(unit)?.[0] ?? unit]),
    ]),
    values: Object.fromEntries([
      ['time', times.map((time) => printTime(time, format))],
      ...asked.map(([name, { valueAt }]) => [
        name,
        times.map((time) => valueAt({ place, time, solar, units })),
      ]),
    ]),
  };
}

const refused = (reason: string) => jsonResponse({ error: true, reason }, 400);

/** A rule for one object of parallel arrays; the parts that were not asked for are absent. */
const parallelArrays = (
  quantities: Quantities,
  {
    defaultDays,
    interval,
    daily = {},
  }: { defaultDays: number; interval: number; daily?: Quantities },
): AnswerRule => ({
  refuse(question) {
    for (const [name, most] of [['latitude', 90] as const, ['longitude', 180] as const]) {
      const asked = question.number(name);
      if (asked === undefined || Math.abs(asked) > most) return refused(`Invalid ${name}.`);
    }
    return readAsked(question) ? undefined : refused('Invalid timezone');
  },
  whole(question, sample) {
    const asked = readAsked(question);
    if (!asked) return undefined;
    const { latitude, longitude } = asked.place;
    const days = daysOf(question, asked, defaultDays);
    const hours = days.flatMap((day) => timesBetween(day, day + 23 * HOUR, HOUR));
    const present = Math.floor(asked.now / interval) * interval;
    const current = partOf(question.list('current'), asked, quantities, { times: [present] });
    const hourly = partOf(question.list('hourly'), asked, quantities, { times: hours });
    const perDay = partOf(question.list('daily'), asked, daily, {
      times: days,
      format: 'YYYY-MM-DD',
    });
    return {
      ...Object.fromEntries(
        Object.entries(sample).filter(([name]) => !/^(current|hourly|daily)/.test(name)),
      ),
      latitude: Math.round(latitude * 20) / 20,
      longitude: Math.round(longitude * 20) / 20,
      ...asked.zone,
      elevation: whole(5, 120, latitude, longitude),
      ...(current && {
        current_units: { ...current.units, interval: 'seconds' },
        current: { time: '', interval: interval / 1000, ...firstOf(current.values) },
      }),
      ...(hourly && { hourly_units: hourly.units, hourly: hourly.values }),
      ...(perDay && { daily_units: perDay.units, daily: perDay.values }),
    };
  },
});

const firstOf = (values: Readonly<Record<string, readonly unknown[]>>): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value]));

/** The world's weather and air quality. */
export const OPEN_METEO: AnswerRules = {
  openmeteo_forecast: parallelArrays(WEATHER_QUANTITIES, {
    defaultDays: 7,
    interval: HOUR / 4,
    daily: DAILY_QUANTITIES,
  }),
  openmeteo_air_quality: parallelArrays(AIR_QUANTITIES, { defaultDays: 5, interval: HOUR }),
};
