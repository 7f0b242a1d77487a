import { DAY, startOfDay } from '../../../src/public-data/korean-time.ts';
import { type AnswerRules, each, namedAlike, type Row, repeated, rowById } from '../answer-rule.ts';
import { between, pick, readFigure, type Seed, smooth, whole, withCommas } from '../figures.ts';
import type { Question } from '../question.ts';
import { daysBetween, isWeekday, printTime } from '../times.ts';

const yearNow = ({ now }: Question): number => Number(printTime(now, 'YYYY'));

/** Made-up digits of a company: the same for its name or number in every call. */
const digitsOf = (count: number, ...seed: Seed): string =>
  Array.from({ length: count }, (_, index) => whole(1, 9, ...seed, index)).join('');

/** A business registration number with the right check digit. */
function businessNumberOf(company: string): string {
  const digits = digitsOf(9, 'bzno', company);
  return Array.from({ length: 10 }, (_, last) => `${digits}${last}`).find(isBusinessNumber) ?? '';
}

/** A Korean business registration number has a check digit. */
function isBusinessNumber(number: string): boolean {
  if (!/^\d{10}$/.test(number) || /^(\d)\1+$/.test(number)) return false;
  const digits = [...number].map(Number);
  const weights = [1, 3, 7, 1, 3, 7, 1, 3, 5];
  const sum = weights.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0);
  const carry = Math.floor(((digits[8] ?? 0) * 5) / 10);
  return (10 - ((sum + carry) % 10)) % 10 === digits[9];
}

/** What is made up of a company that is not in the sample, so that other tools can be asked about it. */
const madeUpOutline = (name: string, number: string): Row => ({
  corpNm: name || number,
  enpPbanCmpyNm: name || number,
  crno: number || digitsOf(13, 'crno', name),
  bzno: businessNumberOf(name || number),
  fssCorpUnqNo: digitsOf(8, 'corp_code', name || number),
  enpRprFnm: '표본 대표',
  enpEmpeCnt: String(whole(50, 9_000, 'employees', name || number)),
});

/** Sales of a company of which no real ones are known, in won. */
const salesOf = (company: string): number => 10 ** between(10.5, 13, company);

/** Annual accounts are filed in the spring of the next year. */
const isFiled = (question: Question, year: number): boolean =>
  year < yearNow(question) - 1 ||
  (year === yearNow(question) - 1 && Number(printTime(question.now, 'MM')) > 3);

const KINDS = [
  { fnclDcd: '110', fnclDcdNm: '연결요약재무제표', share: 1 },
  { fnclDcd: '120', fnclDcdNm: '별도요약재무제표', share: 0.7 },
];

/** Made-up accounts of a company in a year, in won; assets are what is owed and what is owned. */
function summaryRow(
  company: string,
  bizYear: string,
  { share, ...kind }: (typeof KINDS)[number],
  sample: readonly Row[],
): Row {
  const ofCompany = sample.filter(({ crno }) => crno === company);
  const real = ofCompany.find(
    (row) => row['bizYear'] === bizYear && row['fnclDcd'] === kind.fnclDcd,
  );
  if (real) return real;
  const year = Number(bizYear);
  const size = readFigure(ofCompany[0]?.['enpSaleAmt']) ?? salesOf(company);
  const level = size * (1 + 0.05 * (year - 2015)) * (0.9 + 0.2 * smooth(year, 2, company));
  const profit = Math.round(level * between(0.02, 0.15, company, year));
  const assets = Math.round(level * 1.6);
  const debts = Math.round(assets * between(0.25, 0.6, company));
  const print = (amount: number): string => String(Math.round(amount * share));
  return {
    basDt: `${bizYear}1231`,
    crno: company,
    bizYear,
    ...kind,
    enpSaleAmt: print(Math.round(level)),
    enpBzopPft: print(profit),
    iclsPalClcAmt: print(profit * 1.05),
    enpCrtmNpf: print(profit * 0.8),
    enpTastAmt: print(assets),
    enpTdbtAmt: print(debts),
    enpTcptAmt: print(assets - debts),
    enpCptlAmt: print(Math.round(size * 0.05)),
    fnclDebtRto: ((debts / (assets - debts)) * 100).toFixed(10),
  };
}

const numbersOf = ({ body: { b_no: numbers } }: Question): string[] =>
  Array.isArray(numbers) ? numbers.map(String).slice(0, 100) : [];

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

/** A filing of the company of the sample, or of one of which only the number is known. */
function filingRow({ text }: Question, known: Row, day: number, index: number): Row {
  const asked = text('corp_code');
  const code = asked || String(whole(100_000, 999_999, 'filer', day, index)).padStart(8, '0');
  const isKnown = code === known['corp_code'];
  const name = isKnown ? known['corp_name'] : code;
  const date = printTime(day, 'YYYYMMDD');
  return {
    corp_code: code,
    corp_name: name,
    stock_code: isKnown ? known['stock_code'] : '',
    corp_cls: text('corp_cls') || (isKnown ? known['corp_cls'] : pick(['Y', 'K', 'E'], code)),
    report_nm: pick(TITLES, code, day, index),
    rcept_no: `${date}${String(800_000 + (index % 100_000)).padStart(6, '0')}`,
    flr_nm: name,
    rcept_dt: date,
    rm: '',
  };
}

/** The end of the period of each report, as month and day, and the share of the year that has passed by then. */
const REPORTS: ReadonlyMap<string, readonly [end: string, share: number, filedAfterDays: number]> =
  new Map([
    ['11013', ['03.31', 0.25, 45]],
    ['11012', ['06.30', 0.5, 45]],
    ['11014', ['09.30', 0.75, 45]],
    ['11011', ['12.31', 1, 90]],
  ]);

const debtShare = (key: string): number => between(0.25, 0.6, key, 'debts');
const profitShare = (key: string): number => between(0.03, 0.15, key);

/** The lines of a report and their shares of the yearly sales: assets are debts and equity, and both halves of each add up. */
const ACCOUNTS: readonly (readonly [
  sheet: 'BS' | 'IS',
  order: string,
  name: string,
  of: (key: string) => number,
])[] = [
  ['BS', '1', '유동자산', () => 0.7],
  ['BS', '3', '비유동자산', () => 0.9],
  ['BS', '5', '자산총계', () => 1.6],
  ['BS', '7', '유동부채', (key) => 0.96 * debtShare(key)],
  ['BS', '9', '비유동부채', (key) => 0.64 * debtShare(key)],
  ['BS', '11', '부채총계', (key) => 1.6 * debtShare(key)],
  ['BS', '13', '자본금', () => 0.05],
  ['BS', '17', '이익잉여금', (key) => 1.4 * (1 - debtShare(key))],
  ['BS', '21', '자본총계', (key) => 1.6 * (1 - debtShare(key))],
  ['IS', '23', '매출액', () => 1],
  ['IS', '25', '영업이익', profitShare],
  ['IS', '27', '법인세차감전 순이익', (key) => profitShare(key) * 1.05],
  ['IS', '29', '당기순이익', (key) => profitShare(key) * 0.8],
];

const STATEMENTS = { BS: '재무상태표', IS: '손익계산서' } as const;
const SCOPES = [
  { fs_div: 'CFS', fs_nm: '연결재무제표', share: 1 },
  { fs_div: 'OFS', fs_nm: '재무제표', share: 0.7 },
] as const;

const SAMPLE_WORKPLACE = '7101020';

/** Registers of companies, their disclosures and their workplaces. */
export const COMPANIES: AnswerRules = {
  // The snapshots of the company of the sample, or of one of which only the asked name or number is known.
  fsc_corp_outline: {
    codes: ['corpNm', 'crno'],
    rows({ text }, sample) {
      const [name, number] = [text('corpNm'), text('crno')];
      const found = sample.filter(
        ({ corpNm, crno }) => String(corpNm).includes(name) && ['', crno].includes(number),
      );
      if (found.length > 0) return found;
      return sample.map(({ fstOpegDt, lastOpegDt, ...row }) => ({
        ...each(Object.keys(row), () => ''),
        ...madeUpOutline(name, number),
      }));
    },
  },
  // Two rows a year: consolidated and separate. The company of the sample has its real figures in the year of the sample.
  fsc_summary_financials: {
    codes: ['crno'],
    rows(question, sample) {
      const asked = question.number('bizYear');
      const years = asked === undefined ? [1, 2, 3].map((ago) => yearNow(question) - ago) : [asked];
      const company = question.text('crno');
      return years
        .filter((year) => isFiled(question, year))
        .flatMap((year) => KINDS.map((kind) => summaryRow(company, String(year), kind, sample)));
    },
  },
  // One row per asked number: active if its check digit is right, otherwise not registered.
  nts_business_status: {
    rows: (question, [active = {}, unregistered = {}]) =>
      numbersOf(question).map((number) => ({
        ...(isBusinessNumber(number) ? active : unregistered),
        b_no: number,
      })),
    envelope: (question, { total }) => ({
      '/request_cnt': total,
      '/match_cnt': numbersOf(question).filter(isBusinessNumber).length,
    }),
  },
  // One row per asked business, which repeats what was asked; none is ever confirmed.
  nts_business_validate: {
    rows({ body: { businesses } }, [known = {}]) {
      if (!Array.isArray(businesses)) return undefined;
      const fields = Object.keys(known['request_param'] as Row);
      return businesses.slice(0, 100).map((business: Row) => ({
        b_no: String(business['b_no']),
        request_param: each(fields, (name) => String(business[name] ?? '')),
      }));
    },
    envelope: (_question, { total }) => ({ '/request_cnt': total }),
  },
  // Workplaces whose name contains the asked words; those of the sample first, if they do and lie in the asked place.
  nps_search_workplaces: {
    echo: namedAlike('ldongAddrMgplDgCd ldongAddrMgplSgguCd ldongAddrMgplSgguEmdCd'),
    ids: ['seq'],
    codes: ['wkplNm'],
    rows({ text, now }, [known = {}]) {
      const [asked, start] = [text('wkplNm'), text('bzowrRgstNo')];
      const isElsewhere = !['', known['ldongAddrMgplDgCd']].includes(text('ldongAddrMgplDgCd'));
      const month = printTime(now - 45 * DAY, 'YYYYMM');
      return repeated(whole(3, 60, 'workplaces', asked, start), (index) => {
        const isKnown = index === 0 && String(known['wkplNm']).includes(asked);
        const seq = whole(8_000_000, 8_900_000, asked) + index;
        return {
          dataCrtYm: month,
          bzowrRgstNo: `${start || whole(100_000, 899_999, asked, index)}****`,
          ...(isKnown ? {} : { wkplNm: `${asked} ${index + 1}`, seq }),
          ...(isKnown && !isElsewhere ? {} : { wkplRoadNmDtlAddr: '' }),
        };
      });
    },
  },
  // Only the workplace of the sample has a name that a search finds.
  nps_workplace_detail: rowById(
    'seq',
    (seq) => seq === SAMPLE_WORKPLACE,
    (seq) => ({
      wkplNm: `표본 사업장 ${seq}`,
      bzowrRgstNo: `${whole(100_000, 899_999, seq)}****`,
      jnngpCnt: whole(3, 400, seq),
      crrmmNtcAmt: String(whole(3, 400, seq) * 220_000),
      vldtVlKrnNm: '',
    }),
  ),
  // Filings of the weekdays of a range, the latest first unless another order is asked for.
  dart_search_disclosures: {
    codes: ['corp_code'],
    rows(question, [known = {}]) {
      const { text, time, now } = question;
      const today = startOfDay(now);
      const to = time('end_de') ?? today;
      const days = daysBetween(time('bgn_de') ?? to, Math.min(to, today)).filter(isWeekday);
      if (text('sort_mth') !== 'asc') days.reverse();
      if (days.length === 0) return undefined;
      const perDay = text('corp_code') === '' ? PER_DAY.all : PER_DAY.one;
      const count = Math.max(1, Math.round(days.length * perDay));
      return repeated(count, (index) => {
        const day = days[Math.floor((index / count) * days.length)] ?? today;
        return filingRow(question, known, day, index);
      });
    },
    envelope: (_question, { total, size }) => ({ '/total_page': Math.ceil(total / size) }),
  },
  // The company of the sample, or one of which only the number is known.
  dart_company_overview: {
    codes: ['corp_code'],
    whole({ text }, sample) {
      const code = text('corp_code');
      if (code === sample['corp_code']) return sample;
      return {
        ...each(Object.keys(sample), () => ''),
        status: sample['status'],
        message: sample['message'],
        corp_code: code,
        corp_name: code,
        ceo_nm: '표본 대표',
        corp_cls: 'E',
        acc_mt: '12',
      };
    },
  },
  // The lines of a report, consolidated and separate; nothing before it is filed.
  dart_key_accounts: {
    codes: ['corp_code'],
    rows({ text, number, now }, sample) {
      const company = text('corp_code');
      const year = number('bsns_year') ?? 0;
      const [end = '12.31', share = 1, filedAfterDays = 90] = REPORTS.get(text('reprt_code')) ?? [];
      const filed = Date.parse(`${year}-${end.replace('.', '-')}`) + filedAfterDays * DAY;
      if (!(filed < now)) return undefined;
      const isKnown = company === sample[0]?.['corp_code'];
      const line = sample.find(({ account_nm }) => account_nm === '매출액');
      const real = readFigure(line?.['thstrm_amount']);
      const sales = isKnown && real ? real : salesOf(company);
      return SCOPES.flatMap(({ share: ofScope, ...scope }) =>
        ACCOUNTS.map(([sj_div, ord, account_nm, of]) => {
          const isSum = sj_div === 'IS';
          const amount = (each: number): number =>
            sales *
            ofScope *
            of(company) *
            (isSum ? share : 1) *
            (0.8 + 0.4 * smooth(each, 3, company));
          const periods = ['thstrm', 'frmtrm', 'bfefrmtrm'].map((name, ago) => ({
            [`${name}_nm`]: `제 ${Math.max(1, year - ago - 1968)} 기`,
            [`${name}_dt`]: isSum
              ? `${year - ago}.01.01 ~ ${year - ago}.${end}`
              : `${year - ago}.${end} 현재`,
            [`${name}_amount`]: withCommas(Math.round(amount(year - ago) / 1000) * 1000),
          }));
          return {
            rcept_no: `${printTime(filed, 'YYYYMMDD')}000001`,
            stock_code: isKnown ? sample[0]?.['stock_code'] : '',
            ...scope,
            sj_div,
            sj_nm: STATEMENTS[sj_div],
            account_nm,
            ord,
            ...Object.assign({}, ...periods),
          };
        }),
      );
    },
    echo: namedAlike('corp_code bsns_year reprt_code'),
  },
};
