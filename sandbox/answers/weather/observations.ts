import { HOUR, type KoreanTime, startOfDay } from '../../../src/public-data/korean-time.ts';
import { observatories, type Place } from '../../places.ts';
import { type AnswerRule, type AnswerRules, type Row, repeated, words } from '../answer-rule.ts';
import type { Question } from '../question.ts';
import { daysBetween, printTime, timesBetween } from '../times.ts';
import { sunshineAt, type Weather, weatherAt, weatherOfDay } from './weather-model.ts';

const fixed = (value: number): string => (value + 0).toFixed(1);

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

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
const observed = (
  timesOf: (question: Question) => KoreanTime[],
  rowOf: (station: Place, time: KoreanTime, index: number) => Row,
): AnswerRule => ({
  rows(question) {
    const station = observatories().find(({ code }) => code === question.text('stnIds'));
    if (!station) return undefined;
    const times = timesOf(question).filter((time) => time < startOfDay(question.now));
    return repeated(times.length, (index) => ({
      stnId: station.code,
      stnNm: station.name,
      ...rowOf(station, times[index] ?? 0, index),
    }));
  },
});

function hourlyRow(station: Place, time: KoreanTime, index: number): Row {
  const weather = weatherAt(placeOf(station), time);
  const { temperature, cloud, humidity } = weather;
  const sun = sunshineAt(station, time);
  const ground = temperature + (sun > 0 ? 4 : -2);
  return {
    tm: printTime(time, 'YYYY-MM-DD HH:mm'),
    rnum: String(index + 1),
    ta: fixed(temperature),
    rn: rainText(weather.rain),
    ws: fixed(weather.windSpeed),
    wd: sixteenth(weather.windDirection),
    hm: String(humidity),
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
    vs: String(Math.round(2500 - 1800 * (humidity / 100))),
    ts: fixed(ground),
    m005Te: fixed(temperature + 0.5),
    m01Te: fixed(temperature + 0.8),
    m02Te: fixed(temperature + 1),
    m03Te: fixed(temperature + 1.4),
  };
}

/** What a day's hours say of each other. */
function observedDay(station: Place, time: KoreanTime) {
  const hours = weatherOfDay(placeOf(station), time);
  return {
    hours,
    /** Those at which the sun is up. */
    daylight: hours.filter((_, hour) => sunshineAt(station, time + hour * HOUR) > 0).length,
    mean: (value: (weather: Weather) => number): number => sumOf(hours.map(value)) / hours.length,
    /** The lowest and the highest value, and the hours at which they occur, as HHMM. */
    extremes(value: (weather: Weather) => number) {
      const values = hours.map(value);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const [lowAt, highAt] = [low, high].map(
        (each) => `${String(values.indexOf(each)).padStart(2, '0')}00`,
      );
      return { low, high, lowAt, highAt };
    },
  };
}
type ObservedDay = ReturnType<typeof observedDay>;

function airColumns({ mean, extremes }: ObservedDay): Row {
  const air = extremes(({ temperature }) => temperature);
  const damp = extremes(({ humidity }) => humidity);
  const sea = extremes(pressure);
  return {
    avgTa: fixed(mean(({ temperature }) => temperature)),
    minTa: fixed(air.low),
    minTaHrmt: air.lowAt,
    maxTa: fixed(air.high),
    maxTaHrmt: air.highAt,
    minTg: fixed(air.low - 3),
    avgTd: fixed(mean(dewPoint)),
    minRhm: String(damp.low),
    minRhmHrmt: damp.lowAt,
    avgRhm: fixed(mean(({ humidity }) => humidity)),
    avgPv: fixed(mean(vapourPressure)),
    avgPa: fixed(mean(pressure) - 10),
    maxPs: fixed(sea.high),
    maxPsHrmt: sea.highAt,
    minPs: fixed(sea.low),
    minPsHrmt: sea.lowAt,
    avgPs: fixed(mean(pressure)),
  };
}

function rainColumns({ hours, extremes }: ObservedDay): Row {
  const most = extremes(({ rain }) => rain);
  const wet = hours.filter(({ rain }) => rain > 0).length;
  return {
    hr1MaxRn: rainText(most.high),
    hr1MaxRnHrmt: wet > 0 ? most.highAt : '',
    sumRnDur: wet > 0 ? fixed(wet) : '',
    sumRn: rainText(sumOf(hours.map(({ rain }) => rain))),
  };
}

function windColumns({ hours, mean, extremes }: ObservedDay): Row {
  const { high, highAt } = extremes(({ windSpeed }) => windSpeed);
  const direction = sixteenth(hours[Number(highAt?.slice(0, 2))]?.windDirection ?? 0);
  const speed = mean(({ windSpeed }) => windSpeed);
  return {
    maxInsWs: fixed(high * 1.6),
    maxInsWsWd: direction,
    maxInsWsHrmt: highAt,
    maxWs: fixed(high),
    maxWsWd: direction,
    maxWsHrmt: highAt,
    maxWd: direction,
    avgWs: fixed(speed),
    // Unit: 100 m in a day.
    hr24SumRws: String(Math.round(speed * 864)),
  };
}

function sunColumns({ daylight, mean }: ObservedDay): Row {
  const clouds = mean(({ cloud }) => cloud);
  return {
    ssDur: fixed(daylight),
    sumSsHr: fixed(daylight * (1 - clouds)),
    sumGsr: (daylight * (1 - 0.7 * clouds) * 1.7).toFixed(2),
    avgTca: fixed(clouds * 10),
    avgLmac: fixed(clouds * 8),
  };
}

/** From the surface down to 5 m. */
const SOIL = words(
  'avgTs avgCm5Te avgCm10Te avgCm20Te avgCm30Te avgM05Te avgM10Te avgM15Te avgM30Te avgM50Te',
);
/** Deep in the soil it is as warm as the year is on average, °C. */
const DEEP = 14;

function soilColumns({ mean }: ObservedDay): Row {
  const surface = mean(({ temperature }) => temperature) + 0.5;
  const at = (depth: number): number => surface + (DEEP - surface) * (depth / SOIL.length);
  return Object.fromEntries(SOIL.map((column, depth) => [column, fixed(at(depth))]));
}

function dailyRow(station: Place, time: KoreanTime): Row {
  const day = observedDay(station, time);
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
  kma_asos_hourly: observed(
    ({ time, number, now }) =>
      timesBetween(
        (time('startDt') ?? now) + (number('startHh') ?? 0) * HOUR,
        (time('endDt') ?? now) + (number('endHh') ?? 23) * HOUR,
        HOUR,
      ),
    hourlyRow,
  ),
  kma_asos_daily: observed(
    ({ time, now }) => daysBetween(time('startDt') ?? now, time('endDt') ?? now),
    dailyRow,
  ),
};
