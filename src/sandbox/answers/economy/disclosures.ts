import { DAY, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { readFigure, withCommas } from '../figures.ts';
import { between, pick, smooth, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, type Row, repeated } from '../rows.ts';
import { daysBetween, isWeekday, printTime } from '../times.ts';

const TITLES = [
  '주요사항보고서',
  '임원ㆍ주요주주특정증권등소유상황보고서',
  '최대주주등소유주식변동신고서',
  '기업설명회(IR)개최(안내공시)',
  '단일판매ㆍ공급계약체결',
  '현금ㆍ현물배당결정',
] as const;

/** Filings a day: of one company, and of all. */
const PER_DAY = { one: 0.15, all: 160 } as const;

/** Filings of the weekdays of a range, the latest first unless another order is asked for. */
const disclosures: AnswerRule = {
  rows(question, sample) {
    const company = question.text('corp_code');
    const today = startOfDay(question.now);
    const to = question.time('end_de') ?? today;
    const days = daysBetween(question.time('bgn_de') ?? to, Math.min(to, today)).filter(isWeekday);
    if (days.length === 0 || isUnknownCode(company)) return NO_ROWS;
    const perDay = company === '' ? PER_DAY.all : PER_DAY.one;
    const count = Math.max(1, Math.round(days.length * perDay));
    const ascending = question.text('sort_mth') === 'asc';
    return repeated(count, (index) => {
      const place = Math.floor((index / count) * days.length);
      const day = days[ascending ? place : days.length - 1 - place] ?? today;
      return filingRow(question, sample, day, index);
    });
  },
  envelope: (_question, page) => ({ '/total_page': Math.ceil(page.total / page.size) }),
};

/** The company of the sample, or one of which only the number is known. */
function filingRow(
  question: Question,
  [known = {}]: readonly Row[],
  day: number,
  index: number,
): Row {
  const asked = question.text('corp_code');
  const code = asked || String(whole(100_000, 999_999, 'filer', day, index)).padStart(8, '0');
  const isKnown = code === known['corp_code'];
  const name = isKnown ? known['corp_name'] : code;
  const date = printTime(day, 'YYYYMMDD');
  const market =
    question.text('corp_cls') || (isKnown ? known['corp_cls'] : pick(['Y', 'K', 'E'], code));
  return {
    corp_code: code,
    corp_name: name,
    stock_code: isKnown ? known['stock_code'] : '',
    corp_cls: market,
    report_nm: pick(TITLES, code, day, index),
    rcept_no: `${date}${String(800_000 + (index % 100_000)).padStart(6, '0')}`,
    flr_nm: name,
    rcept_dt: date,
    rm: '',
  };
}

/** The company of the sample, or one of which only the number is known. */
const overview: AnswerRule = {
  whole(question, sample) {
    const code = question.text('corp_code');
    if (code === sample['corp_code']) return sample;
    if (isUnknownCode(code)) return undefined;
    const { status, message } = sample;
    const empty = Object.fromEntries(Object.keys(sample).map((name) => [name, '']));
    return {
      ...empty,
      status,
      message,
      corp_code: code,
      corp_name: code,
      ceo_nm: '표본 대표',
      corp_cls: 'E',
      acc_mt: '12',
    };
  },
};

/** The end of the period of each report, as month and day, and the share of the year that has passed by then. */
const REPORTS: ReadonlyMap<string, readonly [end: string, share: number, filedAfterDays: number]> =
  new Map([
    ['11013', ['03.31', 0.25, 45]],
    ['11012', ['06.30', 0.5, 45]],
    ['11014', ['09.30', 0.75, 45]],
    ['11011', ['12.31', 1, 90]],
  ]);

interface Account {
  readonly sj_div: 'BS' | 'IS';
  readonly account_nm: string;
  readonly ord: string;
  /** Share of the yearly sales. */
  readonly of: (key: string) => number;
}

const debtShare = (key: string): number => between(0.25, 0.6, key, 'debts');

/** The lines of a report: assets are debts and equity, and both halves of each add up. */
const ACCOUNTS: readonly Account[] = [
  { sj_div: 'BS', account_nm: '유동자산', ord: '1', of: () => 0.7 },
  { sj_div: 'BS', account_nm: '비유동자산', ord: '3', of: () => 0.9 },
  { sj_div: 'BS', account_nm: '자산총계', ord: '5', of: () => 1.6 },
  { sj_div: 'BS', account_nm: '유동부채', ord: '7', of: (key) => 0.96 * debtShare(key) },
  { sj_div: 'BS', account_nm: '비유동부채', ord: '9', of: (key) => 0.64 * debtShare(key) },
  { sj_div: 'BS', account_nm: '부채총계', ord: '11', of: (key) => 1.6 * debtShare(key) },
  { sj_div: 'BS', account_nm: '자본금', ord: '13', of: () => 0.05 },
  { sj_div: 'BS', account_nm: '이익잉여금', ord: '17', of: (key) => 1.4 * (1 - debtShare(key)) },
  { sj_div: 'BS', account_nm: '자본총계', ord: '21', of: (key) => 1.6 * (1 - debtShare(key)) },
  { sj_div: 'IS', account_nm: '매출액', ord: '23', of: () => 1 },
  { sj_div: 'IS', account_nm: '영업이익', ord: '25', of: (key) => between(0.03, 0.15, key) },
  {
    sj_div: 'IS',
    account_nm: '법인세차감전 순이익',
    ord: '27',
    of: (key) => between(0.03, 0.15, key) * 1.05,
  },
  {
    sj_div: 'IS',
    account_nm: '당기순이익',
    ord: '29',
    of: (key) => between(0.03, 0.15, key) * 0.8,
  },
];

const STATEMENTS = { BS: '재무상태표', IS: '손익계산서' } as const;
const SCOPES = [
  { fs_div: 'CFS', fs_nm: '연결재무제표', share: 1 },
  { fs_div: 'OFS', fs_nm: '재무제표', share: 0.7 },
] as const;

/** The lines of a report, consolidated and separate; nothing before it is filed. */
const keyAccounts: AnswerRule = {
  rows(question, sample) {
    const company = question.text('corp_code');
    const year = question.number('bsns_year') ?? 0;
    const [end = '12.31', share = 1, filedAfterDays = 90] =
      REPORTS.get(question.text('reprt_code')) ?? [];
    const filed = Date.parse(`${year}-${end.replace('.', '-')}`) + filedAfterDays * DAY;
    if (isUnknownCode(company) || !(filed < question.now)) return NO_ROWS;
    const [known = {}] = sample;
    const isKnown = company === known['corp_code'];
    const real = readFigure(
      sample.find((row) => row['account_nm'] === '매출액')?.['thstrm_amount'],
    );
    const sales = isKnown && real ? real : 10 ** between(10.5, 13, company);
    const stock_code = isKnown ? known['stock_code'] : '';
    return listed(
      SCOPES.flatMap((scope) =>
        ACCOUNTS.map((account) => ({
          rcept_no: `${printTime(filed, 'YYYYMMDD')}000001`,
          stock_code,
          ...accountRow({ company, sales, year, end, share }, scope, account),
        })),
      ),
    );
  },
  echo: { corp_code: 'corp_code', bsns_year: 'bsns_year', reprt_code: 'reprt_code' },
};

/** Whose report it is, on which year until which month and day, and the share of the year that it covers. */
interface Report {
  readonly company: string;
  /** Sales of a year, won. */
  readonly sales: number;
  readonly year: number;
  readonly end: string;
  readonly share: number;
}

function accountRow(
  { company, sales: all, year, end, share }: Report,
  { share: scopeShare, ...scope }: (typeof SCOPES)[number],
  { of, ...account }: Account,
): Row {
  const isSum = account.sj_div === 'IS';
  const sales = all * scopeShare;
  const amount = (each: number): string =>
    withCommas(
      Math.round(
        (sales * of(company) * (isSum ? share : 1) * (0.8 + 0.4 * smooth(each, 3, company))) / 1000,
      ) * 1000,
    );
  const period = (each: number): string =>
    isSum ? `${each}.01.01 ~ ${each}.${end}` : `${each}.${end} 현재`;
  const periods = (['thstrm', 'frmtrm', 'bfefrmtrm'] as const).flatMap((name, ago) => [
    [`${name}_nm`, `제 ${Math.max(1, year - ago - 1968)} 기`],
    [`${name}_dt`, period(year - ago)],
    [`${name}_amount`, amount(year - ago)],
  ]);
  return {
    ...scope,
    ...account,
    sj_nm: STATEMENTS[account.sj_div],
    ...Object.fromEntries(periods),
  };
}

/** The disclosure system. */
export const DISCLOSURES: AnswerRules = {
  dart_search_disclosures: disclosures,
  dart_company_overview: overview,
  dart_key_accounts: keyAccounts,
};
