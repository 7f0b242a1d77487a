import { ownText } from '../../../platform/kernel/plain-json.ts';
import { DAY, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { pick, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, repeated } from '../rows.ts';
import { printTime } from '../times.ts';
import { foundRow } from './found-rows.ts';

const GENRES: Readonly<Record<string, string>> = {
  AAAA: '연극',
  BBBC: '무용(서양/한국무용)',
  BBBE: '대중무용',
  CCCA: '서양음악(클래식)',
  CCCC: '한국음악(국악)',
  CCCD: '대중음악',
  EEEA: '복합',
  EEEB: '서커스/마술',
  GGGA: '뮤지컬',
};

const AREAS: Readonly<Record<string, string>> = {
  11: '서울특별시',
  26: '부산광역시',
  27: '대구광역시',
  28: '인천광역시',
  29: '광주광역시',
  30: '대전광역시',
  31: '울산광역시',
  36: '세종특별자치시',
  41: '경기도',
  43: '충청북도',
  44: '충청남도',
  45: '전라북도',
  46: '전라남도',
  47: '경상북도',
  48: '경상남도',
  50: '제주특별자치도',
  51: '강원특별자치도',
};

const UPCOMING = '01';
const RUNNING = '02';
const FINISHED = '03';
const STATES: Readonly<Record<string, string>> = {
  [UPCOMING]: '공연예정',
  [RUNNING]: '공연중',
  [FINISHED]: '공연완료',
};

const stateOf = (start: KoreanTime, end: KoreanTime, today: KoreanTime): string => {
  if (start > today) return UPCOMING;
  return end < today ? FINISHED : RUNNING;
};

const DATE = 'YYYY.MM.DD';

/** The first and the last day of a run that overlaps the asked days, and is in the asked state today. */
function runOf(question: Question, from: KoreanTime, to: KoreanTime, index: number) {
  const today = startOfDay(question.now);
  const state = question.text('prfstate');
  const first = state === UPCOMING ? Math.max(from, today + DAY) : from;
  const last = state === FINISHED ? Math.min(to, today - DAY) : to;
  const days = Math.max(0, Math.round((last - first) / DAY));
  const start = first + whole(0, days, 'run', first, index) * DAY;
  const end = Math.min(
    start + whole(0, 30, 'run', start, index, 'days') * DAY,
    state === FINISHED ? last : start + 30 * DAY,
  );
  if (state !== RUNNING) return { start, end };
  return { start: Math.min(start, today), end: Math.max(end, today) };
}

const isPossible = (question: Question, from: KoreanTime, to: KoreanTime): boolean => {
  const today = startOfDay(question.now);
  switch (question.text('prfstate')) {
    case UPCOMING:
      return to > today;
    case FINISHED:
      return from < today;
    case RUNNING:
      return from <= today && to >= today;
    default:
      return true;
  }
};

/** Performances on an average day. */
const PERFORMANCES_A_DAY = 40;
/** The share that a filter leaves. */
const FILTERS = {
  shcate: 0.15,
  signgucode: 0.1,
  signgucodesub: 0.1,
  prfstate: 0.4,
  shprfnm: 0.01,
  shprfnmfct: 0.02,
  prfplccd: 0.01,
  kidstate: 0.1,
  openrun: 0.03,
  afterdate: 0.3,
};

/** Performances of the asked days, with the genre, the region and the state that were asked for. */
const performances: AnswerRule = {
  ids: ['mt20id'],
  contains: { fcltynm: 'shprfnmfct' },
  rows(question, sample) {
    const [from, to] = [question.time('stdate'), question.time('eddate')];
    if (from === undefined || to === undefined || to < from || !isPossible(question, from, to))
      return NO_ROWS;
    const area = question.text('signgucode');
    if (area !== '' && !Object.hasOwn(AREAS, area)) return NO_ROWS;
    const share = Object.entries(FILTERS).reduce(
      (left, [name, part]) => left * (question.text(name) === '' ? 1 : part),
      1,
    );
    const count = Math.ceil(PERFORMANCES_A_DAY * ((to - from) / DAY + 1) * share);
    const found = { parameter: 'shprfnm', name: 'prfnm', own: ['poster'], called: '표본 공연' };
    return repeated(count, (index) => {
      const { start, end } = runOf(question, from, to, index);
      return {
        ...foundRow(question, sample, index, found),
        prfpdfrom: printTime(start, DATE),
        prfpdto: printTime(end, DATE),
        area: AREAS[area || '11'],
        genrenm:
          ownText(GENRES, question.text('shcate')) ??
          pick(Object.values(GENRES) as [string], 'genre', index),
        openrun: question.text('openrun') || 'N',
        prfstate: STATES[stateOf(start, end, startOfDay(question.now))],
      };
    });
  },
};

/** The performance of the sample, or one of which only the id is known. */
const performance: AnswerRule = {
  rows(question, [known = {}]) {
    const id = question.text('mt20id');
    if (isUnknownCode(id)) return NO_ROWS;
    if (id === known['mt20id']) return listed([known]);
    const empty = Object.fromEntries(Object.keys(known).map((column) => [column, ' ']));
    return listed([{ ...empty, mt20id: id, prfnm: `표본 공연 ${id}`, openrun: 'N' }]);
  },
};

/** Performances. */
export const STAGE: AnswerRules = {
  kopis_performance_list: performances,
  kopis_performance_detail: performance,
};
