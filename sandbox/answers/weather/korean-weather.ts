import { DAY, HOUR, type KoreanTime, startOfDay } from '../../../src/public-data/korean-time.ts';
import { readCodes } from '../../tables.ts';
import { type Special, type Specials, words } from '../form.ts';
import type { Question } from '../question.ts';
import type { Row } from '../sample-format.ts';
import { hourOf, printTime, readTime, timesBetween } from '../times.ts';
import {
  temperaturesOfDay,
  type Weather,
  type WeatherPlace,
  weatherAt,
  weatherOfDay,
} from './weather-model.ts';

/** The grid's row 136 is at 38°, and a row (5 km) is 0.045°. */
const gridPlace = ({ text, number }: Question): WeatherPlace => ({
  key: `grid:${text('nx')}:${text('ny')}`,
  latitude: 38 + ((number('ny') ?? 136) - 136) * 0.045,
});

const amountText = (amount: number, unit: string, none: string, small: string): string => {
  if (amount === 0) return none;
  return amount < 1 ? small : `${amount.toFixed(1)}${unit}`;
};

const fixed = (value: number): string => (Math.round(value * 10) / 10 + 0).toFixed(1);

/** The value of every category of the forecasts and the observations. */
function quantities(weather: Weather): Readonly<Record<string, string>> {
  const { temperature, rain, cloud, humidity, windSpeed, windDirection } = weather;
  const angle = (windDirection * Math.PI) / 180;
  const [rainfall, snowfall] = temperature > 1 ? [rain, 0] : [0, rain];
  const TMP = String(Math.round(temperature));
  const PCP = amountText(rainfall, 'mm', '강수없음', '1mm 미만');
  return {
    ...{ TMP, T1H: TMP, PCP, RN1: PCP, WAV: '0', LGT: '0', REH: String(humidity) },
    SNO: amountText(snowfall, 'cm', '적설없음', '0.5cm 미만'),
    UUU: fixed(-windSpeed * Math.sin(angle)),
    VVV: fixed(-windSpeed * Math.cos(angle)),
    VEC: String(windDirection),
    WSD: fixed(windSpeed),
    // 1 clear, 3 mostly cloudy, 4 overcast.
    SKY: cloud > 0.75 ? '4' : cloud > 0.45 ? '3' : '1',
    // 0 none, 1 rain, 3 snow.
    PTY: rainfall > 0 ? '1' : snowfall > 0 ? '3' : '0',
    POP: String(rain > 0 ? 70 : Math.round(cloud * 6) * 10),
  };
}

/** A day's lowest temperature is forecast for 06:00, its highest for 15:00. */
function extremesAt(place: WeatherPlace, time: KoreanTime): Readonly<Record<string, string>> {
  const { low, high } = temperaturesOfDay(place, time);
  if (hourOf(time) === 6) return { TMN: Math.round(low).toFixed(1) };
  return hourOf(time) === 15 ? { TMX: Math.round(high).toFixed(1) } : {};
}

/** An issue on the grid: a row for each category at each time. */
const gridIssue = (
  timesOf: (issue: KoreanTime) => readonly KoreanTime[],
  categories: string,
  more: typeof extremesAt = () => ({}),
): Special => ({
  things: (question) => {
    const issue = readTime(question.text('base_date') + question.text('base_time')) ?? 0;
    const place = gridPlace(question);
    return timesOf(issue).flatMap((time, index) => {
      const values = quantities(weatherAt(place, time));
      const named = words(categories).map((category) => [category, values[category]]);
      const extremes = index > 0 ? Object.entries(more(place, time)) : [];
      const [fcstDate, fcstTime] = [printTime(time, 'YYYYMMDD'), printTime(time, 'HHmm')];
      return [...named, ...extremes].map(([category, fcstValue]) => ({
        ...{ category, fcstDate, fcstTime, fcstValue },
      }));
    });
  },
});

function nowcast(question: Question): Row[] {
  const issue = readTime(question.text('base_date') + question.text('base_time')) ?? 0;
  const weather = weatherAt(gridPlace(question), issue);
  const RN1 = weather.rain === 0 ? '0' : fixed(weather.rain);
  const values = { ...quantities(weather), T1H: fixed(weather.temperature), RN1 };
  return words('T1H RN1 UUU VVV WSD REH PTY VEC').map((category) => ({
    category,
    obsrValue: Object(values)[category],
  }));
}

const regionPlace = ({ text }: Question) => ({ key: `region:${text('regId')}`, latitude: 36.5 });

/** Probability of rain (`rnSt`) and sky (`wf`), for half days until day 7 and for whole days after it. */
function midLand(_row: Row, issue: KoreanTime, question: Question): Row {
  const columns = words('4Am 4Pm 5Am 5Pm 6Am 6Pm 7Am 7Pm 8 9 10').map((part) => {
    const hour = { A: 9, P: 15 }[part[1] ?? ''] ?? 12;
    const time = startOfDay(issue) + Number.parseInt(part, 10) * DAY + hour * HOUR;
    const rain = Math.round(weatherAt(regionPlace(question), time).cloud * 8) * 10;
    const sky = ['맑음', '구름많음', '흐림', '흐리고 비'][Math.min(3, Math.floor(rain / 20))];
    return { [`rnSt${part}`]: rain, [`wf${part}`]: sky };
  });
  return Object.assign({}, ...columns);
}

function midTemperature(_row: Row, issue: KoreanTime, question: Question): Row {
  const columns = [4, 5, 6, 7, 8, 9, 10].map((ahead) => {
    const { low, high } = temperaturesOfDay(regionPlace(question), issue + ahead * DAY);
    return { [`taMin${ahead}`]: Math.round(low), [`taMax${ahead}`]: Math.round(high) };
  });
  return Object.assign({}, ...columns);
}

const placeOf = ({ stnId }: Row): WeatherPlace => {
  const station = readCodes('asos-stations').find(([code]) => code === stnId);
  return { key: `station:${stnId}`, latitude: Number(station?.[3] ?? 37) };
};

const dewPoint = ({ temperature, humidity }: Weather): number => temperature - (100 - humidity) / 5;

const rainText = (rain: number): string => (rain === 0 ? '' : fixed(rain));

function hourlyRow(row: Row, time: KoreanTime): Row {
  const weather = weatherAt(placeOf(row), time);
  const { temperature, cloud, humidity, rain, windSpeed, windDirection } = weather;
  return {
    ...{ ta: fixed(temperature), td: fixed(dewPoint(weather)), hm: String(humidity) },
    ...{ rn: rainText(rain), ws: fixed(windSpeed), wd: String(windDirection) },
    ...{ dc10Tca: String(Math.round(cloud * 10)), dc10LmcsCa: String(Math.round(cloud * 8)) },
  };
}

type Value = (hour: Weather) => number;

/** What the hours of the day say: means, and extremes with the hours at which they occur. */
function dailyRow(row: Row, day: KoreanTime): Row {
  const hours = weatherOfDay(placeOf(row), day);
  const sumOf = (value: Value): number => hours.reduce((sum, hour) => sum + value(hour), 0);
  const mean = (value: Value): string => fixed(sumOf(value) / hours.length);
  const extreme = (column: string, pick: typeof Math.max, value: Value): Row => {
    const found = pick(...hours.map(value));
    const hour = hours.findIndex((each) => value(each) === found);
    const isDry = column.endsWith('Rn') && found === 0;
    const at = isDry ? '' : `${String(hour).padStart(2, '0')}00`;
    return { [column]: isDry ? '' : fixed(found), [`${column}Hrmt`]: at };
  };
  return {
    avgTa: mean(({ temperature }) => temperature),
    ...extreme('minTa', Math.min, ({ temperature }) => temperature),
    ...extreme('maxTa', Math.max, ({ temperature }) => temperature),
    ...extreme('minRhm', Math.min, ({ humidity }) => humidity),
    ...extreme('hr1MaxRn', Math.max, ({ rain }) => rain),
    ...extreme('maxWs', Math.max, ({ windSpeed }) => windSpeed),
    ...{ avgRhm: mean(({ humidity }) => humidity), avgTd: mean(dewPoint) },
    ...{ sumRn: rainText(sumOf(({ rain }) => rain)), avgWs: mean(({ windSpeed }) => windSpeed) },
  };
}

/** The forecasts of the weather agency, and what it observes on the same grid and at its stations. */
export const KOREAN_WEATHER: Specials = {
  kma_ultra_short_nowcast: { things: nowcast },
  // Six hours, from the next full hour.
  kma_ultra_short_forecast: gridIssue((issue) => {
    const first = Math.floor(issue / HOUR) * HOUR + HOUR;
    return timesBetween(first, first + 5 * HOUR, HOUR);
  }, 'T1H RN1 SKY UUU VVV REH PTY LGT VEC WSD'),
  // Every hour until midnight after three days, or four for the issues from 17:00.
  kma_village_forecast: gridIssue(
    (issue) =>
      timesBetween(issue + HOUR, startOfDay(issue) + (hourOf(issue) < 17 ? 3 : 4) * DAY, HOUR),
    'TMP UUU VVV VEC WSD SKY PTY POP WAV PCP REH SNO',
    extremesAt,
  ),
  kma_mid_land_forecast: { make: midLand },
  kma_mid_temperature: { make: midTemperature },
  kma_asos_hourly: { make: hourlyRow },
  kma_asos_daily: { make: dailyRow },
};
