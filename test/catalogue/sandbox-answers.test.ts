import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AskedSandbox, type SandboxRow, startAskedSandbox } from '../support/ask-sandbox.ts';
import { ANSWER_CASES } from './sandbox-answer-cases.ts';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T12:00:00+09:00');

let sandbox: AskedSandbox;
beforeAll(async () => {
  sandbox = await startAskedSandbox({ now: () => NOW });
});
afterAll(() => sandbox.close());

/** The value of a column; a name with dots leads into an object. */
const columnOf = (row: SandboxRow, column: string): unknown =>
  column.split('.').reduce<unknown>((node, key) => (node as SandboxRow)[key], row);

describe.each(ANSWER_CASES)(
  '$tool $ask',
  ({ tool, ask, says = {}, first = {}, rows, total = rows }) => {
    it('answers what was asked, with as many rows as a real issue', async () => {
      const answer = await sandbox.ask(tool, ask);
      expect(answer).toMatchObject({ status: 200, ok: true });
      for (const row of answer.rows) {
        const seen = Object.keys(says).map((column) => [column, columnOf(row, column)]);
        expect(Object.fromEntries(seen)).toEqual(says);
      }
      if (Object.keys(first).length > 0) expect(answer.rows[0]).toMatchObject(first);
      const [least, most] = typeof rows === 'number' ? [rows, rows] : rows;
      expect(answer.rows.length).toBeGreaterThanOrEqual(least);
      expect(answer.rows.length).toBeLessThanOrEqual(most);
      if (answer.total !== null && answer.rows.length > 0) {
        const [fewest, largest] = typeof total === 'number' ? [total, total] : total;
        expect(answer.total).toBeGreaterThanOrEqual(fewest);
        expect(answer.total).toBeLessThanOrEqual(largest);
      }
      expect((await sandbox.ask(tool, ask)).data).toEqual(answer.data);
    });
  },
);

it('covers every tool with two questions', () => {
  for (const { name, parameters } of sandbox.tools) {
    const asked = ANSWER_CASES.filter(({ tool }) => tool === name).length;
    const isFixed = parameters.every(
      ({ source }) => source.kind !== 'argument' || /numOfRows|pageNo/.test(source.property),
    );
    expect([name, asked >= (isFixed ? 1 : 2)]).toEqual([name, true]);
  }
});

const OTHER_PAGES = [
  [
    'kma_village_forecast',
    { base_date: '20261120', base_time: '0500', nx: 60, ny: 127 },
    'pageNo',
    'numOfRows',
  ],
  ['molit_apt_trades', { LAWD_CD: '26350', DEAL_YMD: '202609' }, 'pageNo', 'numOfRows'],
  ['dart_search_disclosures', { bgn_de: '20261101', end_de: '20261120' }, 'page_no', 'page_count'],
  ['khs_heritage_search', { ccbaMnm1: '탑' }, 'pageIndex', 'pageUnit'],
  [
    'worldbank_indicator',
    { country: 'all', indicator: 'SP.POP.TOTL', date: '2000:2020' },
    'page',
    'per_page',
  ],
  ['artic_artwork_search', { q: 'tiger' }, 'page', 'limit'],
] as const;

describe.each(OTHER_PAGES)('pages of %s', (tool, args, number, size) => {
  it('follow each other, the last one short, and none is left after it', async () => {
    const page = (of: number) => sandbox.ask(tool, { ...args, [number]: of, [size]: 7 });
    const one = await page(1);
    const total = one.total ?? 0;
    expect(one.rows).toHaveLength(7);
    expect((await page(2)).rows[0]).not.toEqual(one.rows[0]);
    const last = await page(Math.ceil(total / 7));
    expect(last.rows).toHaveLength(total % 7 || 7);
    expect((await page(Math.ceil(total / 7) + 1)).rows).toEqual([]);
  });
});

describe('values that belong together', () => {
  it('the lowest and the highest temperature of a day are those of its hours', async () => {
    const place = { nx: 98, ny: 76, base_date: '20261120', base_time: '0200', numOfRows: 1000 };
    const { rows } = await sandbox.ask('kma_village_forecast', place);
    const of = (category: string) =>
      rows
        .filter((row) => row['category'] === category && row['fcstDate'] === '20261121')
        .map((row) => Number(row['fcstValue']));
    expect(of('TMP')).toHaveLength(24);
    expect(of('TMN')).toEqual([Math.min(...of('TMP'))]);
    expect(of('TMX')).toEqual([Math.max(...of('TMP'))]);
  });

  it('the daily observations of a station are those of its hours', async () => {
    const days = { startDt: '20261105', endDt: '20261105', stnIds: '159' };
    const hours = await sandbox.ask('kma_asos_hourly', { ...days, numOfRows: 100 });
    const [day] = (await sandbox.ask('kma_asos_daily', days)).rows;
    const temperatures = hours.rows.map((row) => Number(row['ta']));
    expect(Number(day?.['minTa'])).toBe(Math.min(...temperatures));
    expect(Number(day?.['maxTa'])).toBe(Math.max(...temperatures));
  });

  it('exchange rates in both directions are inverse', async () => {
    const rate = async (base: string, quotes: string) =>
      Number(
        (await sandbox.ask('frankfurter_rates', { base, quotes, date: '2026-10-14' })).rows[0]?.[
          'rate'
        ],
      );
    expect((await rate('USD', 'KRW')) * (await rate('KRW', 'USD'))).toBeCloseTo(1, 3);
  });

  it('the totals of trade are the sums of the months', async () => {
    const { rows } = await sandbox.ask('customs_item_trade', {
      hsSgn: '8542',
      strtYymm: '202601',
      endYymm: '202603',
    });
    const [total, ...months] = rows.map((row) => Number(row['expDlr']));
    expect(months.reduce((sum, value) => sum + value, 0)).toBe(total);
  });

  it('the change of a price is that from the day before', async () => {
    const { rows } = await sandbox.ask('fsc_stock_prices', {
      likeSrtnCd: '000660',
      beginBasDt: '20261109',
      endBasDt: '20261114',
    });
    const prices = rows.map((row) => [Number(row['clpr']), Number(row['vs'])] as const);
    expect(prices).toHaveLength(5);
    for (const [index, [close, change]] of prices.slice(0, -1).entries()) {
      expect(close - change).toBe(prices[index + 1]?.[0]);
    }
  });
});

it.each([
  ['Europe/Paris', 48.86, 2.35, 'Europe/Paris', 3600],
  ['auto', 48.86, 2.35, 'GMT', 0],
  ['auto', 37.57, 126.98, 'Asia/Seoul', 32_400],
  ['America/St_Johns', 47.56, -52.71, 'America/St_Johns', -12_600],
])('the time zone %s of %f, %f is %s', async (timezone, latitude, longitude, name, seconds) => {
  const { data } = await sandbox.ask('openmeteo_forecast', { latitude, longitude, timezone });
  expect(data).toMatchObject({ timezone: name, utc_offset_seconds: seconds });
});

it.each([
  ['openmeteo_forecast', { latitude: 1, longitude: 1, timezone: 'Mars/Olympus' }, 400],
  ['frankfurter_rates', { date: '2026-09-01', from: '2026-09-01' }, 422],
  ['frankfurter_rates', { from: '2000-01-01' }, 503],
])('%s refuses %j as its upstream does', async (tool, args, status) => {
  expect(await sandbox.ask(tool, args)).toMatchObject({ ok: false, status });
});

it('an unknown country is refused by the World Bank', async () => {
  const answer = await sandbox.ask('worldbank_indicator', {
    country: 'XXX',
    indicator: 'SP.POP.TOTL',
  });
  expect(answer.ok).toBe(false);
});
