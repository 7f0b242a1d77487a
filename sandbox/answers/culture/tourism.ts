import { DAY, type KoreanTime, startOfDay } from '../../../src/public-data/korean-time.ts';
import {
  districtOf,
  districts,
  isInKorea,
  nearest,
  type Place,
  provinceCodes,
  provinceName,
} from '../../places.ts';
import {
  type AnswerRule,
  type AnswerRules,
  crossed,
  each,
  emptied,
  extended,
  foundRow,
  namedAlike,
  type Row,
  reducedBy,
  repeated,
  rowById,
  words,
} from '../answer-rule.ts';
import { between, whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { daysBetween, isWeekday, printTime, readTime, weekdayOf } from '../times.ts';

/** Columns that are true of a place of the sample only. */
const OF_A_PLACE = words(
  'addr1 addr2 zipcode tel firstimage firstimage2 cpyrhtDivCd areacode sigungucode overview homepage telname',
);
const OF_A_KIND = words('cat1 cat2 cat3 lclsSystm1 lclsSystm2 lclsSystm3');

const PLACE_ECHO = {
  contenttypeid: 'contentTypeId',
  ...namedAlike('lDongRegnCd lDongSignguCd lclsSystm1 lclsSystm2 lclsSystm3'),
};

/** The share of all places that a filter leaves. */
const SHARES = {
  contentTypeId: 0.2,
  lDongRegnCd: 0.07,
  lDongSignguCd: 0.06,
  lclsSystm1: 0.15,
  lclsSystm2: 0.25,
  lclsSystm3: 0.3,
  modifiedtime: 0.003,
};

const countOf = (question: Question, all: number): number =>
  Math.ceil(reducedBy(question, all, SHARES));

/** A district of the asked region; null if there is no such region, undefined if none was asked for. */
function askedDistrict({ text, has }: Question, index: number): Place | null | undefined {
  const region = text('lDongRegnCd');
  if (region === '') return undefined;
  if (has('lDongSignguCd')) return districtOf(region + text('lDongSignguCd')) ?? null;
  const all = districts().filter(({ code }) => code.startsWith(region));
  const current = all.filter(({ exists }) => exists);
  const known = current.length > 0 ? current : all;
  return known[index % known.length] ?? null;
}

function placeIn({ code, province, name, longitude, latitude }: Place, index: number): Row {
  const position = (degrees: number, axis: string): string =>
    Number.isNaN(latitude) ? '' : (degrees + between(-0.02, 0.02, code, index, axis)).toFixed(10);
  return {
    addr1: `${province} ${name}`.trim(),
    lDongRegnCd: code.slice(0, 2),
    lDongSignguCd: code.slice(2),
    mapx: position(longitude, 'x'),
    mapy: position(latitude, 'y'),
  };
}

const isSame = (template: Row, { text }: Question): boolean =>
  Object.entries(PLACE_ECHO).every(([column, parameter]) =>
    ['', template[column]].includes(text(parameter)),
  );

const changeOf = ({ text, has }: Question): Row =>
  has('modifiedtime')
    ? { modifiedtime: text('modifiedtime').slice(0, 8).padEnd(14, '090000') }
    : {};

/** A place of the sample if it is one of those that were asked for; otherwise a made-up one in the asked region. */
function placeRow(question: Question, sample: readonly Row[], index: number): Row {
  const { tool, text, has } = question;
  const template = sample[index % sample.length] ?? {};
  const found = { parameter: 'keyword', name: 'title', own: OF_A_PLACE, called: '표본 장소' };
  const time = changeOf(question);
  if (isSame(template, question)) return { ...foundRow(question, sample, index, found), ...time };
  const district = askedDistrict(question, index);
  // Emptied columns must not hide those that repeat the question.
  const kind = has('contentTypeId', 'lclsSystm1') ? OF_A_KIND.filter((name) => !has(name)) : [];
  return {
    ...emptied(template, OF_A_PLACE),
    title: `${text('keyword') || found.called} ${index + 1}`,
    ...emptied(template, kind),
    ...(district ? placeIn(district, index) : {}),
    // Addresses are known in Korean only.
    ...(tool === 'tour_eng_search_keyword' ? { addr1: '' } : {}),
    ...time,
  };
}

/** A rule for places in the asked region, of so many in all. */
const placesOf = (countOfAll: (question: Question) => number): AnswerRule => ({
  echo: PLACE_ECHO,
  ids: ['contentid'],
  codes: ['keyword'],
  rows(question, sample) {
    if (askedDistrict(question, 0) === null) return undefined;
    return repeated(countOf(question, countOfAll(question)), (index) =>
      placeRow(question, sample, index),
    );
  },
});

const keywordCount = ({ text }: Question): number => whole(8, 60, 'keyword', text('keyword'));

const METRES_PER_DEGREE = 111_320;

/** Places around a point, the nearest first: within the radius, and in the district of the point. */
const nearby: AnswerRule = {
  echo: { contenttypeid: 'contentTypeId' },
  ids: ['contentid'],
  rows(question, sample) {
    const { number, has } = question;
    const [x, y] = [number('mapX') ?? 0, number('mapY') ?? 0];
    const radius = number('radius') ?? 0;
    const district = nearest(districts(), y, x);
    if (!district || !isInKorea(y, x) || radius <= 0) return undefined;
    const count = countOf(question, Math.min(3_000, Math.ceil((radius / 90) ** 2)));
    const perDegree = METRES_PER_DEGREE * Math.cos((y * Math.PI) / 180);
    return repeated(count, (index) => {
      const distance = radius * Math.sqrt((index + 0.5) / count);
      const angle = between(0, 2 * Math.PI, x, y, index);
      const template = sample[index % sample.length] ?? {};
      const isKnown =
        index < sample.length &&
        `${template['lDongRegnCd']}${template['lDongSignguCd']}` === district.code;
      return {
        ...emptied(template, OF_A_PLACE),
        ...(has('contentTypeId') ? emptied(template, OF_A_KIND) : {}),
        ...(isKnown ? {} : { title: `표본 장소 ${index + 1}` }),
        ...placeIn(district, index),
        dist: String(distance),
        mapx: (x + (distance * Math.cos(angle)) / perDegree).toFixed(10),
        mapy: (y + (distance * Math.sin(angle)) / METRES_PER_DEGREE).toFixed(10),
        ...changeOf(question),
      };
    });
  },
};

/** The provinces, or the districts of one; with lDongListYn=Y, both with their names. */
const regionCodes: AnswerRule = {
  rows({ text }) {
    const region = text('lDongRegnCd');
    const all = districts().filter(({ code, exists }) => exists && code.startsWith(region));
    if (text('lDongListYn') === 'Y') {
      return all.map(({ code, province, name }, index) => ({
        rnum: index + 1,
        code: undefined,
        name: undefined,
        lDongRegnCd: code.slice(0, 2),
        lDongRegnNm: province,
        lDongSignguCd: code.slice(2),
        lDongSignguNm: name || province,
      }));
    }
    const ofAll = region === '';
    const codes = all.map(({ code }) => (ofAll ? code.slice(0, 2) : code.slice(2)));
    return [...new Set(codes)].map((code, index) => ({
      rnum: index + 1,
      code,
      name: ofAll
        ? provinceName(code)
        : districtOf(`${region}${code}`)?.name || provinceName(region),
    }));
  },
};

const WEEKDAYS = words('일요일 월요일 화요일 수요일 목요일 금요일 토요일');

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

const CROWDING_DAYS = 30;
/** Attractions of a district, where none is named. */
const ATTRACTIONS = 8;

/** The next thirty days at an attraction, or at several of the district; weekends are more crowded. */
const crowding: AnswerRule = {
  echo: namedAlike('areaCd signguCd'),
  rows({ text, has, now }, [known = {}]) {
    const district = districtOf(text('signguCd'));
    if (!district?.code.startsWith(text('areaCd'))) return undefined;
    const names = Array.from({ length: ATTRACTIONS }, (_, index) =>
      index === 0 && known['signguCd'] === district.code
        ? String(known['tAtsNm'])
        : `표본 관광지 ${index + 1}`,
    );
    const today = startOfDay(now);
    const days = daysBetween(today, today + (CROWDING_DAYS - 1) * DAY).map((day) => ({
      baseYmd: printTime(day, 'YYYYMMDD'),
    }));
    const attractions = (has('tAtsNm') ? [text('tAtsNm')] : names).map((tAtsNm) => ({
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

const EVENTS_A_DAY = 4;

/** Events that begin in the asked window, in the asked region. */
const festivals: AnswerRule = {
  echo: PLACE_ECHO,
  ids: ['contentid'],
  rows(question, sample) {
    const { time, has } = question;
    const from = time('eventStartDate');
    if (from === undefined || askedDistrict(question, 0) === null) return undefined;
    const to = time('eventEndDate') ?? from + 90 * DAY;
    if (to < from) return undefined;
    const days = (to - from) / DAY + 1;
    const perDay = has('lDongRegnCd') ? EVENTS_A_DAY * 0.07 : EVENTS_A_DAY;
    const count = Math.ceil(Math.min(days, 365) * perDay);
    return repeated(count, (index) => {
      const start = startOfDay(from + (index / count) * days * DAY);
      const last = start + whole(0, 9, 'festival', start, index) * DAY;
      const row = placeRow(question, sample, index);
      const isKnown = index < sample.length && row['title'] === undefined;
      return {
        ...row,
        ...(isKnown ? {} : { title: `표본 행사 ${index + 1}` }),
        eventstartdate: printTime(start, 'YYYYMMDD'),
        eventenddate: printTime(Math.min(last, Math.max(to, start)), 'YYYYMMDD'),
      };
    });
  },
};

const OF_A_CAMPSITE = words(
  'lineIntro intro featureNm doNm sigunguNm zipcode addr1 addr2 mapX mapY direction tel homepage ' +
    'resveUrl firstImageUrl posblFcltyCl lctCl',
);
const OF_A_PHOTO = words('galWebImageUrl galPhotographyLocation galPhotographer galSearchKeyword');
const OF_A_STORY = words('audioTitle script audioUrl imageUrl mapX mapY');

/** What a search for words finds: the rows of the sample that contain them, and made-up ones. */
const searched = (ids: string, name: string, own: readonly string[]) => ({
  ids: words(ids),
  rows(question: Question, sample: readonly Row[]) {
    const found = { parameter: 'keyword', name, own, called: '표본' };
    return repeated(whole(6, 60, question.tool, question.text('keyword')), (index) =>
      foundRow(question, sample, index, found),
    );
  },
});

const campsites = searched('contentId', 'facltNm', OF_A_CAMPSITE);
const stories = searched('tid tlid stid stlid', 'title', OF_A_STORY);

/** Places, visitors, events, campsites, photos and stories of the tourism organisation. */
export const TOURISM: AnswerRules = {
  tour_search_keyword: placesOf(keywordCount),
  tour_eng_search_keyword: placesOf(keywordCount),
  tour_area_list: placesOf(() => 50_872),
  tour_pet_places: placesOf(() => 9_781),
  tour_nearby: nearby,
  tour_detail_common: rowById(
    'contentId',
    (id, known) => id === known['contentid'],
    (id) => ({
      ...each(
        [...OF_A_PLACE, ...OF_A_KIND, ...words('mapx mapy lDongRegnCd lDongSignguCd')],
        () => '',
      ),
      contentid: id,
      title: `표본 장소 ${id}`,
    }),
  ),
  tour_region_codes: regionCodes,
  // One row per past day, province and kind of visitor.
  tour_visitors_by_province: {
    rows({ time, now }) {
      const [from, to] = [time('startYmd'), time('endYmd')];
      if (from === undefined || to === undefined) return undefined;
      const days = daysBetween(from, Math.min(to, startOfDay(now) - DAY));
      return days.slice(0, MAX_VISITOR_DAYS).flatMap(visitorRows);
    },
  },
  tour_crowding_forecast: crowding,
  tour_search_festival: festivals,
  // If the word of a search is the name of a district, the campsites are in it.
  gocamping_search: {
    ...campsites,
    rows(question, sample) {
      const asked = question.text('keyword');
      const place = districts().find(({ exists, name }) => exists && name.startsWith(asked));
      return extended(campsites.rows(question, sample), ({ addr1 }) =>
        addr1 === '' && place
          ? {
              doNm: place.province,
              sigunguNm: place.name,
              addr1: `${place.province} ${place.name}`,
            }
          : {},
      );
    },
  },
  tour_photo_search: searched('galContentId', 'galTitle', OF_A_PHOTO),
  odii_story_search: {
    ...stories,
    echo: namedAlike('langCode'),
    rows(question, sample) {
      const language = question.text('langCode');
      if (!['', 'ko', 'en', 'jp'].includes(language)) return undefined;
      const isKnown = ['', sample[0]?.['langCode']].includes(language);
      const nameless = { title: '', audioTitle: '', script: '' };
      return stories.rows(
        question,
        isKnown ? sample : sample.map((row) => ({ ...row, ...nameless })),
      );
    },
  },
};
