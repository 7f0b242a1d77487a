import { DAY, type KoreanTime, monthsBefore } from '../../../public-data/korean-time.ts';
import { districtOf } from '../../facts/places.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { withCommas } from '../figures.ts';
import { between, noise, pick, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, type Row, repeated } from '../rows.ts';
import { monthsBetween, printTime } from '../times.ts';

const daysOfMonth = (month: KoreanTime): number => (monthsBefore(month, -1) - month) / DAY;

interface DealKind {
  /** Deals of a district in a month: the fewest and the most. */
  readonly perMonth: readonly [number, number];
  readonly prices: (size: number, key: string, index: number) => Row;
}

/**
 * A rule for the deals of a district in a month, the latest first. The places of the sample are those of its own district;
 * elsewhere places are called by their codes.
 */
const dealsOf = ({ perMonth, prices }: DealKind): AnswerRule => ({
  echo: { sggCd: 'LAWD_CD' },
  ids: ['aptSeq'],
  rows(question, sample) {
    const [code, month] = [question.text('LAWD_CD'), question.time('DEAL_YMD')];
    const district = districtOf(code);
    if (!district || month === undefined || month > question.now) return NO_ROWS;
    const key = `${question.tool}:${code}:${question.text('DEAL_YMD')}`;
    const count = whole(...perMonth, key);
    const isKnown = sample[0]?.['sggCd'] === code;
    const passed = Math.min(daysOfMonth(month), Math.floor((question.now - month) / DAY) + 1);
    return repeated(count, (index) => {
      const size = between(40, 135, key, index);
      const umdCd = String(10_100 + 100 * whole(0, 9, key, index, 'place'));
      const place = {
        umdNm: umdCd,
        umdCd,
        jibun: String(whole(1, 900, key, index, 'lot')),
        aptNm: `표본아파트 ${whole(1, 30, key, index, 'complex')}`,
        estateAgentSggNm: `${district.province} ${district.name}`.trim(),
        roadNm: '',
        roadnm: '',
        aptSeq: `${code}-${whole(1, 30, key, index, 'complex')}`,
      };
      return {
        ...(isKnown && index < sample.length ? {} : place),
        excluUseAr: size.toFixed(2),
        floor: String(whole(1, 25, key, index, 'floor')),
        buildYear: String(whole(1980, Number(printTime(month, 'YYYY')) - 1, key, index, 'built')),
        dealYear: printTime(month, 'YYYY'),
        dealMonth: String(new Date(month).getUTCMonth() + 1),
        dealDay: String(passed - Math.floor((index / count) * passed)),
        cdealType: ' ',
        cdealDay: ' ',
        rgstDate: ' ',
        ...prices(size, key, index),
      };
    });
  },
});

/** In units of 10,000 won, for square metres in a district. */
const priceOf = (size: number, key: string, index: number): number =>
  Math.round((size * between(500, 2_600, key.slice(0, -2)) * between(0.8, 1.2, key, index)) / 100) *
  100;

const sales = (size: number, key: string, index: number): Row => ({
  dealAmount: withCommas(priceOf(size, key, index)),
  dealingGbn: noise(key, index, 'direct') > 0.1 ? '중개거래' : '직거래',
});

const rents = (size: number, key: string, index: number): Row => {
  const worth = priceOf(size, key, index) * 0.55;
  const monthly = pick([0, 0, 50, 80, 120, 160], key, index, 'monthly');
  return {
    deposit: withCommas(Math.round((worth * (monthly === 0 ? 1 : 0.3)) / 100) * 100),
    monthlyRent: withCommas(monthly),
    contractTerm: ' ',
    contractType: ' ',
    preDeposit: ' ',
    preMonthlyRent: ' ',
    useRRRight: ' ',
  };
};

const ITEMS_OF_PREFIX = 3;
/** Months of one answer. */
const MAX_TRADE_MONTHS = 12;

/** The codes of ten digits below a prefix. */
const itemsOf = (prefix: string): string[] =>
  prefix.length >= 10
    ? [prefix]
    : Array.from({ length: ITEMS_OF_PREFIX }, (_, index) =>
        `${prefix}${String(index + 1).padStart(2, '0')}`.padEnd(10, '0').slice(0, 10),
      );

const sumOf = (rows: readonly Row[], column: string): number =>
  rows.reduce((sum, row) => sum + Number(row[column]), 0);

const TRADE_COLUMNS = ['expDlr', 'expWgt', 'impDlr', 'impWgt', 'balPayments'] as const;

/** A row with the totals, and one for each month that is published and each item below the code. */
const trade: AnswerRule = {
  rows(question) {
    const prefix = question.text('hsSgn');
    const [from, to] = [question.time('strtYymm'), question.time('endYymm')];
    if (from === undefined || to === undefined || isUnknownCode(prefix)) return NO_ROWS;
    const published = monthsBetween(from, to)
      .slice(0, MAX_TRADE_MONTHS)
      .filter((month) => monthsBefore(month, -1) <= question.now);
    const rows = published.flatMap((month) => itemsOf(prefix).map((code) => tradeRow(code, month)));
    if (rows.length === 0) return NO_ROWS;
    const totals = TRADE_COLUMNS.map((column) => [column, String(sumOf(rows, column))]);
    return listed([
      { year: '총계', hsCode: '-', statKor: '-', ...Object.fromEntries(totals) },
      ...rows,
    ]);
  },
};

function tradeRow(code: string, month: KoreanTime): Row {
  const dollars = (name: string): number =>
    Math.round(10 ** between(5, 8, code, name) * between(0.8, 1.2, code, name, month));
  const [exported, imported] = [dollars('export'), dollars('import')];
  const perKilogram = between(8, 90, code);
  return {
    year: printTime(month, 'YYYY.MM'),
    hsCode: code,
    statKor: code,
    expDlr: String(exported),
    expWgt: String(Math.round(exported / perKilogram)),
    impDlr: String(imported),
    impWgt: String(Math.round(imported / perKilogram)),
    balPayments: String(exported - imported),
  };
}

/** Average prices of the day; they are published in the small hours. */
const fuel: AnswerRule = {
  rows({ now }: Question, sample) {
    const day = printTime(now, 'YYYYMMDD');
    const others = [
      { PRODCD: 'C004', PRODNM: '실내등유', PRICE: '1310.50' },
      { PRODCD: 'K015', PRODNM: '자동차용부탄', PRICE: '1055.20' },
    ];
    return listed(
      [...sample, ...others].map((row: Row) => {
        const code = String(row['PRODCD']);
        const price = (of: KoreanTime): number =>
          Number(row['PRICE']) * (0.97 + 0.06 * noise(code, printTime(of, 'YYYYMMDD')) * 0.05);
        const change = price(now) - price(now - DAY);
        return {
          ...row,
          TRADE_DT: day,
          PRICE: price(now).toFixed(2),
          DIFF: `${change < 0 ? '' : '+'}${change.toFixed(2)}`,
        };
      }),
    );
  },
};

/** Deals, trade and prices. */
export const DEALS: AnswerRules = {
  molit_apt_trades: dealsOf({ perMonth: [60, 130], prices: sales }),
  molit_apt_rents: dealsOf({ perMonth: [400, 1_200], prices: rents }),
  customs_item_trade: trade,
  opinet_average_prices: fuel,
};
