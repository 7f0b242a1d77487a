import { ownText } from '../../../platform/kernel/plain-json.ts';
import { DAY, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { pick, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, type Row, repeated } from '../rows.ts';
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

/** Films of the chart of a day. */
const CHART = 10;

/** The chart of a past day: fewer admissions from rank to rank, and shares that are those of the takings. */
const boxOffice: AnswerRule = {
  rows(question) {
    const day = question.time('targetDt');
    if (day === undefined || day >= startOfDay(question.now)) return NO_ROWS;
    const key = `${question.text('targetDt')}:${question.text('wideAreaCd')}:${question.text('repNationCd')}:${question.text('multiMovieYn')}`;
    const films = Array.from({ length: CHART }, (_, index) => {
      const admissions = Math.round(whole(180_000, 260_000, key, 'first') * 0.62 ** index);
      return { admissions, takings: admissions * whole(9_200, 10_400, key, index) };
    });
    const all = films.reduce((sum, { takings }) => sum + takings, 0) * 1.05;
    return listed(
      films.map((film, index) => ({
        ...madeUpFilm(index),
        ...chartRow({ key, day, share: film.takings / all, ...film }, index),
      })),
    );
  },
  envelope: (question) => ({
    '/boxOfficeResult/showRange': `${question.text('targetDt')}~${question.text('targetDt')}`,
  }),
};

const madeUpFilm = (index: number): Row => ({
  movieNm: `표본영화 ${index + 1}`,
  movieCd: String(20_260_000 + index),
});

/** A film on the chart of a day. */
interface Film {
  readonly key: string;
  readonly day: KoreanTime;
  readonly admissions: number;
  /** Won. */
  readonly takings: number;
  /** Of all takings of the day, 0 to 1. */
  readonly share: number;
}

function chartRow({ key, day, admissions, takings, share }: Film, index: number): Row {
  const released = day - whole(1, 40, key, index, 'released') * DAY;
  const change = whole(-20, 20, key, index, 'change');
  const before = (value: number): string => String(Math.round(value - value / (1 + change / 100)));
  return {
    rnum: String(index + 1),
    rank: String(index + 1),
    rankInten: '0',
    rankOldAndNew: 'OLD',
    openDt: printTime(released, 'YYYY-MM-DD'),
    salesAmt: String(takings),
    salesShare: (share * 100).toFixed(1),
    salesInten: before(takings),
    salesChange: String(change),
    salesAcc: String(takings * 9),
    audiCnt: String(admissions),
    audiInten: before(admissions),
    audiChange: String(change),
    audiAcc: String(admissions * 9),
    scrnCnt: String(whole(200, 1_400, key, index, 'screens')),
    showCnt: String(whole(900, 5_000, key, index, 'shows')),
  };
}

/** A year within the asked ones. */
const yearIn = (question: Question, from: string, to: string, index: number): number => {
  const last =
    question.number(to) ?? question.number(from) ?? Number(printTime(question.now, 'YYYY'));
  const first = question.number(from) ?? Math.min(last, last - 5);
  return whole(Math.min(first, last), last, 'film', index);
};

const OF_A_FILM = ['movieNmEn', 'genreAlt', 'repGenreNm', 'typeNm', 'prdtStatNm'];

/** Films whose title, director and years are those that were asked for. */
const films: AnswerRule = {
  ids: ['movieCd'],
  rows(question, sample) {
    const [title, director] = [question.text('movieNm'), question.text('directorNm')];
    const count = whole(3, 60, 'films', title, director, question.text('openStartDt'));
    const found = { parameter: 'movieNm', name: 'movieNm', own: OF_A_FILM, called: '표본영화' };
    const hasYears = ['openStartDt', 'openEndDt', 'prdtStartYear', 'prdtEndYear'].some(
      (name) => question.text(name) !== '',
    );
    return repeated(count, (index) => {
      const change = foundRow(question, sample, index, found);
      const isKnown = !hasYears && director === '' && Object.keys(change).length === 0;
      if (isKnown) return {};
      const produced = yearIn(question, 'prdtStartYear', 'prdtEndYear', index);
      const opened = yearIn(question, 'openStartDt', 'openEndDt', index);
      const isOpened = question.text('openStartDt') !== '' || question.text('openEndDt') !== '';
      return {
        ...change,
        prdtYear: String(isOpened && question.text('prdtEndYear') === '' ? opened : produced),
        openDt: isOpened ? `${opened}0${whole(1, 9, 'film', index, 'month')}15` : '',
        directors: director === '' ? [] : [{ peopleNm: director }],
      };
    });
  },
};

/** Performances and films. */
export const STAGE_AND_SCREEN: AnswerRules = {
  kopis_performance_list: performances,
  kopis_performance_detail: performance,
  kofic_daily_box_office: boxOffice,
  kofic_movie_search: films,
};
