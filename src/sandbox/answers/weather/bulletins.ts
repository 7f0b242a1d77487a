import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../public-data/korean-time.ts';
import { provinceCodes } from '../../facts/places.ts';
import type { AnswerRules } from '../answer-rule.ts';
import { between, whole } from '../noise.ts';
import type { Question } from '../question.ts';
import { listed, NO_ROWS, type Row, type Rows, repeated } from '../rows.ts';
import { printTime, timesBetween } from '../times.ts';
import { sunshineAt } from './sun.ts';

const minute = (time: KoreanTime): number => Number(printTime(time, 'YYYYMMDDHHmm'));

/** The times from `fromTmFc` to the end of `toTmFc` at which a bulletin is issued; none in the future. */
function issuesOf(question: Question, first: number, step: number): KoreanTime[] {
  const from = question.time('fromTmFc') ?? startOfDay(question.now);
  const to = (question.time('toTmFc') ?? question.now) + DAY - MINUTE;
  return timesBetween(from + first, Math.min(to, question.now), step);
}

/** Four statements a day on a typhoon that moves slowly to the north. */
function typhoonRows(question: Question, sample: readonly Row[]): Rows {
  const issues = issuesOf(question, 4 * HOUR, 6 * HOUR);
  const [first = question.now] = issues;
  const [image, remark] = [String(sample[0]?.['img']), String(sample[0]?.['rem'])];
  return repeated(issues.length, (index) => {
    const issue = issues[index] ?? first;
    const age = (issue - first) / DAY;
    const next = issue + 6 * HOUR;
    return {
      tmFc: printTime(issue, 'YYYYMMDDHHmm'),
      tmSeq: index + 1,
      typTm: Number(printTime(issue - HOUR, 'YYYYMMDDHHmm')),
      typLat: Math.round((18 + 3 * (age % 6)) * 10) / 10,
      typLon: Math.round((135 - 1.2 * (age % 6)) * 10) / 10,
      typLoc: '표본 위치',
      typPs: 950 + whole(0, 30, 'typhoon', issue),
      typWs: whole(25, 45, 'typhoon', issue),
      img: image.replace(/\d{12}\]\d+/, `${printTime(issue, 'YYYYMMDDHHmm')}]${index + 1}`),
      rem: remark.replace(/\(\d+일\) \d+시/, printTime(next, '(DD일) HH시')),
    };
  });
}

/** One earthquake a day, reported five minutes later. */
function earthquakeRows(question: Question, sample: readonly Row[]): Rows {
  const reports = issuesOf(question, 5 * HOUR, DAY).map(
    (time) => time + whole(0, 599, 'earthquake', time) * MINUTE,
  );
  const issued = reports.filter((time) => time <= question.now).reverse();
  return repeated(issued.length, (index) => {
    const issue = issued[index] ?? question.now;
    const quake = issue - 5 * MINUTE;
    return {
      tmFc: minute(issue),
      tmEqk: Number(printTime(quake, 'YYYYMMDDHHmmss')),
      tmSeq: issued.length - index,
      mt: Math.round(between(2, 3.4, 'magnitude', issue) * 10) / 10,
      dep: whole(5, 20, 'depth', issue),
      img: String(sample[0]?.['img']).replace(/\d{14}/, printTime(quake, 'YYYYMMDDHHmmss')),
    };
  });
}

/** The current warnings, of the last full hour. */
function warningRows({ now }: Question, sample: readonly Row[]): Rows {
  const issue = Math.floor(now / HOUR) * HOUR;
  const preliminary = String(sample[0]?.['t7']);
  return listed([
    {
      tmFc: printTime(issue, 'YYYYMMDDHHmm'),
      tmEf: printTime(issue + 90 * MINUTE, 'YYYYMMDDHHmm'),
      tmSeq: Number(printTime(issue, 'DD')),
      t7: preliminary.replace(/\d+월 \d+일/, printTime(issue + DAY, 'MM월 DD일')),
    },
  ]);
}

const PICTURE_INTERVAL = 5 * MINUTE;

/** A picture every five minutes of the asked day, as one text. */
function radarRows(question: Question, sample: readonly Row[]): Rows {
  const day = question.time('time') ?? question.now;
  const last = Math.min(startOfDay(day) + DAY - PICTURE_INTERVAL, question.now - PICTURE_INTERVAL);
  const [address = ''] = /http[^,\]]+/.exec(String(sample[0]?.['rdr-img-file'])) ?? [];
  const pictures = timesBetween(startOfDay(day), last, PICTURE_INTERVAL).map((time) =>
    address.replace(
      /CMP_\w+_\d{12}/,
      `${question.text('data')}_${printTime(time, 'YYYYMMDDHHmm')}`,
    ),
  );
  return pictures.length === 0 ? NO_ROWS : listed([{ 'rdr-img-file': `[${pictures.join(', ')}]` }]);
}

const SEOUL = { latitude: 37.5, longitude: 127 };
const FORECAST_HOURS = 75;

/** The index every three hours, by the height of the sun. */
function ultravioletRows(question: Question): Rows {
  const [area, issue] = [question.text('areaNo'), question.time('time')];
  const isKnown = provinceCodes().includes(area.slice(0, 2)) || /^(29|46)/.test(area);
  if (issue === undefined || issue > question.now || !isKnown) return NO_ROWS;
  const hours = timesBetween(0, FORECAST_HOURS, 3).map((ahead) => {
    const time = issue + ahead * HOUR;
    const clouds = between(0.5, 1, area, Math.floor(time / DAY));
    return [`h${ahead}`, String(Math.round(12 * sunshineAt(SEOUL, time) ** 1.3 * clouds))];
  });
  return listed([Object.fromEntries(hours)]);
}

/** Bulletins of the weather agency on dangers. */
export const BULLETINS: AnswerRules = {
  kma_warning_status: { rows: warningRows },
  kma_typhoon_info: { rows: typhoonRows },
  kma_earthquake_reports: { rows: earthquakeRows },
  kma_radar_images: { rows: radarRows },
  kma_uv_index: { echo: { areaNo: 'areaNo', date: 'time' }, rows: ultravioletRows },
};
