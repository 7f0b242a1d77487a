import { invalidWorldBankValue } from '../../families.ts';
import { onFirstUse, readCodeTable, readFacts } from '../../places.ts';
import { type AnswerRules, crossed, extended, type Row } from '../answer-rule.ts';
import { between, smooth } from '../figures.ts';
import type { Question } from '../question.ts';
import { printTime } from '../times.ts';

/** Codes of three and two letters of countries that are often asked for; any other is named by its code. */
const countries = onFirstUse(
  () => new Map(readFacts('countries').map(([three = '', two = '']) => [three, two])),
);

const NAMES = new Intl.DisplayNames('en', { type: 'region' });

function countryRow(code: string): Row {
  const upper = code.toUpperCase();
  const [three, two] = [...countries()].find((codes) => codes.includes(upper)) ?? [upper, upper];
  const name = two.length === 2 ? (NAMES.of(two) ?? two) : two;
  return { country: { id: two, value: name }, countryiso3code: three };
}

/** The first year with data. */
const FIRST_YEAR = 1960;

const yearOf = (text: string): number => Number(text.slice(0, 4));

/** The asked periods, the latest first: years, quarters or months. Last year is the latest with data. */
function periodsOf({ text, number, now }: Question): string[] {
  const lastYear = yearOf(printTime(now, 'YYYY')) - 1;
  const recent = number('mrv') ?? number('mrnev');
  const [from = '', to = from] = text('date').split(':');
  const form = from.slice(4, 5) || text('frequency') || 'Y';
  const perYear = { M: 12, Q: 4 }[form] ?? 1;
  const first = from ? yearOf(from) : FIRST_YEAR;
  const last = Math.min(from ? yearOf(to) : lastYear, lastYear);
  const periods = Array.from({ length: Math.max(0, last - first + 1) * perYear }, (_, index) => {
    const year = last - Math.floor(index / perYear);
    const part = String(perYear - (index % perYear)).padStart(form === 'M' ? 2 : 1, '0');
    return perYear === 1 ? String(year) : `${year}${form}${part}`;
  });
  const within = periods.filter((period) => from.length <= 4 || (period >= from && period <= to));
  return recent === undefined ? within : within.slice(0, recent);
}

const isCode = (code: string): boolean =>
  /^[A-Za-z]{2,3}$/.test(code) && !/^(XX|ZZ|XXX|ZZZ)$/i.test(code);

const askedCountries = (question: Question): string[] => {
  const asked = question.text('country');
  return asked === 'all' ? [...countries().keys()] : asked.split(';');
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

export const WORLD_BANK: AnswerRules = {
  // One row per indicator, country and period.
  worldbank_indicator: {
    refuse: (question) =>
      askedCountries(question).every(isCode) ? undefined : invalidWorldBankValue(),
    rows(question) {
      const names = namesOfIndicators();
      const indicators = question
        .text('indicator')
        .split(';')
        .map((id) => ({ indicator: { id, value: names.get(id) ?? id } }));
      const periods = periodsOf(question).map((date) => ({ date }));
      const asked = askedCountries(question).map(countryRow);
      return extended(crossed(indicators, asked, periods), (row) => {
        const { id, value: name } = row['indicator'] as { id: string; value: string };
        const key = `${id}:${row['countryiso3code']}`;
        const year = yearOf(String(row['date']));
        const [low, high] = rangeOf(id, name);
        const level = 10 ** between(low, high, key);
        const growth = high < 3 ? 1 : 1 + 0.02 * (year - 2000);
        const value = level * Math.max(0.2, growth) * (0.95 + 0.1 * smooth(year, 3, key));
        return { value: Number(value.toFixed(2)) };
      });
    },
    envelope: ({ now }, { number, total, size }) => ({
      '/0/page': number,
      '/0/pages': Math.ceil(total / size),
      '/0/lastupdated': printTime(now, 'YYYY-MM-01'),
    }),
  },
};
