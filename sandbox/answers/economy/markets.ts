import {
  DAY,
  type KoreanTime,
  monthsBefore,
  startOfDay,
} from '../../../src/public-data/korean-time.ts';
import {
  type AnswerRule,
  type AnswerRules,
  crossed,
  each,
  extended,
  type Row,
  type Rows,
  words,
} from '../answer-rule.ts';
import { between, readFigure, smooth, whole } from '../figures.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { daysBetween, isWeekday, printTime } from '../times.ts';

/** By which parameters an instrument, an index or a company is found: an exact value of a column, or a part of it. */
const FILTERS: readonly (readonly [column: string, exact: string, part: string])[] = [
  ['srtnCd', 'srtnCd', 'likeSrtnCd'],
  ['isinCd', 'isinCd', 'likeIsinCd'],
  ['itmsNm', 'itmsNm', 'likeItmsNm'],
  ['crno', 'crno', ''],
  ['corpNm', 'corpNm', 'likeCorpNm'],
  ['bssIdxIdxNm', 'bssIdxIdxNm', 'likeBssIdxIdxNm'],
  ['idxNm', 'idxNm', 'likeIdxNm'],
  ['mrktCtg', 'mrktCls', ''],
];

/** The values that a question gives for columns. */
const filtersOf = ({ text }: Question) =>
  FILTERS.flatMap(([column, exact, part]) => [
    { column, value: text(exact), isPart: false },
    { column, value: part && text(part), isPart: true },
  ]).filter(({ value }) => value !== '');

/**
 * Those that a question names: known ones, or else one with just the asked code or name. All, if it names none; none, if it
 * names an unknown code.
 */
function askedInstruments(question: Question, all: readonly Row[]): readonly Row[] {
  const filters = filtersOf(question);
  const found = all.filter((row) =>
    filters.every(({ column, value, isPart }) => {
      const text = String(row[column] ?? '');
      return isPart ? text.includes(value) : text === value;
    }),
  );
  if (found.length > 0 || filters.some(({ value }) => isUnknownCode(value))) return found;
  const nameless = each(Object.keys(all[0] ?? {}), (column) =>
    /Nm$/.test(column) ? filters[0]?.value : '',
  );
  const asked = filters.map(({ column, value }) => [column, value]);
  return [{ ...nameless, ...Object.fromEntries(asked) }];
}

/** The first and the last day that a question names; a day such as "202609" means a month, and the end of a range is excluded. */
function spanOf({ text, time, now }: Question): readonly [KoreanTime, KoreanTime] {
  const [day, part] = [time('basDt'), time('likeBasDt')];
  if (day !== undefined) return [day, day];
  if (part !== undefined) {
    const months = { 4: 12, 6: 1 }[text('likeBasDt').length];
    return [part, months ? monthsBefore(part, -months) - DAY : part];
  }
  const end = time('endBasDt') ?? now + DAY;
  return [time('beginBasDt') ?? end - 14 * DAY, end - DAY];
}

/** Days on which there was trading, the latest first. The figures of a day are published on the next one. */
function tradingDays(question: Question): Row[] {
  const [first, last] = spanOf(question);
  return daysBetween(first, Math.min(last, startOfDay(question.now) - DAY))
    .filter(isWeekday)
    .reverse()
    .map((day) => ({ basDt: printTime(day, 'YYYYMMDD') }));
}

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
  const before = Number(print(closeAt(key, base, previousDay(day))));
  const close = Number(print(closeAt(key, base, day)));
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
}

interface TradedMarket extends Market {
  readonly decimals: number;
  /** Further columns of a day. */
  readonly more?: (row: Row, close: number, day: KoreanTime) => Row;
}

/** The instruments of the sample, each once, and made-up ones. */
function instrumentsOf(sample: readonly Row[], { id, columns, others }: Market): Row[] {
  const columnsOf = (row: Row): Row => each(columns, (column) => row[column] ?? '');
  const known = new Map(sample.map((row) => [row[id], columnsOf(row)]));
  return [...known.values(), ...others.map((row) => ({ ...columnsOf(row), ...row }))];
}

/** One row per trading day and instrument, the latest day first. */
const dayRows = (question: Question, sample: readonly Row[], market: Market): Rows =>
  crossed(tradingDays(question), askedInstruments(question, instrumentsOf(sample, market)));

const traded = (market: TradedMarket): AnswerRule => ({
  rows(question, sample) {
    const rows = extended(dayRows(question, sample, market), (row) => {
      const key = String(row[market.id] || row['itmsNm']);
      const known = sample.find((each) => each[market.id] === row[market.id]);
      const base = readFigure(known?.['clpr']) ?? whole(20, 2_000, key) * 100;
      const day = Date.parse(String(row['basDt']).replace(/(....)(..)(..)/, '$1-$2-$3'));
      const prices = quote(key, base, day, market.decimals);
      const same = { ...row, lstgStCnt: known?.['lstgStCnt'] ?? known?.['stLstgCnt'] };
      return { ...prices, ...market.more?.(same, Number(prices.clpr), day) };
    });
    return withinNetAssetValue(question, rows);
  },
});

/** Rows that are examined for a range of values. */
const MAX_FILTERED = 5_000;

function withinNetAssetValue({ number }: Question, rows: Rows): Rows | Row[] {
  const [low, high] = [number('beginNav'), number('endNav')];
  if (low === undefined && high === undefined) return rows;
  return Array.from({ length: Math.min(rows.count, MAX_FILTERED) }, (_, index) =>
    rows.at(index),
  ).filter(({ nav }) => Number(nav) >= (low ?? 0) && Number(nav) < (high ?? Infinity));
}

/** Instruments with different codes and no names of real ones. */
const madeUpInstruments = (count: number, columnsOf: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    srtnCd: String(900_000 + 10 * index),
    isinCd: '',
    ...columnsOf(index),
  }));

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

const INSTRUMENT = ['srtnCd', 'isinCd', 'itmsNm'];

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
  // Instruments that are listed on a day, without prices.
  fsc_krx_listed_items: {
    rows: (question, sample) =>
      dayRows(question, sample, {
        id: 'srtnCd',
        columns: words('srtnCd isinCd mrktCtg itmsNm crno corpNm'),
        others: STOCKS.map((row) => ({ ...row, srtnCd: `A${row['srtnCd']}` })),
      }),
  },
  fsc_stock_index: traded({
    id: 'idxNm',
    columns: words('idxNm idxCsf basPntm basIdx epyItmsCnt'),
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
