import { type District, districtOf, districts, nearest, provinceName } from '../../facts/places.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { between, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { NO_ROWS, type Row, repeated } from '../rows.ts';
import { isInKorea } from '../weather/time-zone.ts';
import { emptied, foundRow } from './found-rows.ts';

/** Columns that are true of a place of the sample only. */
const OF_A_PLACE = [
  'addr1',
  'addr2',
  'zipcode',
  'tel',
  'firstimage',
  'firstimage2',
  'cpyrhtDivCd',
  'areacode',
  'sigungucode',
  'overview',
  'homepage',
  'telname',
];
const OF_A_KIND = ['cat1', 'cat2', 'cat3', 'lclsSystm1', 'lclsSystm2', 'lclsSystm3'];

export const PLACE_ECHO = {
  contenttypeid: 'contentTypeId',
  lDongRegnCd: 'lDongRegnCd',
  lDongSignguCd: 'lDongSignguCd',
  lclsSystm1: 'lclsSystm1',
  lclsSystm2: 'lclsSystm2',
  lclsSystm3: 'lclsSystm3',
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
  Math.ceil(
    Object.entries(SHARES).reduce(
      (count, [name, share]) => count * (question.text(name) === '' ? 1 : share),
      all,
    ),
  );

/** A district of the asked region; null if there is no such region, undefined if none was asked for. */
export function askedDistrict(question: Question, index: number): District | null | undefined {
  const [region, district] = [question.text('lDongRegnCd'), question.text('lDongSignguCd')];
  if (region === '') return undefined;
  if (district !== '') return districtOf(`${region}${district}`) ?? null;
  const all = districts().filter(({ code, exists }) => code.startsWith(region) && exists);
  const known = all.length > 0 ? all : districts().filter(({ code }) => code.startsWith(region));
  return known[index % known.length] ?? null;
}

/** Position and address in a district. */
function placeIn(district: District, index: number): Row {
  const spread = (axis: string): number => between(-0.02, 0.02, district.code, index, axis);
  const isKnown = !Number.isNaN(district.latitude);
  return {
    addr1: `${district.province} ${district.name}`.trim(),
    lDongRegnCd: district.code.slice(0, 2),
    lDongSignguCd: district.code.slice(2),
    mapx: isKnown ? (district.longitude + spread('x')).toFixed(10) : '',
    mapy: isKnown ? (district.latitude + spread('y')).toFixed(10) : '',
  };
}

const isSame = (template: Row, question: Question): boolean =>
  Object.entries(PLACE_ECHO).every(
    ([column, parameter]) =>
      question.text(parameter) === '' || question.text(parameter) === template[column],
  );

/** A place of the sample if it is one of those that were asked for; otherwise a made-up one in the asked region. */
export function placeRow(question: Question, sample: readonly Row[], index: number): Row {
  const template = sample[index % sample.length] ?? {};
  const found = { parameter: 'keyword', name: 'title', own: OF_A_PLACE, called: '표본 장소' };
  const changed = question.text('modifiedtime');
  const time = changed === '' ? {} : { modifiedtime: changed.slice(0, 8).padEnd(14, '090000') };
  if (isSame(template, question)) return { ...foundRow(question, sample, index, found), ...time };
  const district = askedDistrict(question, index);
  const kind = emptied(template, OF_A_KIND);
  const isOtherKind = ['contentTypeId', 'lclsSystm1'].some((name) => question.text(name) !== '');
  return {
    ...emptied(template, OF_A_PLACE),
    title: `${question.text('keyword') || found.called} ${index + 1}`,
    ...(isOtherKind ? withoutAsked(kind, question) : {}),
    ...(district ? placeIn(district, index) : {}),
    // Addresses are known in Korean only.
    ...(question.tool === 'tour_eng_search_keyword' ? { addr1: '' } : {}),
    ...time,
  };
}

/** Emptied columns must not hide those that repeat the question. */
const withoutAsked = (row: Row, question: Question): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => question.text(column) === ''));

const placesOf = (countOfAll: (question: Question) => number): AnswerRule => ({
  echo: PLACE_ECHO,
  ids: ['contentid'],
  rows(question, sample) {
    if (askedDistrict(question, 0) === null || isUnknownCode(question.text('keyword')))
      return NO_ROWS;
    return repeated(countOf(question, countOfAll(question)), (index) =>
      placeRow(question, sample, index),
    );
  },
});

const METRES_PER_DEGREE = 111_320;

/** Places around a point, the nearest first: within the radius, and in the district of the point. */
const nearby: AnswerRule = {
  echo: { contenttypeid: 'contentTypeId' },
  ids: ['contentid'],
  rows(question, sample) {
    const [x, y] = [question.number('mapX') ?? 0, question.number('mapY') ?? 0];
    const radius = question.number('radius') ?? 0;
    const district = nearest(districts(), y, x) as District | undefined;
    if (!district || !isInKorea(y, x) || radius <= 0) return NO_ROWS;
    const all = Math.min(3_000, Math.ceil((radius / 90) ** 2));
    const count = countOf(question, all);
    return repeated(count, (index) => {
      const distance = radius * Math.sqrt((index + 0.5) / count);
      const angle = between(0, 2 * Math.PI, x, y, index);
      const perDegree = METRES_PER_DEGREE * Math.cos((y * Math.PI) / 180);
      const changed = question.text('modifiedtime');
      const template = sample[index % sample.length] ?? {};
      return {
        ...emptied(template, OF_A_PLACE),
        ...(question.text('contentTypeId') === '' ? {} : emptied(template, OF_A_KIND)),
        ...(index < sample.length && isInSample(sample[index], district)
          ? {}
          : { title: `표본 장소 ${index + 1}` }),
        ...placeIn(district, index),
        dist: String(distance),
        mapx: (x + (distance * Math.cos(angle)) / perDegree).toFixed(10),
        mapy: (y + (distance * Math.sin(angle)) / METRES_PER_DEGREE).toFixed(10),
        ...(changed === '' ? {} : { modifiedtime: changed.padEnd(14, '090000') }),
      };
    });
  },
};

const isInSample = (row: Row | undefined, { code }: District): boolean =>
  `${row?.['lDongRegnCd']}${row?.['lDongSignguCd']}` === code;

/** The place of the sample, or one of which only the id is known. */
const detail: AnswerRule = {
  rows(question, [known = {}]) {
    const id = question.text('contentId');
    if (isUnknownCode(id)) return NO_ROWS;
    if (id === known['contentid']) return repeated(1, () => known);
    const empty = Object.fromEntries(
      [...OF_A_PLACE, ...OF_A_KIND, 'mapx', 'mapy', 'lDongRegnCd', 'lDongSignguCd'].map(
        (column) => [column, ''],
      ),
    );
    return repeated(1, () => ({ ...empty, contentid: id, title: `표본 장소 ${id}` }));
  },
};

/** The provinces, or the districts of one; with lDongListYn=Y, both with their names. */
const regionCodes: AnswerRule = {
  rows(question) {
    const region = question.text('lDongRegnCd');
    const all = districts().filter(({ code, exists }) => exists && code.startsWith(region));
    if (question.text('lDongListYn') === 'Y') {
      return repeated(all.length, (index) => {
        const { code = '', province = '', name = '' } = all[index] ?? {};
        return {
          rnum: index + 1,
          code: undefined,
          name: undefined,
          lDongRegnCd: code.slice(0, 2),
          lDongRegnNm: province,
          lDongSignguCd: code.slice(2),
          lDongSignguNm: name || province,
        };
      });
    }
    const codes = [
      ...new Set(all.map(({ code }) => (region === '' ? code.slice(0, 2) : code.slice(2)))),
    ];
    const nameOf = (code: string): string | undefined =>
      region === ''
        ? provinceName(code)
        : districtOf(`${region}${code}`)?.name || provinceName(region);
    return repeated(codes.length, (index) => ({
      rnum: index + 1,
      code: codes[index],
      name: nameOf(codes[index] ?? ''),
    }));
  },
};

const keywordCount = (question: Question): number =>
  whole(8, 60, 'keyword', question.text('keyword'));

/** Places of the tourism organisation. */
export const TOURISM: AnswerRules = {
  tour_search_keyword: placesOf(keywordCount),
  tour_eng_search_keyword: placesOf(keywordCount),
  tour_area_list: placesOf(() => 50_872),
  tour_pet_places: placesOf(() => 9_781),
  tour_nearby: nearby,
  tour_detail_common: detail,
  tour_region_codes: regionCodes,
};
