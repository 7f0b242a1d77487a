import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { readFigure } from '../figures.ts';
import { between, type Seed, smooth, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, type Row } from '../rows.ts';
import { printTime } from '../times.ts';

const yearNow = (question: Question): number => Number(printTime(question.now, 'YYYY'));

/** The row with its text emptied, but for some columns: what it says is true of the company of the sample only. */
const nameless = (row: Row, kept: readonly string[]): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, kept.includes(column) ? value : '']),
  );

const BOTH_SNAPSHOTS = ['fstOpegDt', 'lastOpegDt'];

/** Made-up digits of a company: the same for its name or number in every call. */
const digitsOf = (count: number, ...seed: Seed): string =>
  Array.from({ length: count }, (_, index) => whole(1, 9, ...seed, index)).join('');

/** A business registration number with the right check digit. */
function businessNumberOf(company: string): string {
  const digits = digitsOf(9, 'bzno', company);
  return Array.from({ length: 10 }, (_, last) => `${digits}${last}`).find(isBusinessNumber) ?? '';
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

/** The snapshots of the company of the sample, or of one of which only the asked name or number is known. */
const corporateOutline: AnswerRule = {
  rows(question, sample) {
    const [name, number] = [question.text('corpNm'), question.text('crno')];
    if (isUnknownCode(number) || isUnknownCode(name)) return NO_ROWS;
    const found = sample.filter(
      (row) => String(row['corpNm']).includes(name) && (number === '' || row['crno'] === number),
    );
    if (found.length > 0) return listed(found);
    return listed(
      sample.map((row) => ({
        ...nameless(row, BOTH_SNAPSHOTS),
        ...madeUpOutline(name, number),
      })),
    );
  },
};

/** Made-up accounts of a company in a year, in won; assets are what is owed and what is owned. */
function accountsOf(company: string, year: number, sample: readonly Row[]) {
  const real = sample.find((row) => row['crno'] === company)?.['enpSaleAmt'];
  const size = readFigure(real) ?? 10 ** between(10.5, 13, company);
  const level = size * (1 + 0.05 * (year - 2015)) * (0.9 + 0.2 * smooth(year, 2, company));
  const sales = Math.round(level);
  const profit = Math.round(level * between(0.02, 0.15, company, year));
  const assets = Math.round(level * 1.6);
  const debts = Math.round(assets * between(0.25, 0.6, company));
  const capital = Math.round(size * 0.05);
  return { sales, profit, assets, debts, equity: assets - debts, capital };
}

/** Annual accounts are filed in the spring of the next year. */
const isFiled = (question: Question, year: number): boolean =>
  year < yearNow(question) - 1 ||
  (year === yearNow(question) - 1 && Number(printTime(question.now, 'MM')) > 3);

const KINDS = [
  { fnclDcd: '110', fnclDcdNm: '연결요약재무제표', share: 1 },
  { fnclDcd: '120', fnclDcdNm: '별도요약재무제표', share: 0.7 },
];

/** Two rows a year: consolidated and separate. The company of the sample has its real figures in the year of the sample. */
const summaryFinancials: AnswerRule = {
  rows(question, sample) {
    const company = question.text('crno');
    if (isUnknownCode(company)) return NO_ROWS;
    const asked = question.number('bizYear');
    const years = asked === undefined ? [1, 2, 3].map((ago) => yearNow(question) - ago) : [asked];
    return listed(
      years
        .filter((year) => isFiled(question, year))
        .flatMap((year) => KINDS.map((kind) => summaryRow(company, year, kind, sample))),
    );
  },
};

function summaryRow(
  company: string,
  year: number,
  { share, ...kind }: (typeof KINDS)[number],
  sample: readonly Row[],
): Row {
  const real = sample.find(
    (row) =>
      row['crno'] === company && row['bizYear'] === String(year) && row['fnclDcd'] === kind.fnclDcd,
  );
  if (real) return real;
  const accounts = accountsOf(company, year, sample);
  const print = (amount: number): string => String(Math.round(amount * share));
  return {
    basDt: `${year}1231`,
    crno: company,
    bizYear: String(year),
    ...kind,
    enpSaleAmt: print(accounts.sales),
    enpBzopPft: print(accounts.profit),
    iclsPalClcAmt: print(accounts.profit * 1.05),
    enpCrtmNpf: print(accounts.profit * 0.8),
    enpTastAmt: print(accounts.assets),
    enpTdbtAmt: print(accounts.debts),
    enpTcptAmt: print(accounts.equity),
    enpCptlAmt: print(accounts.capital),
    fnclDebtRto: ((accounts.debts / accounts.equity) * 100).toFixed(10),
  };
}

/** A Korean business registration number has a check digit. */
export function isBusinessNumber(number: string): boolean {
  if (!/^\d{10}$/.test(number) || /^(\d)\1+$/.test(number)) return false;
  const digits = [...number].map(Number);
  const weights = [1, 3, 7, 1, 3, 7, 1, 3, 5];
  const sum = weights.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0);
  const carry = Math.floor(((digits[8] ?? 0) * 5) / 10);
  return (10 - ((sum + carry) % 10)) % 10 === digits[9];
}

const numbersOf = (question: Question): string[] => {
  const numbers = question.body['b_no'];
  return Array.isArray(numbers) ? numbers.map(String).slice(0, 100) : [];
};

/** One row per asked number: active if its check digit is right, otherwise not registered. */
const businessStatus: AnswerRule = {
  rows(question, [active = {}, unregistered = {}]) {
    return listed(
      numbersOf(question).map((number) => ({
        ...(isBusinessNumber(number) ? active : unregistered),
        b_no: number,
      })),
    );
  },
  envelope: (question, page) => ({
    '/request_cnt': page.total,
    '/match_cnt': numbersOf(question).filter(isBusinessNumber).length,
  }),
};

/** One row per asked business, which repeats what was asked; none is ever confirmed. */
const businessValidation: AnswerRule = {
  rows(question, [known = {}]) {
    const businesses = question.body['businesses'];
    if (!Array.isArray(businesses)) return NO_ROWS;
    const fields = known['request_param'] as Row;
    return listed(
      businesses.slice(0, 100).map((business: Row) => {
        const param = Object.keys(fields).map((name) => [name, String(business[name] ?? '')]);
        return { b_no: String(business['b_no']), request_param: Object.fromEntries(param) };
      }),
    );
  },
  envelope: (_question, page) => ({ '/request_cnt': page.total }),
};

/** Registers of companies. */
export const COMPANIES: AnswerRules = {
  fsc_corp_outline: corporateOutline,
  fsc_summary_financials: summaryFinancials,
  nts_business_status: businessStatus,
  nts_business_validate: businessValidation,
};
