import { DAY, HOUR, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import { jsonResponse } from '../../sandbox-response.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { withCommas } from '../figures.ts';
import { smooth } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { crossed, extended, listed, NO_ROWS, type Row } from '../rows.ts';
import { daysBetween, isWeekday, printTime, readTime, weekdayOf } from '../times.ts';

/** Rough values of one euro. */
const PER_EURO: Readonly<Record<string, number>> = {
  EUR: 1,
  USD: 1.12,
  KRW: 1530,
  JPY: 165,
  GBP: 0.86,
  CNY: 8.05,
  CNH: 8.06,
  AUD: 1.72,
  CAD: 1.54,
  CHF: 0.94,
  HKD: 8.72,
  SGD: 1.46,
  THB: 37.5,
  IDR: 18200,
  MYR: 4.85,
  NZD: 1.88,
  SEK: 11.2,
  NOK: 11.6,
  DKK: 7.46,
  AED: 4.11,
  SAR: 4.2,
  KWD: 0.345,
  BHD: 0.422,
  BND: 1.46,
  INR: 95,
  PHP: 64,
  TWD: 35.5,
  VND: 29000,
  BRL: 6.2,
  MXN: 21,
  TRY: 46,
  ZAR: 20,
  PLN: 4.27,
  CZK: 24.8,
  HUF: 402,
  RON: 5.05,
  ILS: 4.1,
  ISK: 143,
};

/** Those for which the export-import bank publishes rates. */
const OF_THE_BANK = [
  'AED',
  'AUD',
  'BHD',
  'BND',
  'CAD',
  'CHF',
  'CNH',
  'DKK',
  'EUR',
  'GBP',
  'HKD',
  'IDR(100)',
  'JPY(100)',
  'KRW',
  'KWD',
  'MYR',
  'NOK',
  'NZD',
  'SAR',
  'SEK',
  'SGD',
  'THB',
  'USD',
];

/** How much of a currency one euro buys on a day; a currency that is not listed has a made-up value. */
function perEuro(currency: string, day: KoreanTime): number {
  const value = PER_EURO[currency] ?? 10;
  return currency === 'EUR'
    ? 1
    : value * (0.96 + 0.08 * smooth(day, 45 * DAY, 'currency', currency));
}

/** How much of `quote` one `base` buys on a day. */
export const rate = (base: string, quote: string, day: KoreanTime): number =>
  perEuro(quote, day) / perEuro(base, day);

/** Five significant digits, as central banks publish. */
const significant = (value: number): number => Number(value.toPrecision(5));

const PUBLISHED_AT = 11 * HOUR;

/** The rates of a weekday; none on weekends, in the future, and on the day itself before 11:00. */
const bankRates: AnswerRule = {
  rows(question, sample) {
    const day = startOfDay(question.time('searchdate') ?? question.now);
    if (!isWeekday(day) || day + PUBLISHED_AT > question.now) return NO_ROWS;
    return listed(
      OF_THE_BANK.map((unit) => {
        const [currency = '', per = '1'] = unit.replace(')', '').split('(');
        const won = rate(currency, 'KRW', day) * Number(per);
        const print = (share: number): string => withCommas((won * share).toFixed(2));
        const known = sample.find((row) => row['cur_unit'] === unit);
        return {
          cur_unit: unit,
          cur_nm: known?.['cur_nm'] ?? currency,
          ttb: currency === 'KRW' ? '0' : print(0.99),
          tts: currency === 'KRW' ? '0' : print(1.01),
          deal_bas_r: print(1),
          bkpr: withCommas(Math.floor(won)),
          kftc_bkpr: withCommas(Math.floor(won)),
          kftc_deal_bas_r: print(1),
        };
      }),
    );
  },
};

/** Rows of one response, beyond which the service calls a request too heavy. */
const MAX_RATES = 20_000;

/** The asked days with rates: one day, or the weekdays of a range, thinned out to one per week or month. */
function rateDays(question: Question): KoreanTime[] {
  const today = startOfDay(question.now);
  const day = question.time('date');
  if (day !== undefined) return day > today ? [] : [day];
  const from = question.time('from');
  if (from === undefined) return [latestWeekday(today - DAY)];
  const days = daysBetween(from, Math.min(question.time('to') ?? today, today)).filter(isWeekday);
  return days.filter((each, index) => index === 0 || startsGroup(question.text('group'), each));
}

const latestWeekday = (day: KoreanTime): KoreanTime =>
  isWeekday(day) ? day : latestWeekday(day - DAY);

function startsGroup(group: string, day: KoreanTime): boolean {
  if (group === 'week') return weekdayOf(day) === 1;
  if (group === 'month') return day === firstWeekdayOfMonth(day);
  return true;
}

function firstWeekdayOfMonth(day: KoreanTime): KoreanTime {
  const date = new Date(day);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return [first, first + DAY, first + 2 * DAY].find(isWeekday) ?? first;
}

const isKnown = (currency: string): boolean => /^[A-Z]{3}$/.test(currency) && currency !== 'XXX';

function quotesOf(question: Question): Row[] {
  const asked = question.list('quotes').map((quote) => quote.toUpperCase());
  const quotes =
    asked.length > 0 ? asked : Object.keys(PER_EURO).sort((one, other) => one.localeCompare(other));
  return quotes
    .filter((quote) => isKnown(quote) && !isUnknownCode(quote))
    .map((quote) => ({ quote }));
}

/** Rates between any two currencies, which agree with each other. */
const referenceRates: AnswerRule = {
  refuse(question) {
    const hasRange = question.text('from') !== '' || question.text('to') !== '';
    if (question.text('date') !== '' && hasRange) {
      return jsonResponse({ message: 'date cannot be combined with from or to' }, 422);
    }
    const count = rateDays(question).length * quotesOf(question).length;
    return count > MAX_RATES ? jsonResponse({ message: 'too heavy' }, 503) : undefined;
  },
  rows(question) {
    const base = question.text('base').toUpperCase() || 'EUR';
    if (!isKnown(base)) return NO_ROWS;
    const days = rateDays(question).map((day) => ({ date: printTime(day, 'YYYY-MM-DD') }));
    const providers = question.list('providers');
    return extended(crossed(days, quotesOf(question)), ({ date, quote }) => {
      const value = significant(rate(base, String(quote), readTime(String(date)) ?? 0));
      if (question.text('expand') !== 'providers') return { base, rate: value };
      const sources = (providers.length > 0 ? providers : ['ECB']).map((key) => ({
        key,
        date,
        rate: value,
        excluded: false,
      }));
      return { base, rate: value, providers: sources };
    });
  },
};

/** Exchange rates. */
export const CURRENCIES: AnswerRules = {
  exim_exchange_rates: bankRates,
  frankfurter_rates: referenceRates,
};
