import { onFirstUse, readCodeTable } from '../../facts/places.ts';
import { jsonResponse } from '../../sandbox-response.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { between, smooth } from '../noise.ts';
import type { Question } from '../question.ts';
import { crossed, extended, type Row } from '../rows.ts';
import { printTime } from '../times.ts';

/** Codes of three and two letters, and names, of countries that are often asked for; any other is named by its code. */
const COUNTRIES: Readonly<Record<string, string>> = {
  KOR: 'KR',
  PRK: 'KP',
  JPN: 'JP',
  CHN: 'CN',
  USA: 'US',
  CAN: 'CA',
  MEX: 'MX',
  BRA: 'BR',
  ARG: 'AR',
  CHL: 'CL',
  GBR: 'GB',
  FRA: 'FR',
  DEU: 'DE',
  ITA: 'IT',
  ESP: 'ES',
  PRT: 'PT',
  NLD: 'NL',
  BEL: 'BE',
  CHE: 'CH',
  AUT: 'AT',
  SWE: 'SE',
  NOR: 'NO',
  DNK: 'DK',
  FIN: 'FI',
  ISL: 'IS',
  IRL: 'IE',
  POL: 'PL',
  CZE: 'CZ',
  HUN: 'HU',
  GRC: 'GR',
  TUR: 'TR',
  RUS: 'RU',
  UKR: 'UA',
  IND: 'IN',
  IDN: 'ID',
  VNM: 'VN',
  THA: 'TH',
  MYS: 'MY',
  SGP: 'SG',
  PHL: 'PH',
  AUS: 'AU',
  NZL: 'NZ',
  ZAF: 'ZA',
  EGY: 'EG',
  NGA: 'NG',
  KEN: 'KE',
  SAU: 'SA',
  ARE: 'AE',
  ISR: 'IL',
  MNG: 'MN',
};

const NAMES = new Intl.DisplayNames('en', { type: 'region' });

function countryRow(code: string): Row {
  const upper = code.toUpperCase();
  const three = Object.keys(COUNTRIES).find((each) => each === upper || COUNTRIES[each] === upper);
  const two = three ? COUNTRIES[three] : upper;
  const name = two?.length === 2 ? (NAMES.of(two) ?? two) : two;
  return { country: { id: two, value: name }, countryiso3code: three ?? upper };
}

/** The first year with data. */
const FIRST_YEAR = 1960;

const yearOf = (text: string): number => Number(text.slice(0, 4));

/** The asked periods, the latest first: years, quarters or months. Last year is the latest with data. */
function periodsOf(question: Question): string[] {
  const lastYear = yearOf(printTime(question.now, 'YYYY')) - 1;
  const recent = question.number('mrv') ?? question.number('mrnev');
  const [from = '', to = from] = question.text('date').split(':');
  const form = from.slice(4, 5) || question.text('frequency') || 'Y';
  const perYear = { M: 12, Q: 4 }[form] ?? 1;
  const [first, last] = from ? [yearOf(from), yearOf(to)] : [FIRST_YEAR, lastYear];
  const years = Array.from(
    { length: Math.max(0, Math.min(last, lastYear) - first + 1) },
    (_, index) => Math.min(last, lastYear) - index,
  );
  const periods = years.flatMap((year) =>
    perYear === 1
      ? [String(year)]
      : Array.from(
          { length: perYear },
          (_, index) =>
            `${year}${form}${String(perYear - index).padStart(form === 'M' ? 2 : 1, '0')}`,
        ),
  );
  const within = periods.filter((period) => from.length <= 4 || (period >= from && period <= to));
  return recent === undefined ? within : within.slice(0, recent);
}

const isCode = (code: string): boolean =>
  /^[A-Za-z]{2,3}$/.test(code) && !/^(XX|ZZ|XXX|ZZZ)$/i.test(code);

const askedCountries = (question: Question): string[] => {
  const asked = question.text('country');
  return asked === 'all' ? Object.keys(COUNTRIES) : asked.split(';');
};

const namesOfIndicators = onFirstUse(
  () => new Map(readCodeTable('worldbank-indicators').map(([id = '', name = '']) => [id, name])),
);

/** The lowest and the highest level of an indicator, as powers of ten; growth rates and shares are percentages. */
function rangeOf(id: string, name: string): readonly [number, number] {
  if (/\.ZG|\.ZS/.test(id)) return [0, 1.6];
  if (name.includes('(years)')) return [1.7, 1.9];
  if (name.includes('per capita')) return [3, 4.8];
  return id.startsWith('SP.POP') ? [6, 8.5] : [9, 12.5];
}

/** One row per indicator, country and period. */
const indicators: AnswerRule = {
  refuse(question) {
    if (askedCountries(question).every(isCode)) return undefined;
    const value = 'The provided parameter value is not valid';
    return jsonResponse([{ message: [{ id: '120', key: 'Invalid value', value }] }]);
  },
  rows(question) {
    const codes = question.text('indicator').split(';');
    const indicator = codes.map((id) => ({
      indicator: { id, value: namesOfIndicators().get(id) ?? id },
    }));
    const periods = periodsOf(question).map((date) => ({ date }));
    const countries = askedCountries(question).map(countryRow);
    return extended(crossed(indicator, countries, periods), (row) => {
      const { id, value: name } = row['indicator'] as { id: string; value: string };
      const key = `${id}:${row['countryiso3code']}`;
      const year = yearOf(String(row['date']));
      const [low, high] = rangeOf(id, name);
      const level = 10 ** between(low, high, key);
      const growth = high < 3 ? 1 : 1 + 0.02 * (year - 2000);
      return {
        value: Number(
          (level * Math.max(0.2, growth) * (0.95 + 0.1 * smooth(year, 3, key))).toFixed(2),
        ),
      };
    });
  },
  envelope: (question, page) => ({
    '/0/page': page.number,
    '/0/pages': Math.ceil(page.total / page.size),
    '/0/lastupdated': printTime(question.now, 'YYYY-MM-01'),
  }),
};

export const WORLD_BANK: AnswerRules = { worldbank_indicator: indicators };
