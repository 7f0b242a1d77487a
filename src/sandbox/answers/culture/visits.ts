import { DAY, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import { districtOf, districts, provinceCodes, provinceName } from '../../facts/places.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { between, whole } from '../noise.ts';
import { crossed, extended, listed, NO_ROWS, type Row, repeated } from '../rows.ts';
import { daysBetween, isWeekday, printTime, readTime, weekdayOf } from '../times.ts';
import { foundRow } from './found-rows.ts';
import { askedDistrict, PLACE_ECHO, placeRow } from './tourism.ts';

const WEEKDAYS = ['일요일', '월요일', '화요일', '수요일', '목요일', '금요일', '토요일'];

/** Rough numbers of visitors a day: from the region itself, from other regions, from abroad. */
const VISITORS = [
  { touDivCd: '1', touDivNm: '현지인(a)', most: 5_000_000 },
  { touDivCd: '2', touDivNm: '외지인(b)', most: 1_500_000 },
  { touDivCd: '3', touDivNm: '외국인(c)', most: 60_000 },
];

/** On that day two provinces became one. */
const MERGER = { day: Date.UTC(2026, 6, 1), before: ['29', '46'], after: '12' };

const provincesOn = (day: KoreanTime): readonly string[] =>
  day < MERGER.day
    ? [...provinceCodes().filter((code) => code !== MERGER.after), ...MERGER.before]
    : provinceCodes();

/** Days of one answer. */
const MAX_VISITOR_DAYS = 400;

/** One row per past day, province and kind of visitor. */
const visitors: AnswerRule = {
  rows(question) {
    const [from, to] = [question.time('startYmd'), question.time('endYmd')];
    if (from === undefined || to === undefined) return NO_ROWS;
    const days = daysBetween(from, Math.min(to, startOfDay(question.now) - DAY));
    return listed(days.slice(0, MAX_VISITOR_DAYS).flatMap(visitorRows));
  },
};

const visitorRows = (day: KoreanTime): Row[] =>
  provincesOn(day).flatMap((areaCode) =>
    VISITORS.map(({ most, ...kind }) => ({
      baseYmd: printTime(day, 'YYYYMMDD'),
      // Monday is 1, Sunday 7.
      daywkDivCd: String(weekdayOf(day) || 7),
      daywkDivNm: WEEKDAYS[weekdayOf(day)],
      areaCode,
      areaNm: provinceName(areaCode),
      ...kind,
      touNum: (
        most *
        between(0.1, 0.9, areaCode, kind.touDivCd) *
        between(0.9, 1.1, areaCode, kind.touDivCd, day)
      ).toFixed(1),
    })),
  );

/** Days of a forecast. */
const CROWDING_DAYS = 30;
/** Attractions of a district, where none is named. */
const ATTRACTIONS = 8;

/** The next thirty days at an attraction, or at several of the district; weekends are more crowded. */
const crowding: AnswerRule = {
  echo: { areaCd: 'areaCd', signguCd: 'signguCd' },
  rows(question, [known = {}]) {
    const code = question.text('signguCd');
    const district = districtOf(code);
    if (!district || !code.startsWith(question.text('areaCd'))) return NO_ROWS;
    const named = question.text('tAtsNm');
    const names = named
      ? [named]
      : Array.from({ length: ATTRACTIONS }, (_, index) =>
          index === 0 && known['signguCd'] === code
            ? String(known['tAtsNm'])
            : `표본 관광지 ${index + 1}`,
        );
    const today = startOfDay(question.now);
    const days = daysBetween(today, today + (CROWDING_DAYS - 1) * DAY).map((day) => ({
      baseYmd: printTime(day, 'YYYYMMDD'),
    }));
    const attractions = names.map((tAtsNm) => ({
      areaNm: district.province,
      signguNm: district.name || district.province,
      tAtsNm,
    }));
    return extended(crossed(attractions, days), ({ tAtsNm, baseYmd }) => {
      const isFree = !isWeekday(readTime(String(baseYmd)) ?? 0);
      const rate = between(isFree ? 55 : 15, isFree ? 99 : 60, String(tAtsNm), String(baseYmd));
      return { cnctrRate: rate.toFixed(2) };
    });
  },
};

/** Events of an average day. */
const EVENTS_A_DAY = 4;

/** Events that begin in the asked window, in the asked region. */
const festivals: AnswerRule = {
  echo: PLACE_ECHO,
  ids: ['contentid'],
  rows(question, sample) {
    const from = question.time('eventStartDate');
    if (from === undefined || askedDistrict(question, 0) === null) return NO_ROWS;
    const to = question.time('eventEndDate') ?? from + 90 * DAY;
    if (to < from) return NO_ROWS;
    const days = (to - from) / DAY + 1;
    const perDay = question.text('lDongRegnCd') === '' ? EVENTS_A_DAY : EVENTS_A_DAY * 0.07;
    const count = Math.ceil(Math.min(days, 365) * perDay);
    return repeated(count, (index) => {
      const start = startOfDay(from + (index / count) * days * DAY);
      const end = Math.min(
        start + whole(0, 9, 'festival', start, index) * DAY,
        Math.max(to, start),
      );
      const row = placeRow(question, sample, index);
      return {
        ...row,
        ...(index < sample.length && row['title'] === undefined
          ? {}
          : { title: `표본 행사 ${index + 1}` }),
        eventstartdate: printTime(start, 'YYYYMMDD'),
        eventenddate: printTime(end, 'YYYYMMDD'),
      };
    });
  },
};

const OF_A_CAMPSITE = [
  'lineIntro',
  'intro',
  'featureNm',
  'doNm',
  'sigunguNm',
  'zipcode',
  'addr1',
  'addr2',
  'mapX',
  'mapY',
  'direction',
  'tel',
  'homepage',
  'resveUrl',
  'firstImageUrl',
  'posblFcltyCl',
  'lctCl',
];

/** A rule for what a search for words finds: the rows of the sample that contain them, and made-up ones. */
const searched = (
  ids: readonly string[],
  name: string,
  own: readonly string[],
  echo = {},
): AnswerRule => ({
  ids,
  echo,
  rows(question, sample) {
    const language = question.text('langCode');
    if (language !== '' && !['ko', 'en', 'jp'].includes(language)) return NO_ROWS;
    const count = whole(6, 60, question.tool, question.text('keyword'));
    const found = { parameter: 'keyword', name, own, called: '표본' };
    const isOther = language !== '' && language !== sample[0]?.['langCode'];
    const titles = { title: '', audioTitle: '', script: '' };
    const known = isOther ? sample.map((row) => ({ ...row, ...titles })) : sample;
    return repeated(count, (index) => foundRow(question, known, index, found));
  },
});

const campsites = searched(['contentId'], 'facltNm', OF_A_CAMPSITE);

/** Campsites that a search finds; if its word is the name of a district, they are in it. */
const campsitesAround: AnswerRule = {
  ...campsites,
  rows(question, sample) {
    const word = question.text('keyword');
    const place = districts().find(({ exists, name }) => exists && name.startsWith(word));
    return extended(campsites.rows?.(question, sample) ?? NO_ROWS, ({ addr1 }) =>
      addr1 === '' && place
        ? { doNm: place.province, sigunguNm: place.name, addr1: `${place.province} ${place.name}` }
        : {},
    );
  },
};

const OF_A_PHOTO = [
  'galWebImageUrl',
  'galPhotographyLocation',
  'galPhotographer',
  'galSearchKeyword',
];
const OF_A_STORY = ['audioTitle', 'script', 'audioUrl', 'imageUrl', 'mapX', 'mapY'];

/** Visitors, events, campsites, photos and stories. */
export const VISITS: AnswerRules = {
  tour_visitors_by_province: visitors,
  tour_crowding_forecast: crowding,
  tour_search_festival: festivals,
  gocamping_search: campsitesAround,
  tour_photo_search: searched(['galContentId'], 'galTitle', OF_A_PHOTO),
  odii_story_search: searched(['tid', 'tlid', 'stid', 'stlid'], 'title', OF_A_STORY, {
    langCode: 'langCode',
  }),
};
