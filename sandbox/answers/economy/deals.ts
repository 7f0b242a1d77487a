import { DAY, HOUR, type KoreanTime, monthsBefore } from '../../../src/public-data/korean-time.ts';
import { districtOf } from '../../places.ts';
import {
  type AnswerRule,
  type AnswerRules,
  each,
  filled,
  type Row,
  repeated,
  words,
} from '../answer-rule.ts';
import { between, noise, pick, whole, withCommas } from '../figures.ts';
import type { Question } from '../question.ts';
import { monthsBetween, printTime } from '../times.ts';

/**
 * A rule for so many deals of a district in a month, the latest first. The places of the sample are those of its own
 * district; elsewhere places are called by their codes.
 */
const dealsOf = (
  perMonth: readonly [fewest: number, most: number],
  prices: (size: number, key: string, index: number) => Row,
): AnswerRule => ({
  echo: { sggCd: 'LAWD_CD' },
  ids: ['aptSeq'],
  rows({ tool, text, time, now }, sample) {
    const [code, month] = [text('LAWD_CD'), time('DEAL_YMD')];
    const district = districtOf(code);
    if (!district || month === undefined || month > now) return undefined;
    const key = `${tool}:${code}:${text('DEAL_YMD')}`;
    const count = whole(...perMonth, key);
    const isKnown = sample[0]?.['sggCd'] === code;
    const passed = Math.min(
      (monthsBefore(month, -1) - month) / DAY,
      Math.floor((now - month) / DAY) + 1,
    );
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
        ...filled('cdealType cdealDay rgstDate', ' '),
        ...prices(size, key, index),
      };
    });
  },
});

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
    ...filled('contractTerm contractType preDeposit preMonthlyRent useRRRight', ' '),
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

const TRADE_COLUMNS = words('expDlr expWgt impDlr impWgt balPayments');

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

/** Fuels of the upstream that the sample does not have. */
const OTHER_FUELS: readonly Row[] = [
  { PRODCD: 'C004', PRODNM: '실내등유', PRICE: '1310.50' },
  { PRODCD: 'K015', PRODNM: '자동차용부탄', PRICE: '1055.20' },
];

/** Notices a day: of all, and of those that a question narrows down. */
const PER_DAY = { all: 220, narrowed: 1.5 } as const;

const NARROWING = words(
  'bidNtceNm ntceInsttNm ntceInsttCd dminsttNm dminsttCd refNo prtcptLmtRgnCd ' +
    'prtcptLmtRgnNm indstrytyCd indstrytyNm presmptPrceBgn presmptPrceEnd dtilPrdctClsfcNo prcrmntReqNo intrntnlDivCd',
);

const OPEN = 12 * DAY;
const SECONDS = 'YYYY-MM-DD HH:mm:ss';

/** An estimated price within the asked range, in won. */
function tenderPrice({ number }: Question, index: number): number {
  const low = number('presmptPrceBgn') ?? 20_000_000;
  const high = number('presmptPrceEnd') ?? Math.max(low * 10, 500_000_000);
  return whole(low, high, 'tender', index, low);
}

/** The title of a notice of the sample if it contains the asked words. */
function titleOf(asked: string, sample: readonly Row[], index: number): string {
  const title = String(sample[index]?.['bidNtceNm'] ?? '');
  return title.includes(asked) && title !== '' ? title : `${asked || '표본 용역'} ${index + 1}`;
}

export const DEALS: AnswerRules = {
  molit_apt_trades: dealsOf([60, 130], sales),
  molit_apt_rents: dealsOf([400, 1_200], rents),
  // A row with the totals, and one for each month that is published and each item below the code.
  customs_item_trade: {
    codes: ['hsSgn'],
    rows({ text, time, now }) {
      const [from, to] = [time('strtYymm'), time('endYymm')];
      if (from === undefined || to === undefined) return undefined;
      const rows = monthsBetween(from, to)
        .slice(0, MAX_TRADE_MONTHS)
        .filter((month) => monthsBefore(month, -1) <= now)
        .flatMap((month) => itemsOf(text('hsSgn')).map((code) => tradeRow(code, month)));
      const sumOf = (column: string): string =>
        String(rows.reduce((sum, row) => sum + Number(row[column]), 0));
      const totals = { year: '총계', hsCode: '-', statKor: '-', ...each(TRADE_COLUMNS, sumOf) };
      return rows.length === 0 ? undefined : [totals, ...rows];
    },
  },
  // Average prices of the day; they are published in the small hours.
  opinet_average_prices: {
    rows: ({ now }, sample) =>
      [...sample, ...OTHER_FUELS].map((row) => {
        const priceOn = (day: KoreanTime): number =>
          Number(row['PRICE']) *
          (0.97 + 0.06 * noise(String(row['PRODCD']), printTime(day, 'YYYYMMDD')) * 0.05);
        const change = priceOn(now) - priceOn(now - DAY);
        return {
          ...row,
          TRADE_DT: printTime(now, 'YYYYMMDD'),
          PRICE: priceOn(now).toFixed(2),
          DIFF: `${change < 0 ? '' : '+'}${change.toFixed(2)}`,
        };
      }),
  },
  // Notices of the asked period, spread over it, the latest first.
  pps_search_service_bids: {
    codes: NARROWING,
    contains: { ntceInsttNm: 'ntceInsttNm', dminsttNm: 'dminsttNm' },
    rows(question, sample) {
      const { text, time: timeOf, has, now } = question;
      const [from, asked] = [timeOf('inqryBgnDt'), timeOf('inqryEndDt')];
      if (from === undefined || asked === undefined) return undefined;
      const to = Math.min(asked, now);
      if (to < from) return undefined;
      const perDay = has(...NARROWING) ? PER_DAY.narrowed : PER_DAY.all;
      const count = Math.max(1, Math.round(((to - from) / DAY) * perDay));
      // By the time of the opening, or by that of the notice.
      const byOpening = text('inqryDiv') === '2';
      const earliest = text('bidClseExcpYn') === 'Y' ? now + DAY : 0;
      return repeated(count, (index) => {
        const share = (index + noise('tender', index)) / count;
        const time = Math.floor((to - share * (to - from)) / 1000) * 1000;
        const posted = byOpening ? time - OPEN : time;
        const opening = byOpening ? time : Math.max(posted + OPEN, earliest);
        const price = tenderPrice(question, index);
        const number = whole(10_000_000, 99_999_999, 'notice', posted, index);
        return {
          bidNtceNm: titleOf(text('bidNtceNm'), sample, index),
          bidNtceNo: `R${printTime(posted, 'YY')}BK${number}`,
          bidNtceDt: printTime(posted, SECONDS),
          rgstDt: printTime(posted, SECONDS),
          bidClseDt: printTime(opening - HOUR, SECONDS),
          opengDt: printTime(opening, SECONDS),
          presmptPrce: String(price),
          asignBdgtAmt: String(Math.round(price * 1.1)),
          ntceInsttOfclNm: '',
          bidNtceDtlUrl: '',
        };
      });
    },
  },
};
