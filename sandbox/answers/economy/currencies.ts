import { DAY, HOUR, type KoreanTime, startOfDay } from '../../../src/public-data/korean-time.ts';
import { onFirstUse, readFacts } from '../../places.ts';
import { jsonResponse } from '../../sandbox-response.ts';
import { type AnswerRules, crossed, extended, type Row, words } from '../answer-rule.ts';
import { smooth, withCommas } from '../figures.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { daysBetween, isWeekday, printTime, readTime, weekdayOf } from '../times.ts';

const perEuroOf = onFirstUse(
  () => new Map(readFacts('currencies').map(([currency = '', value]) => [currency, Number(value)])),
);

/** Those for which the export-import bank publishes rates. */
const OF_THE_BANK = words(
  'AED AUD BHD BND CAD CHF CNH DKK EUR GBP HKD IDR(100) JPY(100) KRW KWD MYR NOK NZD SAR SEK SGD THB USD',
);

/** How much of a currency one euro buys on a day; a currency that is not listed has a made-up value. */
const perEuro = (currency: string, day: KoreanTime): number =>
  currency === 'EUR'
    ? 1
    : (perEuroOf().get(currency) ?? 10) *
      (0.96 + 0.08 * smooth(day, 45 * DAY, 'currency', currency));

/** How much of `quote` one `base` buys on a day. */
export const rate = (base: string, quote: string, day: KoreanTime): number =>
  perEuro(quote, day) / perEuro(base, day);

/** Rows of one response, beyond which the service calls a request too heavy. */
const MAX_RATES = 20_000;

/** The asked days with rates: one day, or the weekdays of a range, thinned out to one per week or month. */
function rateDays({ text, time, now }: Question): KoreanTime[] {
  const today = startOfDay(now);
  const [day, from, to = today] = [time('date'), time('from'), time('to')];
  if (day !== undefined) return day > today ? [] : [day];
  if (from === undefined) return [latestWeekday(today - DAY)];
  const days = daysBetween(from, Math.min(to, today)).filter(isWeekday);
  return days.filter((each, index) => index === 0 || startsGroup(text('group'), each));
}

const latestWeekday = (day: KoreanTime): KoreanTime =>
  isWeekday(day) ? day : latestWeekday(day - DAY);

function startsGroup(group: string, day: KoreanTime): boolean {
  if (group === 'week') return weekdayOf(day) === 1;
  const first = Date.parse(printTime(day, 'YYYY-MM-01'));
  return group !== 'month' || day === [first, first + DAY, first + 2 * DAY].find(isWeekday);
}

const isKnown = (currency: string): boolean => /^[A-Z]{3}$/.test(currency) && currency !== 'XXX';

function quotesOf({ list }: Question): Row[] {
  const asked = list('quotes').map((quote) => quote.toUpperCase());
  const all = [...perEuroOf().keys()].sort((one, other) => one.localeCompare(other));
  return (asked.length > 0 ? asked : all)
    .filter((quote) => isKnown(quote) && !isUnknownCode(quote))
    .map((quote) => ({ quote }));
}

const PUBLISHED_AT = 11 * HOUR;

export const CURRENCIES: AnswerRules = {
  // The rates of a weekday; none on weekends, in the future, and on the day itself before 11:00.
  exim_exchange_rates: {
    rows({ time, now }, sample) {
      const day = startOfDay(time('searchdate') ?? now);
      if (!isWeekday(day) || day + PUBLISHED_AT > now) return undefined;
      return OF_THE_BANK.map((unit) => {
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
      });
    },
  },
  // Rates between any two currencies, which agree with each other.
  frankfurter_rates: {
    refuse(question) {
      if (question.has('date') && question.has('from', 'to')) {
        return jsonResponse({ message: 'date cannot be combined with from or to' }, 422);
      }
      const count = rateDays(question).length * quotesOf(question).length;
      return count > MAX_RATES ? jsonResponse({ message: 'too heavy' }, 503) : undefined;
    },
    rows(question) {
      const base = question.text('base').toUpperCase() || 'EUR';
      if (!isKnown(base)) return undefined;
      const days = rateDays(question).map((day) => ({ date: printTime(day, 'YYYY-MM-DD') }));
      const asked = question.list('providers');
      return extended(crossed(days, quotesOf(question)), ({ date, quote }) => {
        // Five significant digits, as central banks publish.
        const exact = rate(base, String(quote), readTime(String(date)) ?? 0);
        const value = Number(exact.toPrecision(5));
        if (question.text('expand') !== 'providers') return { base, rate: value };
        const providers = asked.length > 0 ? asked : ['ECB'];
        const ratesOf = (key: string) => ({ key, date, rate: value, excluded: false });
        return { base, rate: value, providers: providers.map(ratesOf) };
      });
    },
  },
};
