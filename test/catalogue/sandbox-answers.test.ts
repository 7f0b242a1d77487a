import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AskedSandbox, type SandboxRow, startAskedSandbox } from '../support/ask-sandbox.ts';
import { SANDBOX_QUESTIONS } from './sandbox-questions.ts';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T12:00:00+09:00');

let sandbox: AskedSandbox;
beforeAll(async () => {
  sandbox = await startAskedSandbox({ now: () => NOW });
});
afterAll(() => sandbox.close());

/** The value of a column; a name with dots leads into an object. */
const columnOf = (row: SandboxRow, column: string): unknown =>
  column.split('.').reduce<unknown>((node, key) => Object(node)[key], row);

/** The parameters for the number and the size of a page. */
const PAGING = [
  ['pageNo', 'numOfRows'],
  ['pageNo', 'pageSize'],
  ['page_no', 'page_count'],
  ['page', 'per_page'],
  ['page', 'limit'],
  ['startCount', 'resultCount'],
  ['cpage', 'rows'],
  ['pageIndex', 'pageUnit'],
  ['curPage', 'itemPerPage'],
] as const;

/** The names by which a tool takes a page; undefined if it has none. */
const pagingOf = (tool: string) =>
  PAGING.find((names) => {
    const properties = sandbox.tools.find(({ name }) => name === tool)?.inputSchema['properties'];
    return names.every((name) => Object.hasOwn(Object(properties), name));
  });

it('every tool is asked', () => {
  const asked = SANDBOX_QUESTIONS.map(({ tool }) => tool);
  expect(asked.toSorted()).toEqual(sandbox.tools.map(({ name }) => name).toSorted());
  expect(asked).toHaveLength(72);
});

describe.each(SANDBOX_QUESTIONS)('$tool $ask', ({ tool, ask, says }) => {
  it('answers with rows that say what was asked, the same every time', async () => {
    const answer = await sandbox.ask(tool, ask);
    expect(answer).toMatchObject({ status: 200, ok: true });
    expect(answer.rows.length).toBeGreaterThan(0);
    for (const row of answer.rows) {
      const seen = Object.keys(says).map((column) => [column, columnOf(row, column)]);
      expect(Object.fromEntries(seen)).toEqual(says);
    }
    expect((await sandbox.ask(tool, ask)).data).toEqual(answer.data);
  });

  it('has as many rows as asked on each page, all different, and one total', async () => {
    const names = pagingOf(tool);
    // One row with a list stands for as many rows as the list is long.
    const isList = sandbox.tools.some((each) => each.name === tool && each.payload.listColumn);
    if (names === undefined || isList) return;
    const size = 7;
    const page = async (number: number) =>
      sandbox.ask(tool, { ...ask, [names[0]]: number, [names[1]]: size });
    const first = await page(1);
    // Not every upstream tells the total.
    const total = first.total ?? size;
    const second = await page(2);
    if (first.rows.length > 1) {
      expect(first.rows).toHaveLength(Math.min(size, total));
      expect(second.rows).toHaveLength(
        first.total === null ? second.rows.length : Math.min(size, Math.max(0, total - size)),
      );
    }
    const rows = [...first.rows, ...second.rows].map((row) => JSON.stringify(row));
    expect(new Set(rows).size).toBe(rows.length);
    if (second.rows.length > 0) expect(second.total).toBe(first.total);
    if (first.total === null || first.rows.length < 2) return;
    const last = Math.ceil(total / size);
    expect((await page(last)).rows).toHaveLength(total % size || size);
    expect((await page(last + 1)).rows).toEqual([]);
  });
});

const figures = async (tool: string, ask: object, columns: readonly string[]) =>
  (await sandbox.ask(tool, { ...ask })).rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column, columnOf(row, column)])),
  );

/** A question, one that includes it, and the columns that must agree. */
const INCLUDED = [
  [
    'fsc_stock_prices',
    { likeSrtnCd: '000660', basDt: '20261112' },
    { likeSrtnCd: '000660', beginBasDt: '20261102', endBasDt: '20261120', numOfRows: 50 },
    ['basDt', 'clpr', 'trqu'],
  ],
  [
    'frankfurter_rates',
    { base: 'USD', quotes: 'KRW', date: '2026-09-15' },
    { base: 'USD', quotes: 'JPY,KRW', from: '2026-09-01', to: '2026-09-30' },
    ['date', 'quote', 'rate'],
  ],
  [
    'worldbank_indicator',
    { country: 'KR', indicator: 'SP.POP.TOTL', date: '2020' },
    { country: 'JP;KR', indicator: 'SP.POP.TOTL', date: '2015:2024' },
    ['country.id', 'date', 'value'],
  ],
  [
    'tour_visitors_by_province',
    { startYmd: '20260801', endYmd: '20260801', numOfRows: 100 },
    { startYmd: '20260730', endYmd: '20260802', numOfRows: 500 },
    ['baseYmd', 'areaCode', 'touDivCd', 'touNum'],
  ],
] as const;

describe.each(INCLUDED)('figures of %s', (tool, less, more, columns) => {
  it('are the same in every answer that has them', async () => {
    const few = await figures(tool, less, columns);
    expect(few.length).toBeGreaterThan(0);
    expect(await figures(tool, more, columns)).toEqual(expect.arrayContaining(few));
  });
});

it.each([
  ['fsc_stock_prices', { likeSrtnCd: '000660', basDt: '20261112' }, { likeSrtnCd: '035420' }],
  ['worldbank_indicator', { country: 'KR', indicator: 'SP.POP.TOTL' }, { country: 'JP' }],
  ['kofic_daily_box_office', { targetDt: '20261031' }, { targetDt: '20261030' }],
  ['molit_apt_trades', { LAWD_CD: '26350', DEAL_YMD: '202609' }, { LAWD_CD: '11680' }],
  ['data4library_popular_books', { startDt: '2026-09-01', endDt: '2026-09-30' }, { age: '20' }],
])('figures of %s vary with the question', async (tool, one, other) => {
  const asked = await sandbox.ask(tool, one);
  expect((await sandbox.ask(tool, { ...one, ...other })).rows).not.toEqual(asked.rows);
});

it.each([
  ['kma_village_forecast', { nx: 60, ny: 127, base_date: '20261122', base_time: '2300' }],
  ['kma_asos_daily', { stnIds: '108', startDt: '20261123', endDt: '20261124' }],
  ['fsc_gold_prices', { basDt: '20261121' }],
  ['exim_exchange_rates', { searchdate: '20261122' }],
  ['molit_apt_trades', { LAWD_CD: '11680', DEAL_YMD: '202612' }],
  ['khoa_tide_high_low', { obsCode: 'DT_9999', reqDate: '20261120' }],
])('%s has no data for %j', async (tool, ask) => {
  expect(await sandbox.ask(tool, ask)).toMatchObject({ ok: true, rows: [] });
});

const first = async (tool: string, ask: Readonly<Record<string, unknown>>, column: string) =>
  columnOf((await sandbox.ask(tool, ask)).rows[0] ?? {}, column);

it('codes of one tool are those of another', async () => {
  const contentId = await first('tour_search_keyword', { keyword: '해변' }, 'contentid');
  expect(await first('tour_detail_common', { contentId }, 'contentid')).toBe(contentId);
  const corp_code = await first('fsc_corp_outline', { corpNm: '카카오' }, 'fssCorpUnqNo');
  expect(await first('dart_company_overview', { corp_code }, 'corp_code')).toBe(corp_code);
  const seq = await first('nps_search_workplaces', { wkplNm: '카카오' }, 'seq');
  expect(await first('nps_workplace_detail', { seq }, 'wkplNm')).toBe(`표본 ${seq}`);
  const lDongRegnCd = await first('tour_region_codes', {}, 'code');
  expect(await first('tour_area_list', { lDongRegnCd }, 'lDongRegnCd')).toBe(lDongRegnCd);
});

it('the totals of trade are the sums of the months', async () => {
  const { rows } = await sandbox.ask('customs_item_trade', {
    ...{ hsSgn: '8542', strtYymm: '202601', endYymm: '202603' },
  });
  const [total, ...months] = rows.map((row) => Number(row['expDlr']));
  expect(months).toHaveLength(3);
  expect(months.reduce((sum, value) => sum + value, 0)).toBe(total);
});

it('exchange rates in both directions are inverse', async () => {
  const rate = async (base: string, quotes: string) =>
    Number(await first('frankfurter_rates', { base, quotes, date: '2026-10-14' }, 'rate'));
  expect((await rate('USD', 'KRW')) * (await rate('KRW', 'USD'))).toBeCloseTo(1, 3);
});

describe('weather', () => {
  const place = { nx: 98, ny: 76, base_date: '20261120', base_time: '0200', numOfRows: 1000 };

  it('has warm afternoons and cold nights, and the extremes of its hours', async () => {
    const { rows } = await sandbox.ask('kma_village_forecast', place);
    const of = (category: string, time = /^/) =>
      rows
        .filter((row) => row['category'] === category && row['fcstDate'] === '20261121')
        .filter((row) => time.test(String(row['fcstTime'])))
        .map((row) => Number(row['fcstValue']));
    expect(of('TMP')).toHaveLength(24);
    expect(of('TMN')).toEqual([Math.min(...of('TMP'))]);
    expect(of('TMX')).toEqual([Math.max(...of('TMP'))]);
    expect(of('TMP', /^1500/)[0]).toBeGreaterThan(of('TMP', /^0300/)[0] ?? 0);
  });

  it('of a day is that of its hours at a station', async () => {
    const days = { startDt: '20261105', endDt: '20261105', stnIds: '159' };
    const hours = (await sandbox.ask('kma_asos_hourly', { ...days, numOfRows: 100 })).rows;
    const [day] = (await sandbox.ask('kma_asos_daily', days)).rows;
    const temperatures = hours.map((row) => Number(row['ta']));
    expect(temperatures).toHaveLength(24);
    expect(Number(day?.['minTa'])).toBe(Math.min(...temperatures));
    expect(Number(day?.['maxTa'])).toBe(Math.max(...temperatures));
  });

  it.each(['celsius', 'fahrenheit'])(
    'of a day is that of its hours in degrees %s',
    async (unit) => {
      const { data } = await sandbox.ask('openmeteo_forecast', {
        ...{ latitude: 48.86, longitude: 2.35, timezone: 'Europe/Paris', temperature_unit: unit },
        ...{ start_date: '2026-06-20', end_date: '2026-06-20', hourly: 'temperature_2m' },
        daily: 'temperature_2m_min,temperature_2m_max,sunrise',
      });
      const { hourly, daily } = data as {
        hourly: { temperature_2m: number[] };
        daily: { temperature_2m_min: number[]; temperature_2m_max: number[]; sunrise: string[] };
      };
      expect(hourly.temperature_2m).toHaveLength(24);
      expect(daily.temperature_2m_min).toEqual([Math.min(...hourly.temperature_2m)]);
      expect(daily.temperature_2m_max).toEqual([Math.max(...hourly.temperature_2m)]);
      expect(daily.sunrise[0]).toMatch(/^2026-06-20T0[4-6]:/);
    },
  );

  it.each([
    ['Europe/Paris', 48.86, 2.35, 'Europe/Paris', 3600],
    ['auto', 48.86, 2.35, 'GMT', 0],
    ['auto', 37.57, 126.98, 'Asia/Seoul', 32_400],
    ['America/St_Johns', 47.56, -52.71, 'America/St_Johns', -12_600],
  ])(
    'in the zone %s of %f, %f is that of %s',
    async (timezone, latitude, longitude, name, seconds) => {
      const { data } = await sandbox.ask('openmeteo_forecast', { latitude, longitude, timezone });
      expect(data).toMatchObject({ timezone: name, utc_offset_seconds: seconds });
    },
  );
});
