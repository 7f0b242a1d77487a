import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../src/public-data/korean-time.ts';
import { type AnswerRule, type AnswerRules, type Row, words } from '../answer-rule.ts';
import { whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { hourOf, printTime, readTime, timesBetween } from '../times.ts';
import { temperaturesOfDay, type Weather, type WeatherPlace, weatherAt } from './weather-model.ts';

/** The latitude of the grid's row 136, and degrees per row (5 km). */
const GRID = { row: 136, latitude: 38, degreesPerRow: 0.045 };

const gridPlace = ({ text, number }: Question): WeatherPlace => ({
  key: `grid:${text('nx')}:${text('ny')}`,
  latitude: GRID.latitude + ((number('ny') ?? GRID.row) - GRID.row) * GRID.degreesPerRow,
});

/** 1 clear, 3 mostly cloudy, 4 overcast. */
function skyOf({ cloud }: Weather): number {
  if (cloud > 0.75) return 4;
  return cloud > 0.45 ? 3 : 1;
}

/** 0 none, 1 rain, 3 snow. */
function precipitationOf({ rain, temperature }: Weather): number {
  if (rain === 0) return 0;
  return temperature > 1 ? 1 : 3;
}

const amountText = (amount: number, unit: string, none: string, small: string): string => {
  if (amount === 0) return none;
  return amount < 1 ? small : `${amount.toFixed(1)}${unit}`;
};

const fixed = (value: number): string => (Math.round(value * 10) / 10 + 0).toFixed(1);

/** The value of every category of the forecasts and the observations. */
function quantities(weather: Weather): Readonly<Record<string, string>> {
  const { temperature, rain, cloud, humidity, windSpeed, windDirection } = weather;
  const angle = (windDirection * Math.PI) / 180;
  const kind = precipitationOf(weather);
  const TMP = String(Math.round(temperature));
  const PCP = amountText(kind === 1 ? rain : 0, 'mm', '강수없음', '1mm 미만');
  return {
    TMP,
    T1H: TMP,
    UUU: fixed(-windSpeed * Math.sin(angle)),
    VVV: fixed(-windSpeed * Math.cos(angle)),
    VEC: String(windDirection),
    WSD: fixed(windSpeed),
    SKY: String(skyOf(weather)),
    PTY: String(kind),
    POP: String(rain > 0 ? 70 : Math.round(cloud * 6) * 10),
    WAV: '0',
    PCP,
    RN1: PCP,
    REH: String(humidity),
    SNO: amountText(kind === 3 ? rain : 0, 'cm', '적설없음', '0.5cm 미만'),
    LGT: '0',
  };
}

type Category = readonly [category: string, value: string];

/** The values of the named categories; those that are observed replace those that are forecast. */
const categoriesOf = (
  weather: Weather,
  names: string,
  observed: Readonly<Record<string, string>> = {},
): Category[] => {
  const values = { ...quantities(weather), ...observed };
  return words(names).map((name) => [name, values[name] ?? '']);
};

/** A day's lowest temperature is forecast for 06:00, its highest for 15:00. */
function extremesAt(place: WeatherPlace, time: KoreanTime): Category[] {
  const { low, high } = temperaturesOfDay(place, time);
  if (hourOf(time) === 6) return [['TMN', Math.round(low).toFixed(1)]];
  return hourOf(time) === 15 ? [['TMX', Math.round(high).toFixed(1)]] : [];
}

const forecastRows = (time: KoreanTime, categories: readonly Category[]): Row[] =>
  categories.map(([category, fcstValue]) => ({
    category,
    fcstDate: printTime(time, 'YYYYMMDD'),
    fcstTime: printTime(time, 'HHmm'),
    fcstValue,
  }));

/** A rule for an issue on the grid; nothing for one in the future. */
const perGridIssue = (rowsOf: (place: WeatherPlace, issue: KoreanTime) => Row[]): AnswerRule => ({
  echo: { baseDate: 'base_date', baseTime: 'base_time', nx: 'nx', ny: 'ny' },
  rows(question) {
    const { text, now } = question;
    const issue = readTime(text('base_date') + text('base_time').padStart(4, '0'));
    return issue === undefined || issue > now ? undefined : rowsOf(gridPlace(question), issue);
  },
});

/** How long the agency takes to write the file of an issue. */
const WRITING = 8 * MINUTE;

/** A rule for one row per issue; nothing for an issue in the future. */
const perIssue = (
  parameter: string,
  echo: Readonly<Record<string, string>>,
  rowOf: (issue: KoreanTime, question: Question) => Row,
): AnswerRule => ({
  echo,
  rows(question) {
    const issue = question.time(parameter);
    return issue === undefined || issue > question.now ? undefined : [rowOf(issue, question)];
  },
});

const REGION = { regId: 'regId' };

const regionPlace = ({ text }: Question) => ({ key: `region:${text('regId')}`, latitude: 36.5 });

function skyText(rain: number): string {
  if (rain >= 60) return '흐리고 비';
  if (rain >= 40) return '흐림';
  return rain >= 20 ? '구름많음' : '맑음';
}

/** The short-term forecasts of the weather agency, its observations on the same grid, and its forecasts for days 4 to 10. */
export const FORECASTS: AnswerRules = {
  kma_ultra_short_nowcast: perGridIssue((place, issue) => {
    const weather = weatherAt(place, issue);
    const RN1 = weather.rain === 0 ? '0' : fixed(weather.rain);
    const observed = { T1H: fixed(weather.temperature), RN1 };
    const categories = categoriesOf(weather, 'T1H RN1 UUU VVV WSD REH PTY VEC', observed);
    return categories.map(([category, obsrValue]) => ({ category, obsrValue }));
  }),
  // Six hours, from the next full hour.
  kma_ultra_short_forecast: perGridIssue((place, issue) => {
    const first = Math.floor(issue / HOUR) * HOUR + HOUR;
    return timesBetween(first, first + 5 * HOUR, HOUR).flatMap((time) =>
      forecastRows(
        time,
        categoriesOf(weatherAt(place, time), 'T1H RN1 SKY UUU VVV REH PTY LGT VEC WSD'),
      ),
    );
  }),
  // Every hour until midnight after three days, or four for the issues from 17:00. Extremes start after the first hour.
  kma_village_forecast: perGridIssue((place, issue) => {
    const end = startOfDay(issue) + (hourOf(issue) < 17 ? 3 : 4) * DAY;
    return timesBetween(issue + HOUR, end, HOUR).flatMap((time) =>
      forecastRows(time, [
        ...categoriesOf(weatherAt(place, time), 'TMP UUU VVV VEC WSD SKY PTY POP WAV PCP REH SNO'),
        ...(time > issue + HOUR ? extremesAt(place, time) : []),
      ]),
    );
  }),
  kma_forecast_version: perIssue('basedatetime', { filetype: 'ftype' }, (issue) => ({
    version: printTime(issue + WRITING, 'YYYYMMDDHHmmss'),
  })),
  // Probability of rain (`rnSt`) and sky (`wf`), for half days until day 7 and for whole days after it.
  kma_mid_land_forecast: perIssue('tmFc', REGION, (issue, question) => {
    const part = (ahead: number, suffix: string, hour: number): Row => {
      const time = startOfDay(issue) + ahead * DAY + hour * HOUR;
      const rain = Math.round(weatherAt(regionPlace(question), time).cloud * 8) * 10;
      return { [`rnSt${ahead}${suffix}`]: rain, [`wf${ahead}${suffix}`]: skyText(rain) };
    };
    return Object.assign(
      {},
      ...[4, 5, 6, 7].flatMap((ahead) => [part(ahead, 'Am', 9), part(ahead, 'Pm', 15)]),
      ...[8, 9, 10].map((ahead) => part(ahead, '', 12)),
    );
  }),
  kma_mid_temperature: perIssue('tmFc', REGION, (issue, question) => {
    const [day, region] = [startOfDay(issue), question.text('regId')];
    const extreme = (name: string, ahead: number, value: number): Row => ({
      [name]: Math.round(value),
      [`${name}Low`]: whole(0, 2, region, name, day, ahead),
      [`${name}High`]: whole(0, 2, region, name, day, ahead, 'high'),
    });
    return Object.assign(
      {},
      ...[4, 5, 6, 7, 8, 9, 10].flatMap((ahead) => {
        const { low, high } = temperaturesOfDay(regionPlace(question), day + ahead * DAY);
        return [extreme(`taMin${ahead}`, ahead, low), extreme(`taMax${ahead}`, ahead, high)];
      }),
    );
  }),
};
