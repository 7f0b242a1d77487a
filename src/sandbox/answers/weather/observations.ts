import { HOUR, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import { observatories, type Place } from '../../facts/places.ts';
import type { AnswerRules } from '../answer-rule.ts';
import type { Question } from '../question.ts';
import { NO_ROWS, type Row, type Rows, repeated } from '../rows.ts';
import { daysBetween, printTime, timesBetween } from '../times.ts';
import { sunshineAt } from './sun.ts';
import { type Weather, weatherAt, weatherOfDay } from './weather-model.ts';

const fixed = (value: number): string => (value + 0).toFixed(1);

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const placeOf = ({ code, latitude }: Place) => ({ key: `station:${code}`, latitude });

/** °C, after Magnus. */
function dewPoint({ temperature, humidity }: Weather): number {
  const gamma = Math.log(humidity / 100) + (17.6 * temperature) / (243 + temperature);
  return (243 * gamma) / (17.6 - gamma);
}

/** hPa, after Magnus. */
const vapourPressure = (weather: Weather): number =>
  6.11 * Math.exp((17.6 * dewPoint(weather)) / (243 + dewPoint(weather)));

/** hPa at sea level. */
const pressure = ({ cloud }: Weather): number => 1026 - 16 * cloud;

/** One of sixteen compass points, in degrees rounded to tens. */
const sixteenth = (degrees: number): string =>
  String(Math.round(((Math.round(degrees / 22.5) % 16) * 22.5) / 10) * 10 || 360);

const rainText = (rain: number): string => (rain === 0 ? '' : fixed(rain));

/** A rule for one row per time at the asked station; the observations end with yesterday. */
function observed(timesOf: (question: Question) => KoreanTime[], rowOf: typeof hourlyRow) {
  return (question: Question): Rows => {
    const station = observatories().find(({ code }) => code === question.text('stnIds'));
    if (!station) return NO_ROWS;
    const times = timesOf(question).filter((time) => time < startOfDay(question.now));
    return repeated(times.length, (index) => ({
      stnId: station.code,
      stnNm: station.name,
      ...rowOf(station, times[index] ?? 0, index),
    }));
  };
}

const hoursOf = (question: Question): KoreanTime[] =>
  timesBetween(
    (question.time('startDt') ?? question.now) + (question.number('startHh') ?? 0) * HOUR,
    (question.time('endDt') ?? question.now) + (question.number('endHh') ?? 23) * HOUR,
    HOUR,
  );

const daysOf = (question: Question): KoreanTime[] =>
  daysBetween(question.time('startDt') ?? question.now, question.time('endDt') ?? question.now);

function hourlyRow(station: Place, time: KoreanTime, index: number): Row {
  const weather = weatherAt(placeOf(station), time);
  const { temperature, cloud, rain } = weather;
  const sun = sunshineAt(station, time);
  const ground = temperature + (sun > 0 ? 4 : -2);
  return {
    tm: printTime(time, 'YYYY-MM-DD HH:mm'),
    rnum: String(index + 1),
    ta: fixed(temperature),
    rn: rainText(rain),
    ws: fixed(weather.windSpeed),
    wd: sixteenth(weather.windDirection),
    hm: String(weather.humidity),
    pv: fixed(vapourPressure(weather)),
    td: fixed(dewPoint(weather)),
    pa: fixed(pressure(weather) - 10),
    ps: fixed(pressure(weather)),
    ss: sun > 0 ? fixed(1 - cloud) : '',
    ssQcflg: sun > 0 ? '' : '9',
    icsr: sun > 0 ? (sun * (1 - 0.7 * cloud) * 3.2).toFixed(2) : '',
    dc10Tca: String(Math.round(cloud * 10)),
    dc10LmcsCa: String(Math.round(cloud * 8)),
    lcsCh: cloud > 0.3 ? String(Math.round(20 - 14 * cloud)) : '',
    vs: String(Math.round(2500 - 1800 * (weather.humidity / 100))),
    ts: fixed(ground),
    m005Te: fixed(temperature + 0.5),
    m01Te: fixed(temperature + 0.8),
    m02Te: fixed(temperature + 1),
    m03Te: fixed(temperature + 1.4),
  };
}

/** The place in a day of its lowest or highest value: an hour as HHMM. */
const clockOf = (values: readonly number[], value: number): string =>
  `${String(values.indexOf(value)).padStart(2, '0')}00`;

function extremes(values: readonly number[]) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { low, high, lowAt: clockOf(values, low), highAt: clockOf(values, high) };
}

/** What a day's hours say of each other. */
interface ObservedDay {
  readonly station: Place;
  readonly day: KoreanTime;
  readonly hours: readonly Weather[];
}

const meanOf = ({ hours }: ObservedDay, value: (weather: Weather) => number): number =>
  average(hours.map(value));

const extremesOf = ({ hours }: ObservedDay, value: (weather: Weather) => number) =>
  extremes(hours.map(value));

function airColumns(day: ObservedDay): Row {
  const air = extremesOf(day, ({ temperature }) => temperature);
  const humidity = extremesOf(day, (weather) => weather.humidity);
  const sea = extremesOf(day, pressure);
  return {
    avgTa: fixed(meanOf(day, ({ temperature }) => temperature)),
    minTa: fixed(air.low),
    minTaHrmt: air.lowAt,
    maxTa: fixed(air.high),
    maxTaHrmt: air.highAt,
    minTg: fixed(air.low - 3),
    avgTd: fixed(meanOf(day, dewPoint)),
    minRhm: String(humidity.low),
    minRhmHrmt: humidity.lowAt,
    avgRhm: fixed(meanOf(day, (weather) => weather.humidity)),
    avgPv: fixed(meanOf(day, vapourPressure)),
    avgPa: fixed(meanOf(day, pressure) - 10),
    maxPs: fixed(sea.high),
    maxPsHrmt: sea.highAt,
    minPs: fixed(sea.low),
    minPsHrmt: sea.lowAt,
    avgPs: fixed(meanOf(day, pressure)),
  };
}

function rainColumns(day: ObservedDay): Row {
  const rain = extremesOf(day, (weather) => weather.rain);
  const wet = day.hours.filter((weather) => weather.rain > 0).length;
  return {
    hr1MaxRn: rainText(rain.high),
    hr1MaxRnHrmt: wet > 0 ? rain.highAt : '',
    sumRnDur: wet > 0 ? fixed(wet) : '',
    sumRn: rainText(day.hours.reduce((sum, weather) => sum + weather.rain, 0)),
  };
}

function windColumns(day: ObservedDay): Row {
  const wind = extremesOf(day, ({ windSpeed }) => windSpeed);
  const direction = sixteenth(day.hours[Number(wind.highAt.slice(0, 2))]?.windDirection ?? 0);
  const mean = meanOf(day, ({ windSpeed }) => windSpeed);
  return {
    maxInsWs: fixed(wind.high * 1.6),
    maxInsWsWd: direction,
    maxInsWsHrmt: wind.highAt,
    maxWs: fixed(wind.high),
    maxWsWd: direction,
    maxWsHrmt: wind.highAt,
    maxWd: direction,
    avgWs: fixed(mean),
    // Unit: 100 m in a day.
    hr24SumRws: String(Math.round(mean * 864)),
  };
}

function sunColumns(observed: ObservedDay): Row {
  const { station, day, hours } = observed;
  const cloud = meanOf(observed, (weather) => weather.cloud);
  const daylight = hours.filter((_, hour) => sunshineAt(station, day + hour * HOUR) > 0).length;
  return {
    ssDur: fixed(daylight),
    sumSsHr: fixed(daylight * (1 - cloud)),
    sumGsr: (daylight * (1 - 0.7 * cloud) * 1.7).toFixed(2),
    avgTca: fixed(cloud * 10),
    avgLmac: fixed(cloud * 8),
  };
}

/** From the surface down to 5 m. */
const SOIL =
  'avgTs avgCm5Te avgCm10Te avgCm20Te avgCm30Te avgM05Te avgM10Te avgM15Te avgM30Te avgM50Te'.split(
    ' ',
  );
/** Deep in the soil it is as warm as the year is on average, °C. */
const DEEP = 14;

function soilColumns(day: ObservedDay): Row {
  const surface = meanOf(day, ({ temperature }) => temperature) + 0.5;
  return Object.fromEntries(
    SOIL.map((column, depth) => [
      column,
      fixed(surface + (DEEP - surface) * (depth / SOIL.length)),
    ]),
  );
}

function dailyRow(station: Place, time: KoreanTime): Row {
  const day = { station, day: time, hours: weatherOfDay(placeOf(station), time) };
  return {
    tm: printTime(time, 'YYYY-MM-DD'),
    ...airColumns(day),
    ...rainColumns(day),
    ...windColumns(day),
    ...sunColumns(day),
    ...soilColumns(day),
  };
}

/** What the stations of the weather agency observed, until yesterday. */
export const OBSERVATIONS: AnswerRules = {
  kma_asos_hourly: { rows: observed(hoursOf, hourlyRow) },
  kma_asos_daily: { rows: observed(daysOf, dailyRow) },
};
