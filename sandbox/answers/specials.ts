import type { JsonObject } from '../../src/platform/kernel/plain-json.ts';
import { cycleOf, DAY, type KoreanTime } from '../../src/public-data/korean-time.ts';
import { readCodes, readFacts } from '../tables.ts';
import { smooth } from './figures.ts';
import { type Specials, words } from './form.ts';
import { isUnknownCode, type Question } from './question.ts';
import type { Row } from './sample-format.ts';
import { latestStarts, printTime } from './times.ts';

/** The stations in the asked province or part of an address, or with the asked name. */
function airStations({ text }: Question): Row[] {
  const [province = '', rest = ''] = words(text('addr') || text('sidoName').replace('전국', ''));
  // A province is also known by two syllables: the first two of it, or the first and the third.
  const found = readCodes('airkorea-stations').filter(
    ([name = '', , , sido = '', sigungu = '']) =>
      (sido.includes(province) || `${sido[0]}${sido[2]}` === province || name === province) &&
      `${sigungu} ${name}`.includes(rest) &&
      name.includes(text('stationName')),
  );
  return found.map(([stationName, dmY, dmX, sido, sigungu]) => ({
    stationName,
    ...(text('sidoName') ? {} : { addr: `${sido} ${sigungu} ${stationName}`, dmX, dmY }),
  }));
}

const districts = () => readCodes('legal-districts').filter((line) => line[3] === 'current');

/** The provinces, or the districts of one; with lDongListYn=Y, both with their names. */
function regions({ text }: Question): Row[] {
  const region = text('lDongRegnCd');
  const found = districts().filter(([code = '']) => code.startsWith(region));
  if (text('lDongListYn') === 'Y') {
    return found.map(([code = '', lDongRegnNm, name]) => ({
      ...{ code: undefined, name: undefined, lDongRegnCd: code.slice(0, 2), lDongRegnNm },
      ...{ lDongSignguCd: code.slice(2), lDongSignguNm: name || lDongRegnNm },
    }));
  }
  const named = found.map(([code = '', province = '', name = '']) =>
    region === ''
      ? ([code.slice(0, 2), province] as const)
      : ([code.slice(2), name || province] as const),
  );
  return [...new Map(named)].map(([code, name]) => ({ code, name }));
}

/** Each kind of visitor in each province. */
function visitors(_question: Question, kinds: readonly Row[]): Row[] {
  const provinces = new Map(districts().map(([code = '', name]) => [code.slice(0, 2), name]));
  return [...provinces].flatMap(([areaCode, areaNm]) =>
    kinds.map((kind) => ({ ...kind, areaCode, areaNm })),
  );
}

/** Those of the asked month. */
const holidays = ({ text }: Question, sample: readonly Row[]): readonly Row[] =>
  sample.filter(({ locdate }) => String(locdate).slice(4).startsWith(text('solMonth')));

/** One row for each business of the body, which repeats what was asked; a code that is none is not registered. */
const businesses = ({ body }: Question, [known = {}, unknown]: readonly Row[]): Row[] =>
  [body['b_no'], body['businesses']].flat().flatMap((asked: unknown) => {
    if (asked === undefined) return [];
    const business: JsonObject = typeof asked === 'object' ? Object(asked) : { b_no: asked };
    const b_no = String(business['b_no']);
    const fields = Object.keys(Object(known['request_param']));
    const repeated = fields.map((name) => [name, String(business[name] ?? '')]);
    const request_param = fields.length > 0 ? Object.fromEntries(repeated) : undefined;
    return [{ ...(isUnknownCode(b_no) ? unknown : known), b_no, request_param }];
  });

const perEuro = (currency: string, day: KoreanTime): number => {
  const known = readFacts('currencies').find(([name]) => name === currency)?.[1] ?? 10;
  return Number(known) * (currency === 'EUR' ? 1 : 0.96 + 0.08 * smooth(day, 45 * DAY, currency));
};

const quotes = ({ list }: Question): Row[] => {
  const all = readFacts('currencies').map(([name = '']) => name);
  const asked = list('quotes').length > 0 ? list('quotes') : all;
  return asked.map((quote) => ({ quote: quote.toUpperCase() }));
};

function crossRate({ quote }: Row, time: KoreanTime, { text }: Question): Row {
  const base = text('base').toUpperCase() || 'EUR';
  const exact = perEuro(String(quote), time) / perEuro(base, time);
  return { base, rate: Number(exact.toPrecision(5)) };
}

/** The series of a table: the asked one, or all that are known of it. */
function bankSeries({ text, has }: Question): Row[] {
  const items = readCodes('ecos-tables').filter(
    ([kind, table]) => kind === 'item' && table === text('stat_code'),
  );
  const asked = has('item_code1') ? text('item_code1') : undefined;
  const codes = asked === undefined && items.length > 0 ? items.map((item) => item[5]) : [asked];
  const isRate = /금리|률/.test(items[0]?.[2] ?? '');
  const [UNIT_NAME, DATA_VALUE] = isRate ? ['연%', '3.50'] : ['2020=100', '104.2'];
  return codes.map((code) => {
    const name = items.find((item) => item[5] === code)?.[7] ?? code;
    return { ITEM_CODE1: code ?? '1', ITEM_NAME1: name ?? '표본', UNIT_NAME, DATA_VALUE };
  });
}

/** The latest value of each of the hundred indicators. */
const keyStatistics = ({ now }: Question): Row[] =>
  readCodes('ecos-tables')
    .filter(([kind]) => kind === 'key100')
    .map(([, , name, , cycle = 'M', , , , , , unit = '']) => ({
      ...{ CLASS_NAME: '표본', KEYSTAT_NAME: name, UNIT_NAME: unit },
      DATA_VALUE: unit.includes('%') ? '3.25' : '1045.2',
      CYCLE: cycleOf(cycle).print(latestStarts(cycle, 1, now)[0] ?? now),
    }));

/** The cells of a table: one for each asked code of the first classification and each item. */
function cells({ list, has }: Question, [known = {}]: readonly Row[]): Row[] {
  const axis = (parameter: string, column: string, prefix: string): Row[] =>
    (has(parameter) ? list(parameter) : [String(known[column])]).map((code) => ({
      [column]: code.replace('*', '1'),
      ...(code === known[column] ? {} : { [`${prefix}_NM`]: code, [`${prefix}_NM_ENG`]: code }),
    }));
  const items = axis('itmId', 'ITM_ID', 'ITM');
  return axis('objL1', 'C1', 'C1').flatMap((one) => items.map((two) => ({ ...one, ...two })));
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** Each indicator of each country; countries are also named by two letters. */
function indicators({ text, list }: Question): Row[] {
  const known = readFacts('countries');
  const countries =
    text('country') === 'all' ? known.map(([three = '']) => three) : list('country');
  return list('indicator').flatMap((id) => {
    const name = readCodes('worldbank-indicators').find(([code]) => code === id)?.[1] ?? id;
    const sum = /PCAP/.test(id) ? 31254.62 : 1832641364775.52;
    const value = /\.Z[GS]/.test(id) ? 4.21 : /^SP\.POP/.test(id) ? 51234567 : sum;
    return countries.map((code) => {
      const upper = code.toUpperCase();
      const [three = upper, two = upper] = known.find((codes) => codes.includes(upper)) ?? [];
      const country = { id: two, value: two.length === 2 ? COUNTRY_NAMES.of(two) : two };
      return { indicator: { id, value: name }, country, countryiso3code: three, value };
    });
  });
}

const dealDate = (_row: Row, time: KoreanTime): Row => ({
  dealYear: printTime(time, 'YYYY'),
  dealMonth: String(Number(printTime(time, 'MM'))),
  dealDay: String(Number(printTime(time, 'DD'))),
});

/** Monday is 1, Sunday 7. */
function weekday(_row: Row, time: KoreanTime): Row {
  const day = new Date(time).getUTCDay();
  return { daywkDivCd: String(day || 7), daywkDivNm: `${'일월화수목금토'[day]}요일` };
}

export const SPECIALS: Specials = {
  airkorea_sido_realtime: { things: airStations },
  airkorea_stations: { things: airStations },
  kasi_holidays: { things: holidays },
  ecos_key_statistics: { things: keyStatistics },
  ecos_statistic_search: { things: bankSeries },
  frankfurter_rates: { things: quotes, make: crossRate },
  kosis_table_data: {
    things: cells,
    // Quarters are two digits.
    make: ({ PRD_DE }) => ({ PRD_DE: String(PRD_DE).replace(/[QS]/, '0') }),
  },
  molit_apt_rents: { make: dealDate },
  molit_apt_trades: { make: dealDate },
  nts_business_status: { things: businesses },
  nts_business_validate: { things: businesses },
  tour_region_codes: { things: regions },
  tour_visitors_by_province: { things: visitors, make: weekday },
  worldbank_indicator: { things: indicators },
};
