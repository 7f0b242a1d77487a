import { DAY, HOUR } from '../../../public-data/korean-time.ts';
import { between } from '../noise.ts';
import { printTime, timesBetween } from '../times.ts';
import { type Air, airAt } from './air-model.ts';
import { halfDay, sunshineAt } from './sun.ts';
import { type Weather, weatherAt } from './weather-model.ts';

/** The units that a request chose. */
export interface QuantityUnits {
  readonly temperature: string;
  readonly wind: string;
  readonly precipitation: string;
}

/** The place and the time of a value. */
export interface Moment {
  readonly place: { readonly key: string; readonly latitude: number; readonly longitude: number };
  /** On the clocks of the zone. */
  readonly time: number;
  /** From those clocks to the sun's time at the place. */
  readonly solar: number;
  readonly units: QuantityUnits;
}

interface Quantity {
  readonly unit: (units: QuantityUnits) => string;
  readonly valueAt: (moment: Moment) => unknown;
}

export type Quantities = Readonly<Record<string, Quantity>>;

const rounded = (value: number, decimals = 1): number => Number(value.toFixed(decimals));

const WIND_UNITS: ReadonlyMap<string, readonly [string, number]> = new Map([
  ['kmh', ['km/h', 3.6]],
  ['ms', ['m/s', 1]],
  ['mph', ['mp/h', 2.237]],
  ['kn', ['kn', 1.944]],
]);
const MM_PER_INCH = 25.4;

const temperature = (celsius: number, units: QuantityUnits): number =>
  rounded(units.temperature === 'fahrenheit' ? celsius * 1.8 + 32 : celsius);
const wind = (metresPerSecond: number, { wind: unit }: QuantityUnits): number =>
  rounded(metresPerSecond * (WIND_UNITS.get(unit)?.[1] ?? 3.6));
const water = (millimetres: number, { precipitation }: QuantityUnits): number =>
  precipitation === 'inch' ? rounded(millimetres / MM_PER_INCH, 3) : rounded(millimetres);

const degrees = (units: QuantityUnits) => (units.temperature === 'fahrenheit' ? '°F' : '°C');
const speed = ({ wind: unit }: QuantityUnits) => WIND_UNITS.get(unit)?.[0] ?? 'km/h';
const depth = ({ precipitation }: QuantityUnits) => (precipitation === 'inch' ? 'inch' : 'mm');
const always = (unit: string) => () => unit;

/** Of the weather at a moment, and of the sun's strength there. */
type OfWeather = (weather: Weather, units: QuantityUnits, sun: number) => unknown;

const sunAt = ({ place, time, solar }: Moment): number =>
  sunshineAt({ latitude: place.latitude, longitude: 135 }, time + solar);

const hourly = (unit: Quantity['unit'], value: OfWeather): Quantity => ({
  unit,
  valueAt: (moment) =>
    value(weatherAt(moment.place, moment.time + moment.solar), moment.units, sunAt(moment)),
});

const felt = ({ temperature: air, windSpeed, humidity }: Weather): number =>
  air - 0.6 * windSpeed + 0.02 * (humidity - 50);

function weatherCode({ rain, cloud, temperature: air }: Weather): number {
  if (rain > 0) return air > 1 ? 61 : 71;
  return [0, 1, 2, 3][Math.min(3, Math.floor(cloud * 4.5))] ?? 3;
}

const isWarm = ({ temperature: air }: Weather): boolean => air > 1;

export const WEATHER_QUANTITIES: Quantities = {
  temperature_2m: hourly(degrees, (weather, units) => temperature(weather.temperature, units)),
  relative_humidity_2m: hourly(always('%'), ({ humidity }) => humidity),
  dew_point_2m: hourly(degrees, (weather, units) =>
    temperature(weather.temperature - (100 - weather.humidity) / 5, units),
  ),
  apparent_temperature: hourly(degrees, (weather, units) => temperature(felt(weather), units)),
  is_day: hourly(always(''), (_weather, _units, sun) => (sun > 0 ? 1 : 0)),
  precipitation_probability: hourly(always('%'), ({ cloud, rain }) =>
    rain > 0 ? 75 : Math.round(cloud * 50),
  ),
  precipitation: hourly(depth, ({ rain }, units) => water(rain, units)),
  rain: hourly(depth, (weather, units) => water(isWarm(weather) ? weather.rain : 0, units)),
  showers: hourly(depth, () => 0),
  snowfall: hourly(always('cm'), (weather) => (isWarm(weather) ? 0 : weather.rain)),
  snow_depth: hourly(always('m'), () => 0),
  weather_code: hourly(always('wmo code'), weatherCode),
  cloud_cover: hourly(always('%'), ({ cloud }) => Math.round(cloud * 100)),
  visibility: hourly(always('m'), ({ humidity }) => 40_000 - humidity * 320),
  pressure_msl: hourly(always('hPa'), ({ cloud }) => rounded(1026 - 16 * cloud)),
  surface_pressure: hourly(always('hPa'), ({ cloud }) => rounded(1019 - 16 * cloud)),
  wind_speed_10m: hourly(speed, ({ windSpeed }, units) => wind(windSpeed, units)),
  wind_direction_10m: hourly(always('°'), ({ windDirection }) => windDirection),
  wind_gusts_10m: hourly(speed, ({ windSpeed }, units) => wind(windSpeed * 1.8, units)),
  uv_index: hourly(always(''), ({ cloud }, _units, sun) => rounded(11 * sun * (1 - cloud / 2), 2)),
  sunshine_duration: hourly(always('s'), ({ cloud }, _units, sun) =>
    sun > 0 ? Math.round(3600 * (1 - cloud)) : 0,
  ),
  shortwave_radiation: hourly(always('W/m²'), ({ cloud }, _units, sun) =>
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
  unit: (units) => WEATHER_QUANTITIES[name]?.unit(units) ?? '',
  valueAt: (moment) => rounded(combine(hoursOf(moment, name)), 3),
});

const highest = (values: readonly number[]): number => Math.max(...values);
const lowest = (values: readonly number[]): number => Math.min(...values);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

const daylight = (moment: Moment): number =>
  2 * halfDay({ ...moment.place, longitude: 135 }, moment.time);
const noon = ({ time, solar }: Moment): number => time + DAY / 2 - solar;
const sunEdge = (direction: number): Quantity => ({
  unit: always('iso8601'),
  valueAt: (moment) =>
    printTime(noon(moment) + (direction * daylight(moment)) / 2, 'YYYY-MM-DDTHH:mm'),
});

export const DAILY_QUANTITIES: Quantities = {
  weather_code: ofHours('weather_code', highest),
  temperature_2m_max: ofHours('temperature_2m', highest),
  temperature_2m_min: ofHours('temperature_2m', lowest),
  apparent_temperature_max: ofHours('apparent_temperature', highest),
  apparent_temperature_min: ofHours('apparent_temperature', lowest),
  sunrise: sunEdge(-1),
  sunset: sunEdge(1),
  daylight_duration: {
    unit: always('s'),
    valueAt: (moment) => rounded(daylight(moment) / 1000, 2),
  },
  sunshine_duration: ofHours('sunshine_duration', sum),
  uv_index_max: ofHours('uv_index', highest),
  rain_sum: ofHours('rain', sum),
  showers_sum: ofHours('showers', sum),
  snowfall_sum: ofHours('snowfall', sum),
  precipitation_sum: ofHours('precipitation', sum),
  precipitation_hours: {
    unit: always('h'),
    valueAt: (moment) => hoursOf(moment, 'precipitation').filter((value) => value > 0).length,
  },
  precipitation_probability_max: ofHours('precipitation_probability', highest),
  wind_speed_10m_max: ofHours('wind_speed_10m', highest),
  wind_gusts_10m_max: ofHours('wind_gusts_10m', highest),
  wind_direction_10m_dominant: ofHours('wind_direction_10m', ([first = 0]) => first),
  shortwave_radiation_sum: {
    unit: always('MJ/m²'),
    valueAt: (moment) => rounded(sum(hoursOf(moment, 'shortwave_radiation')) * 0.0036, 2),
  },
};

const MICROGRAMS = always('μg/m³');
/** μg/m³ for 1 ppm. */
const OZONE = 1960;
const NITROGEN_DIOXIDE = 1880;
const CARBON_MONOXIDE = 1145;
const SULPHUR_DIOXIDE = 2620;

const ofAir = (unit: Quantity['unit'], value: (air: Air) => number): Quantity => ({
  unit,
  valueAt: ({ place, time, solar }) => rounded(value(airAt(place.key, time + solar))),
});

export const AIR_QUANTITIES: Quantities = {
  european_aqi: ofAir(always('EAQI'), ({ pm25 }) => Math.round(pm25 * 2)),
  us_aqi: ofAir(always('USAQI'), ({ pm25 }) => Math.round(pm25 * 3.4)),
  pm10: ofAir(MICROGRAMS, ({ pm10 }) => pm10),
  pm2_5: ofAir(MICROGRAMS, ({ pm25 }) => pm25),
  carbon_monoxide: ofAir(MICROGRAMS, ({ carbonMonoxide }) => carbonMonoxide * CARBON_MONOXIDE),
  nitrogen_dioxide: ofAir(MICROGRAMS, ({ nitrogenDioxide }) => nitrogenDioxide * NITROGEN_DIOXIDE),
  sulphur_dioxide: ofAir(MICROGRAMS, ({ sulphurDioxide }) => sulphurDioxide * SULPHUR_DIOXIDE),
  ozone: ofAir(MICROGRAMS, ({ ozone }) => ozone * OZONE),
  aerosol_optical_depth: ofAir(always(''), ({ pm25 }) => pm25 / 90),
  dust: ofAir(MICROGRAMS, ({ pm10 }) => pm10 / 10),
  uv_index: {
    unit: always(''),
    valueAt: (moment) => rounded(9 * sunAt(moment) * between(0.6, 0.9, moment.place.key), 2),
  },
  uv_index_clear_sky: { unit: always(''), valueAt: (moment) => rounded(9 * sunAt(moment), 2) },
};
