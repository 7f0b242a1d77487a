import {
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  startOfDay,
} from '../../../src/public-data/korean-time.ts';
import { provinceCodes } from '../../places.ts';
import { type AnswerRules, type Row, type Rows, repeated } from '../answer-rule.ts';
import { between, whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { printTime, timesBetween } from '../times.ts';
import { sunshineAt } from './weather-model.ts';

const minute = (time: KoreanTime): string => printTime(time, 'YYYYMMDDHHmm');

/** The times from `fromTmFc` to the end of `toTmFc` at which a bulletin is issued; none in the future. */
function issuesOf({ time, now }: Question, first: number, step: number): KoreanTime[] {
  const to = (time('toTmFc') ?? now) + DAY - MINUTE;
  return timesBetween((time('fromTmFc') ?? startOfDay(now)) + first, Math.min(to, now), step);
}

/** Four statements a day on a typhoon that moves slowly to the north. */
function typhoonRows(question: Question, sample: readonly Row[]): Rows {
  const issues = issuesOf(question, 4 * HOUR, 6 * HOUR);
  const [first = question.now] = issues;
  const [image, remark] = [String(sample[0]?.['img']), String(sample[0]?.['rem'])];
  return repeated(issues.length, (index) => {
    const issue = issues[index] ?? first;
    const age = ((issue - first) / DAY) % 6;
    return {
      tmFc: minute(issue),
      tmSeq: index + 1,
      typTm: Number(minute(issue - HOUR)),
      typLat: Math.round((18 + 3 * age) * 10) / 10,
      typLon: Math.round((135 - 1.2 * age) * 10) / 10,
      typLoc: '표본 위치',
      typPs: 950 + whole(0, 30, 'typhoon', issue),
      typWs: whole(25, 45, 'typhoon', issue),
      img: image.replace(/\d{12}\]\d+/, `${minute(issue)}]${index + 1}`),
      rem: remark.replace(/\(\d+일\) \d+시/, printTime(issue + 6 * HOUR, '(DD일) HH시')),
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
      tmFc: Number(minute(issue)),
      tmEqk: Number(printTime(quake, 'YYYYMMDDHHmmss')),
      tmSeq: issued.length - index,
      mt: Math.round(between(2, 3.4, 'magnitude', issue) * 10) / 10,
      dep: whole(5, 20, 'depth', issue),
      img: String(sample[0]?.['img']).replace(/\d{14}/, printTime(quake, 'YYYYMMDDHHmmss')),
    };
  });
}

const PICTURE_INTERVAL = 5 * MINUTE;

/** A picture every five minutes of the asked day, as one text. */
function radarRows({ text, time, now }: Question, sample: readonly Row[]): Row[] | undefined {
  const day = startOfDay(time('time') ?? now);
  const last = Math.min(day + DAY, now) - PICTURE_INTERVAL;
  const [address = ''] = /http[^,\]]+/.exec(String(sample[0]?.['rdr-img-file'])) ?? [];
  const pictures = timesBetween(day, last, PICTURE_INTERVAL).map((each) =>
    address.replace(/CMP_\w+_\d{12}/, `${text('data')}_${minute(each)}`),
  );
  return pictures.length === 0 ? undefined : [{ 'rdr-img-file': `[${pictures.join(', ')}]` }];
}

const SEOUL = { latitude: 37.5, longitude: 127 };
const FORECAST_HOURS = 75;

/** The index every three hours, by the height of the sun. */
function ultravioletRows({ text, time, now }: Question): Row[] | undefined {
  const [area, issue] = [text('areaNo'), time('time')];
  const isKnown = provinceCodes().includes(area.slice(0, 2)) || /^(29|46)/.test(area);
  if (issue === undefined || issue > now || !isKnown) return undefined;
  const hours = timesBetween(0, FORECAST_HOURS, 3).map((ahead) => {
    const hour = issue + ahead * HOUR;
    const clouds = between(0.5, 1, area, Math.floor(hour / DAY));
    return [`h${ahead}`, String(Math.round(12 * sunshineAt(SEOUL, hour) ** 1.3 * clouds))];
  });
  return [Object.fromEntries(hours)];
}

/** Bulletins of the weather agency on dangers. */
export const BULLETINS: AnswerRules = {
  // The current warnings, of the last full hour.
  kma_warning_status: {
    rows({ now }, sample) {
      const issue = Math.floor(now / HOUR) * HOUR;
      const tomorrow = printTime(issue + DAY, 'MM월 DD일');
      return [
        {
          tmFc: minute(issue),
          tmEf: minute(issue + 90 * MINUTE),
          tmSeq: Number(printTime(issue, 'DD')),
          t7: String(sample[0]?.['t7']).replace(/\d+월 \d+일/, tomorrow),
        },
      ];
    },
  },
  kma_typhoon_info: { rows: typhoonRows },
  kma_earthquake_reports: { rows: earthquakeRows },
  kma_radar_images: { rows: radarRows },
  kma_uv_index: { echo: { areaNo: 'areaNo', date: 'time' }, rows: ultravioletRows },
};
