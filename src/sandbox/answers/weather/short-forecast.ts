import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import type { Question } from '../question.ts';
import { listed, NO_ROWS, type Row } from '../rows.ts';
import { hourOf, printTime, readTime, timesBetween } from '../times.ts';
import {
  temperaturesOfDay,
  type Weather,
  type WeatherPlace,
  weatherAt,
  windComponents,
} from './weather-model.ts';

/** The latitude of the grid's row 136, and degrees per row (5 km). */
const GRID = { row: 136, latitude: 38, degreesPerRow: 0.045 };

const placeOf = (question: Question): WeatherPlace => ({
  key: `grid:${question.text('nx')}:${question.text('ny')}`,
  latitude: GRID.latitude + ((question.number('ny') ?? GRID.row) - GRID.row) * GRID.degreesPerRow,
});

/** When the asked issue was published; undefined if it is none, or in the future. */
function issueOf(question: Question): KoreanTime | undefined {
  const issue = readTime(question.text('base_date') + question.text('base_time').padStart(4, '0'));
  return issue === undefined || issue > question.now ? undefined : issue;
}

/** 1 clear, 3 mostly cloudy, 4 overcast. */
const skyOf = ({ cloud }: Weather): number => {
  if (cloud > 0.75) return 4;
  return cloud > 0.45 ? 3 : 1;
};

/** 0 none, 1 rain, 3 snow. */
const precipitationOf = ({ rain, temperature }: Weather): number => {
  if (rain === 0) return 0;
  return temperature > 1 ? 1 : 3;
};

const amountText = (amount: number, unit: string, none: string, small: string): string => {
  if (amount === 0) return none;
  return amount < 1 ? small : `${amount.toFixed(1)}${unit}`;
};

const rainText = (weather: Weather): string =>
  amountText(precipitationOf(weather) === 1 ? weather.rain : 0, 'mm', '강수없음', '1mm 미만');

const snowText = (weather: Weather): string =>
  amountText(precipitationOf(weather) === 3 ? weather.rain : 0, 'cm', '적설없음', '0.5cm 미만');

const fixed = (value: number): string => (Math.round(value * 10) / 10 + 0).toFixed(1);

/** Quantities that the forecasts and the observations have in common. */
const wind = (weather: Weather) => ({
  UUU: fixed(windComponents(weather).east),
  VVV: fixed(windComponents(weather).north),
  VEC: String(weather.windDirection),
  WSD: fixed(weather.windSpeed),
});

const villageQuantities = (weather: Weather): Readonly<Record<string, string>> => ({
  TMP: String(Math.round(weather.temperature)),
  ...wind(weather),
  SKY: String(skyOf(weather)),
  PTY: String(precipitationOf(weather)),
  POP: String(weather.rain > 0 ? 70 : Math.round(weather.cloud * 6) * 10),
  WAV: '0',
  PCP: rainText(weather),
  REH: String(weather.humidity),
  SNO: snowText(weather),
});

const ultraShortQuantities = (weather: Weather): Readonly<Record<string, string>> => {
  const { UUU, VVV, VEC, WSD } = wind(weather);
  return {
    T1H: String(Math.round(weather.temperature)),
    RN1: rainText(weather),
    SKY: String(skyOf(weather)),
    UUU,
    VVV,
    REH: String(weather.humidity),
    PTY: String(precipitationOf(weather)),
    LGT: '0',
    VEC,
    WSD,
  };
};

const observedQuantities = (weather: Weather): Readonly<Record<string, string>> => {
  const { UUU, VVV, VEC, WSD } = wind(weather);
  return {
    T1H: fixed(weather.temperature),
    RN1: weather.rain === 0 ? '0' : fixed(weather.rain),
    UUU,
    VVV,
    WSD,
    REH: String(weather.humidity),
    PTY: String(precipitationOf(weather)),
    VEC,
  };
};

const forecastRow = (time: KoreanTime, category: string, fcstValue: string): Row => ({
  category,
  fcstDate: printTime(time, 'YYYYMMDD'),
  fcstTime: printTime(time, 'HHmm'),
  fcstValue,
});

/** A day's lowest temperature is forecast for 06:00, its highest for 15:00, but not for the first hour of an issue. */
function extremesAt(place: WeatherPlace, time: KoreanTime): Row[] {
  const { low, high } = temperaturesOfDay(place, time);
  if (hourOf(time) === 6) return [forecastRow(time, 'TMN', Math.round(low).toFixed(1))];
  return hourOf(time) === 15 ? [forecastRow(time, 'TMX', Math.round(high).toFixed(1))] : [];
}

/** Every hour until midnight after three days, or four for the issues from 17:00. */
function villageRows(question: Question) {
  const issue = issueOf(question);
  if (issue === undefined) return NO_ROWS;
  const place = placeOf(question);
  const end = startOfDay(issue) + (hourOf(issue) < 17 ? 3 : 4) * DAY;
  return listed(
    timesBetween(issue + HOUR, end, HOUR).flatMap((time) => [
      ...Object.entries(villageQuantities(weatherAt(place, time))).map(([category, value]) =>
        forecastRow(time, category, value),
      ),
      ...(time > issue + HOUR ? extremesAt(place, time) : []),
    ]),
  );
}

/** Six hours, from the next full hour. */
function ultraShortRows(question: Question) {
  const issue = issueOf(question);
  if (issue === undefined) return NO_ROWS;
  const first = Math.floor(issue / HOUR) * HOUR + HOUR;
  return listed(
    timesBetween(first, first + 5 * HOUR, HOUR).flatMap((time) =>
      Object.entries(ultraShortQuantities(weatherAt(placeOf(question), time))).map(
        ([category, value]) => forecastRow(time, category, value),
      ),
    ),
  );
}

function nowcastRows(question: Question) {
  const issue = issueOf(question);
  if (issue === undefined) return NO_ROWS;
  const quantities = observedQuantities(weatherAt(placeOf(question), issue));
  return listed(
    Object.entries(quantities).map(([category, obsrValue]) => ({ category, obsrValue })),
  );
}

const ISSUE = { baseDate: 'base_date', baseTime: 'base_time', nx: 'nx', ny: 'ny' };

/** How long the agency takes to write the file of an issue. */
const WRITING = 8 * MINUTE;

const version: AnswerRule = {
  echo: { filetype: 'ftype' },
  rows(question) {
    const issue = question.time('basedatetime');
    return issue === undefined || issue > question.now
      ? NO_ROWS
      : listed([{ version: printTime(issue + WRITING, 'YYYYMMDDHHmmss') }]);
  },
};

/** The short-term forecasts of the weather agency, and its observations on the same grid. */
export const SHORT_FORECAST: AnswerRules = {
  kma_ultra_short_nowcast: { echo: ISSUE, rows: nowcastRows },
  kma_ultra_short_forecast: { echo: ISSUE, rows: ultraShortRows },
  kma_village_forecast: { echo: ISSUE, rows: villageRows },
  kma_forecast_version: version,
};
