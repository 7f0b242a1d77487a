import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../public-data/korean-time.ts';
import { type Place, tideStations } from '../../facts/places.ts';
import type { AnswerRules } from '../answer-rule.ts';
import { noise, smooth } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, type Row, type Rows } from '../rows.ts';
import { printTime } from '../times.ts';

/** From one high water to the next. */
const TIDE = 12 * HOUR + 25.2 * MINUTE;
/** From one spring tide to the next. */
const SPRING = 14.765 * DAY;

/** Difference of high and low water in cm: large on the west coast, small on the east coast. */
function rangeAt({ longitude, latitude }: Place, time: KoreanTime): number {
  const west = Math.min(1, Math.max(0, (129.2 - longitude) / 2.6));
  const north = Math.min(1, Math.max(0, (latitude - 33) / 4));
  const spring = 1 + 0.3 * Math.cos((2 * Math.PI * time) / SPRING);
  return (25 + 250 * west + 450 * west * north) * spring;
}

const MEAN_LEVEL_SHARE = 0.6;

/** The high and low waters of a day; 1 and 3 are the first and the second high water, 2 and 4 the low ones. */
function tidesOf(place: Place, day: KoreanTime): Row[] {
  const phase = noise('tide', place.code) * TIDE;
  const first = Math.ceil((day - phase) / (TIDE / 2));
  const seen = { high: 0, low: 0 };
  const rows: Row[] = [];
  for (let half = first; phase + half * (TIDE / 2) < day + DAY; half++) {
    const time = phase + half * (TIDE / 2);
    const isHigh = half % 2 === 0;
    const range = rangeAt(place, time);
    const level = range * MEAN_LEVEL_SHARE + (isHigh ? range / 2 : -range / 2);
    rows.push({
      obsvtrNm: place.name,
      lot: place.longitude,
      lat: place.latitude,
      predcDt: printTime(time, 'YYYY-MM-DD HH:mm'),
      predcTdlvVl: String(Math.round(level)),
      extrSe: String(isHigh ? 2 * seen.high++ + 1 : 2 * seen.low++ + 2),
    });
  }
  return rows;
}

/** The columns that `include` names, without those that `exclude` names. */
function withAskedColumns(question: Question, row: Row): Row {
  const [included, excluded] = [question.list('include'), question.list('exclude')];
  const isAsked = (column: string): boolean =>
    (included.length === 0 || included.includes(column)) && !excluded.includes(column);
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, isAsked(column) ? value : undefined]),
  );
}

function tides(question: Question): Rows {
  const place = tideStations().find(({ code }) => code === question.text('obsCode'));
  if (!place) return NO_ROWS;
  const rows = tidesOf(place, startOfDay(question.time('reqDate') ?? question.now));
  return listed(rows.map((row) => withAskedColumns(question, row)));
}

const GAUGE_INTERVAL = 10 * MINUTE;

/** The latest level in metres; the flow rises with it. */
function levels(question: Question): Rows {
  const gauge = question.text('wlobscd');
  if (isUnknownCode(gauge)) return NO_ROWS;
  const time = Math.floor(question.now / GAUGE_INTERVAL) * GAUGE_INTERVAL;
  const level = 0.3 + 3 * noise('gauge', gauge) + smooth(time, 12 * HOUR, 'level', gauge);
  return listed([
    {
      ymdhm: printTime(time, 'YYYYMMDDHHmm'),
      wl: level.toFixed(2),
      fw: (90 * level ** 1.8).toFixed(2),
    },
  ]);
}

/** Tides and water levels. */
export const WATER: AnswerRules = {
  khoa_tide_high_low: { rows: tides },
  hrfco_water_level: { echo: { wlobscd: 'wlobscd' }, rows: levels },
};
