import { DAY, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { whole } from '../noise.ts';
import type { Question } from '../question.ts';
import { listed, NO_ROWS, type Row, repeated } from '../rows.ts';
import { printTime } from '../times.ts';
import { foundRow } from './found-rows.ts';

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

/** The film council. */
export const FILMS: AnswerRules = {
  kofic_daily_box_office: boxOffice,
  kofic_movie_search: films,
};
