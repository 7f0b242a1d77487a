import { ownText } from '../../../src/platform/kernel/plain-json.ts';
import { DAY, type KoreanTime, startOfDay } from '../../../src/public-data/korean-time.ts';
import { onFirstUse, readCodeTable } from '../../places.ts';
import {
  type AnswerRules,
  each,
  foundRow,
  reducedBy,
  repeated,
  rowById,
  words,
} from '../answer-rule.ts';
import { pick, whole } from '../figures.ts';
import type { Question } from '../question.ts';
import { printTime } from '../times.ts';

/** The names of genres (`shcate`), states (`prfstate`) and areas (`signgucode`) by parameter and code. */
const stageCodes = onFirstUse(() => {
  const table = readCodeTable('kopis-codes');
  const ofKind = (kind: string): Readonly<Record<string, string>> =>
    Object.fromEntries(table.flatMap(([of, code, name]) => (of === kind ? [[code, name]] : [])));
  return {
    genres: ofKind('shcate'),
    states: ofKind('prfstate'),
    areas: ofKind('signgucode'),
  };
});

const UPCOMING = '01';
const RUNNING = '02';
const FINISHED = '03';

function stateOf(start: KoreanTime, end: KoreanTime, today: KoreanTime): string {
  if (start > today) return UPCOMING;
  return end < today ? FINISHED : RUNNING;
}

/** The first and the last day of a run that overlaps the asked days, and is in the asked state today. */
function runOf({ text, now }: Question, from: KoreanTime, to: KoreanTime, index: number) {
  const today = startOfDay(now);
  const state = text('prfstate');
  const first = state === UPCOMING ? Math.max(from, today + DAY) : from;
  const last = state === FINISHED ? Math.min(to, today - DAY) : to;
  const days = Math.max(0, Math.round((last - first) / DAY));
  const start = first + whole(0, days, 'run', first, index) * DAY;
  const latest = state === FINISHED ? last : start + 30 * DAY;
  const end = Math.min(start + whole(0, 30, 'run', start, index, 'days') * DAY, latest);
  if (state !== RUNNING) return { start, end };
  return { start: Math.min(start, today), end: Math.max(end, today) };
}

/** Whether a run of the asked days can be in the asked state today. */
function isPossible({ text, now }: Question, from: KoreanTime, to: KoreanTime): boolean {
  const today = startOfDay(now);
  const state = text('prfstate');
  if (state === UPCOMING) return to > today;
  if (state === FINISHED) return from < today;
  return state !== RUNNING || (from <= today && to >= today);
}

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

/** Films of the chart of a day. */
const CHART = 10;

function yearIn({ number, now }: Question, from: string, to: string, index: number): number {
  const last = number(to) ?? number(from) ?? Number(printTime(now, 'YYYY'));
  const first = number(from) ?? last - 5;
  return whole(Math.min(first, last), last, 'film', index);
}

const FOUND_FILM = {
  parameter: 'movieNm',
  name: 'movieNm',
  own: words('movieNmEn genreAlt repGenreNm typeNm prdtStatNm'),
  called: '표본영화',
};
const FOUND_PERFORMANCE = {
  parameter: 'shprfnm',
  name: 'prfnm',
  own: ['poster'],
  called: '표본 공연',
};

export const SHOWS: AnswerRules = {
  // Performances of the asked days, with the genre, the region and the state that were asked for.
  kopis_performance_list: {
    ids: ['mt20id'],
    contains: { fcltynm: 'shprfnmfct' },
    rows(question, sample) {
      const { text, time, has, now } = question;
      const { genres, states, areas } = stageCodes();
      const [from, to] = [time('stdate'), time('eddate')];
      if (from === undefined || to === undefined || to < from) return undefined;
      if (has('signgucode') && !Object.hasOwn(areas, text('signgucode'))) return undefined;
      if (!isPossible(question, from, to)) return undefined;
      const all = PERFORMANCES_A_DAY * ((to - from) / DAY + 1);
      return repeated(Math.ceil(all * reducedBy(question, 1, FILTERS)), (index) => {
        const { start, end } = runOf(question, from, to, index);
        return {
          ...foundRow(question, sample, index, FOUND_PERFORMANCE),
          prfpdfrom: printTime(start, 'YYYY.MM.DD'),
          prfpdto: printTime(end, 'YYYY.MM.DD'),
          area: areas[text('signgucode') || '11'],
          genrenm:
            ownText(genres, text('shcate')) ??
            pick(Object.values(genres) as [string], 'genre', index),
          openrun: text('openrun') || 'N',
          prfstate: states[stateOf(start, end, startOfDay(now))],
        };
      });
    },
  },
  kopis_performance_detail: rowById(
    'mt20id',
    (id, known) => id === known['mt20id'],
    (id, known) => ({
      ...each(Object.keys(known), () => ' '),
      mt20id: id,
      prfnm: `표본 공연 ${id}`,
      openrun: 'N',
    }),
  ),
  // The chart of a past day: fewer admissions from rank to rank, and shares that are those of the takings.
  kofic_daily_box_office: {
    rows({ text, time, now }) {
      const day = time('targetDt');
      if (day === undefined || day >= startOfDay(now)) return undefined;
      const key = words('targetDt wideAreaCd repNationCd multiMovieYn').map(text).join(':');
      const films = Array.from({ length: CHART }, (_, index) => {
        const admissions = Math.round(whole(180_000, 260_000, key, 'first') * 0.62 ** index);
        return { admissions, takings: admissions * whole(9_200, 10_400, key, index) };
      });
      const all = films.reduce((sum, { takings }) => sum + takings, 0) * 1.05;
      return films.map(({ admissions, takings }, index) => {
        const released = day - whole(1, 40, key, index, 'released') * DAY;
        const change = whole(-20, 20, key, index, 'change');
        const before = (value: number): string =>
          String(Math.round(value - value / (1 + change / 100)));
        return {
          movieNm: `표본영화 ${index + 1}`,
          movieCd: String(20_260_000 + index),
          rnum: String(index + 1),
          rank: String(index + 1),
          rankInten: '0',
          rankOldAndNew: 'OLD',
          openDt: printTime(released, 'YYYY-MM-DD'),
          salesAmt: String(takings),
          salesShare: ((takings / all) * 100).toFixed(1),
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
      });
    },
    envelope: ({ text }) => ({
      '/boxOfficeResult/showRange': `${text('targetDt')}~${text('targetDt')}`,
    }),
  },
  // Films whose title, director and years are those that were asked for.
  kofic_movie_search: {
    ids: ['movieCd'],
    rows(question, sample) {
      const { text, has } = question;
      const director = text('directorNm');
      const count = whole(3, 60, 'films', text('movieNm'), director, text('openStartDt'));
      const isOpened = has('openStartDt', 'openEndDt');
      const isNarrowed = isOpened || has('prdtStartYear', 'prdtEndYear', 'directorNm');
      return repeated(count, (index) => {
        const change = foundRow(question, sample, index, FOUND_FILM);
        if (!isNarrowed && Object.keys(change).length === 0) return {};
        const produced = yearIn(question, 'prdtStartYear', 'prdtEndYear', index);
        const opened = yearIn(question, 'openStartDt', 'openEndDt', index);
        return {
          ...change,
          prdtYear: String(isOpened && !has('prdtEndYear') ? opened : produced),
          openDt: isOpened ? `${opened}0${whole(1, 9, 'film', index, 'month')}15` : '',
          directors: director === '' ? [] : [{ peopleNm: director }],
        };
      });
    },
  },
};
