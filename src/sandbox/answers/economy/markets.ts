import { DAY, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { readFigure } from '../figures.ts';
import { between, smooth, whole } from '../noise.ts';
import type { Question } from '../question.ts';
import { crossed, extended, listed, type Row, type Rows } from '../rows.ts';
import { daysBetween, isWeekday, printTime } from '../times.ts';
import { askedInstruments, madeUpInstruments } from './listings.ts';

/** The first and the last day that a question names; a day such as "202609" means a month, and the end of a range is excluded. */
function spanOf(question: Question): readonly [KoreanTime, KoreanTime] {
  const day = question.time('basDt');
  if (day !== undefined) return [day, day];
  const part = question.time('likeBasDt');
  if (part !== undefined) {
    const digits = question.text('likeBasDt').length;
    const end = new Date(part);
    if (digits === 4) end.setUTCFullYear(end.getUTCFullYear() + 1);
    else if (digits === 6) end.setUTCMonth(end.getUTCMonth() + 1);
    else end.setUTCDate(end.getUTCDate() + 1);
    return [part, end.getTime() - DAY];
  }
  const end = question.time('endBasDt') ?? question.now + DAY;
  return [question.time('beginBasDt') ?? end - 14 * DAY, end - DAY];
}

/** Days on which there was trading, the latest first. The figures of a day are published on the next one. */
function tradingDays(question: Question): KoreanTime[] {
  const [first, last] = spanOf(question);
  return daysBetween(first, Math.min(last, startOfDay(question.now) - DAY))
    .filter(isWeekday)
    .reverse();
}

const dayRows = (question: Question): Row[] =>
  tradingDays(question).map((day) => ({ basDt: printTime(day, 'YYYYMMDD') }));

/** The closing price on a day: around `base`, with a slow and a fast change. */
const closeAt = (key: string, base: number, day: KoreanTime): number =>
  base * (0.8 + 0.4 * smooth(day, 120 * DAY, key) + 0.06 * smooth(day, 2 * DAY, key, 'days'));

const previousDay = (day: KoreanTime): KoreanTime =>
  isWeekday(day - DAY) ? day - DAY : previousDay(day - DAY);

/** "-.19" rather than "-0.19". */
const bare = (figure: string): string => figure.replace(/^(-?)0\./, '$1.').replace(/^\.00$/, '0');

/** Prices and turnover of a day: the low is the lowest, the high the highest, and the change is that from the day before. */
function quote(key: string, base: number, day: KoreanTime, decimals: number) {
  const print = (value: number): string => value.toFixed(decimals);
  const [before, close] = [previousDay(day), day].map((each) =>
    Number(print(closeAt(key, base, each))),
  ) as [number, number];
  const open = before * between(0.995, 1.005, key, day, 'open');
  const volume = whole(20_000, 900_000, key, day, 'volume');
  return {
    clpr: print(close),
    vs: bare(print(close - before)),
    fltRt: bare((((close - before) / before) * 100).toFixed(2)),
    mkp: print(open),
    hipr: print(Math.max(open, close) * between(1, 1.01, key, day, 'high')),
    lopr: print(Math.min(open, close) * between(0.99, 1, key, day, 'low')),
    trqu: String(volume),
    trPrc: String(Math.round(volume * close)),
  };
}

interface Market {
  /** The column by which an instrument is known. */
  readonly id: string;
  /** The columns of an instrument that are the same every day. */
  readonly columns: readonly string[];
  readonly others: readonly Row[];
  readonly decimals: number;
  /** Further columns of a day. */
  readonly more?: (row: Row, close: number, day: KoreanTime) => Row;
}

const columnsOf = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? '']));

/** The instruments of the sample, each once, and made-up ones. */
function instrumentsOf(sample: readonly Row[], { id, columns, others }: Market): Row[] {
  const known = new Map(sample.map((row) => [row[id], columnsOf(row, columns)]));
  return [...known.values(), ...others.map((row) => ({ ...columnsOf(row, columns), ...row }))];
}

/** A rule for one row per trading day and instrument, the latest day first. */
const traded = (market: Market): AnswerRule => ({
  rows(question, sample) {
    const asked = askedInstruments(question, instrumentsOf(sample, market));
    const rows = extended(crossed(dayRows(question), asked), (row) => {
      const key = String(row[market.id] || row['itmsNm']);
      const known = sample.find((each) => each[market.id] === row[market.id]);
      const base = readFigure(known?.['clpr']) ?? whole(20, 2_000, key) * 100;
      const day = Date.parse(printDashed(String(row['basDt'])));
      const prices = quote(key, base, day, market.decimals);
      const same = { ...row, lstgStCnt: known?.['lstgStCnt'] ?? known?.['stLstgCnt'] };
      return { ...prices, ...market.more?.(same, Number(prices.clpr), day) };
    });
    return withinNetAssetValue(question, rows);
  },
});

const printDashed = (digits: string): string => digits.replace(/(....)(..)(..)/, '$1-$2-$3');

/** Rows that are examined for a range of values. */
const MAX_FILTERED = 5_000;

function withinNetAssetValue(question: Question, rows: Rows): Rows {
  const [low, high] = [question.number('beginNav'), question.number('endNav')];
  if (low === undefined && high === undefined) return rows;
  const all = Array.from({ length: Math.min(rows.count, MAX_FILTERED) }, (_, index) =>
    rows.at(index),
  );
  return listed(
    all.filter(({ nav }) => Number(nav) >= (low ?? 0) && Number(nav) < (high ?? Infinity)),
  );
}

/** Roughly as many as are listed. */
const LISTED = { KOSPI: 950, KOSDAQ: 1_800, KONEX: 115 } as const;
const STOCKS = Object.entries(LISTED).flatMap(([mrktCtg, count], market) =>
  madeUpInstruments(count, (index) => ({
    mrktCtg,
    srtnCd: String(500_000 + market * 100_000 + index * 10),
    itmsNm: `표본종목 ${mrktCtg} ${index + 1}`,
    corpNm: `표본회사 ${mrktCtg} ${index + 1}`,
    crno: '',
  })),
);
const FUNDS = madeUpInstruments(40, (index) => ({ itmsNm: `표본 ETF ${index + 1}` }));
const INDICES = ['코스닥', '코스피 200'].map((idxNm) => ({ idxNm, idxCsf: '' }));

const sharesOf = (row: Row): number =>
  readFigure(row['lstgStCnt']) ?? whole(5, 900, String(row['srtnCd']), 'shares') * 1_000_000;

/** Instruments that are listed on a day, without prices. */
const listedItems: AnswerRule = {
  rows(question, sample) {
    const market = {
      id: 'srtnCd',
      columns: ['srtnCd', 'isinCd', 'mrktCtg', 'itmsNm', 'crno', 'corpNm'],
      others: STOCKS.map((row) => ({ ...row, srtnCd: `A${row['srtnCd']}` })),
      decimals: 0,
    };
    const asked = askedInstruments(question, instrumentsOf(sample, market));
    return crossed(dayRows(question), asked);
  },
};

const INSTRUMENT = ['srtnCd', 'isinCd', 'itmsNm'];

/** Prices of the Korea Exchange. */
export const MARKETS: AnswerRules = {
  fsc_stock_prices: traded({
    id: 'srtnCd',
    columns: [...INSTRUMENT, 'mrktCtg'],
    others: STOCKS,
    decimals: 0,
    more: (row, close) => ({
      lstgStCnt: String(sharesOf(row)),
      mrktTotAmt: String(sharesOf(row) * close),
    }),
  }),
  fsc_krx_listed_items: listedItems,
  fsc_stock_index: traded({
    id: 'idxNm',
    columns: ['idxNm', 'idxCsf', 'basPntm', 'basIdx', 'epyItmsCnt'],
    others: INDICES,
    decimals: 2,
    more: (_row, close, day) => ({
      lsYrEdVsFltRg: String(Math.round(close * 0.05)),
      lsYrEdVsFltRt: '5.26',
      yrWRcrdHgst: (close * 1.04).toFixed(2),
      yrWRcrdHgstDt: printTime(previousDay(day - 20 * DAY), 'YYYYMMDD'),
      yrWRcrdLwst: (close * 0.9).toFixed(2),
      yrWRcrdLwstDt: printTime(previousDay(day - 40 * DAY), 'YYYYMMDD'),
    }),
  }),
  fsc_etf_prices: traded({
    id: 'srtnCd',
    columns: [...INSTRUMENT, 'bssIdxIdxNm'],
    others: FUNDS,
    decimals: 0,
    more: (row, close) => ({
      nav: (close * 0.998).toFixed(2),
      stLstgCnt: String(sharesOf(row)),
      mrktTotAmt: String(sharesOf(row) * close),
      nPptTotAmt: String(Math.round(sharesOf(row) * close * 0.998)),
      bssIdxClpr: (close * 0.31).toFixed(2),
    }),
  }),
  fsc_gold_prices: traded({ id: 'srtnCd', columns: INSTRUMENT, others: [], decimals: 0 }),
};
