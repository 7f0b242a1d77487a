import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { describeTools, type ToolCase } from './catalogue-case.ts';

/** A refusal with status 200, in the upstream's own format. */
const refusal = (pointer: string, value: unknown): ToolCase['keyRefusal'] => ({
  status: 200,
  sees: [pointer, value],
});

const ECOS = { keyRefusal: refusal('/RESULT/CODE', 'INFO-100') };
const KOSIS = { rows: '', keyRefusal: refusal('/err', '11') };
const DART = { keyRefusal: refusal('/status', '010') };
const PENSION = { rows: '/response/body/items/item', keyRefusal: 'portal' } as const;
const SAMSUNG = { corp_code: '00126380' };
const CURRENT_INDEX = { orgId: '101', tblId: 'DT_1C8015', prdSe: 'M' };

describeTools([
  {
    tool: 'exim_exchange_rates',
    args: {},
    rows: '',
    sees: ['/12/cur_unit', 'JPY(100)'],
    keyRefusal: refusal('/0/result', 3),
  },
  {
    tool: 'ecos_statistic_search',
    args: { stat_code: '722Y001', cycle: 'M' },
    rows: '/StatisticSearch/row',
    sees: ['/StatisticSearch/row/0/STAT_CODE', '722Y001'],
    ...ECOS,
  },
  {
    tool: 'ecos_key_statistics',
    args: {},
    rows: '/KeyStatisticList/row',
    sees: ['/KeyStatisticList/row/0/KEYSTAT_NAME', '한국은행 기준금리'],
    ...ECOS,
  },
  { tool: 'kosis_search_tables', args: { searchNm: '인구' }, sees: ['/0/ORG_ID', '101'], ...KOSIS },
  { tool: 'kosis_table_data', args: CURRENT_INDEX, sees: ['/0/TBL_ID', 'DT_1C8015'], ...KOSIS },
  {
    tool: 'dart_search_disclosures',
    args: SAMSUNG,
    rows: '/list',
    sees: ['/list/0/corp_name', '삼성전자'],
    ...DART,
  },
  {
    tool: 'dart_company_overview',
    args: SAMSUNG,
    rows: null,
    sees: ['/jurir_no', '1301110006246'],
    ...DART,
  },
  {
    tool: 'dart_key_accounts',
    args: SAMSUNG,
    rows: '/list',
    sees: ['/list/0/corp_code', '00126380'],
    ...DART,
  },
  {
    tool: 'pps_search_service_bids',
    args: { bidNtceNm: '용역' },
    rows: '/response/body/items',
    sees: ['/response/body/items/1/bidNtceNm', 'AI 기반 탄소 데이터 정제 알고리즘 개발 용역'],
    keyRefusal: 'portal',
  },
  {
    tool: 'nps_search_workplaces',
    args: { wkplNm: '유일이엔지' },
    sees: ['/response/body/items/item/0/seq', 7101020],
    ...PENSION,
  },
  {
    tool: 'nps_workplace_detail',
    args: { seq: 7101020 },
    sees: ['/response/body/items/item/0/wkplNm', '표본 7101020'],
    ...PENSION,
  },
  {
    tool: 'opinet_average_prices',
    args: {},
    rows: '/RESULT/OIL',
    sees: ['/RESULT/OIL/0/PRODCD', 'B034'],
    keyRefusal: refusal('/RESULT', 'Invalid Key'),
  },
]);

describe('on Sunday 22 November at noon in Korea', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { CACHE_MAX_BYTES: '0', LAST_GOOD_MAX_BYTES: '0' },
      clock: { now: () => Date.parse('2026-11-22T12:00:00+09:00') },
    });
  });
  afterAll(() => gateway.close());

  const resultOf = async (tool: string, args: object) =>
    (await gateway.call(tool, args)).body.result;
  /** The upstream address of a call, as callers see it. */
  const sentTo = async (tool: string, args: object) =>
    new URL((await resultOf(tool, args)).upstream.url);
  const sentQuery = async (tool: string, args: object) =>
    Object.fromEntries((await sentTo(tool, args)).searchParams);

  test('the exchange rates are those of Friday, or of the last weekday before with data', async () => {
    expect(await sentQuery('exim_exchange_rates', {})).toMatchObject({ searchdate: '20261120' });
    await gateway.fault('exim_exchange_rates', 'zero', 2);
    expect(await sentQuery('exim_exchange_rates', {})).toMatchObject({ searchdate: '20261118' });
  });

  test('a day given by the caller is not replaced by another', async () => {
    await gateway.fault('exim_exchange_rates', 'zero');
    const { data, upstream } = await resultOf('exim_exchange_rates', { searchdate: '20261003' });
    expect(data).toEqual([]);
    expect(upstream.url).toContain('searchdate=20261003');
  });

  test.each([
    [{ stat_code: '731Y001', cycle: 'D', item_code1: '0000001' }, '20261022/20261122/0000001'],
    [{ stat_code: '200Y106', cycle: 'Q' }, '2024Q4/2026Q4/%3F'],
    [{ stat_code: '901Y009', cycle: 'M', end_time: '202412' }, '202312/202412/%3F'],
  ])('a time series for %j is requested as %s', async (args, period) => {
    const { pathname } = await sentTo('ecos_statistic_search', args);
    expect(pathname).toMatch(
      new RegExp(`/StatisticSearch/REDACTED/json/kr/1/100/${args.stat_code}/${args.cycle}/`),
    );
    expect(pathname).toMatch(new RegExp(`/${period}/%3F/%3F/%3F$`));
  });

  test('a statistics table returns its latest period unless a range is given', async () => {
    const latest = await sentQuery('kosis_table_data', CURRENT_INDEX);
    expect(latest).toMatchObject({ newEstPrdCnt: '1', itmId: 'ALL', objL1: 'ALL', jsonVD: 'Y' });
    const three = await sentQuery('kosis_table_data', { ...CURRENT_INDEX, newEstPrdCnt: 3 });
    expect(three).toMatchObject({ newEstPrdCnt: '3' });
    const range = { startPrdDe: '202401', endPrdDe: '202406' };
    const ranged = await sentQuery('kosis_table_data', { ...CURRENT_INDEX, ...range });
    expect(ranged).toMatchObject(range);
    expect(ranged).not.toHaveProperty('newEstPrdCnt');
  });

  test.each([
    [SAMSUNG, { bgn_de: '20251122', end_de: '20261122' }],
    [{ corp_cls: 'K' }, { bgn_de: '20261115', end_de: '20261122' }],
    [{ end_de: '20260930' }, { bgn_de: '20260923', end_de: '20260930' }],
  ])('filings for %j are of the days %j', async (args, days) => {
    expect(await sentQuery('dart_search_disclosures', args)).toMatchObject(days);
  });

  test('figures not reported yet are replaced by those of the year before', async () => {
    await gateway.fault('dart_key_accounts', 'zero');
    const sent = await sentQuery('dart_key_accounts', SAMSUNG);
    expect(sent).toMatchObject({ bsns_year: '2024', reprt_code: '11011' });
  });

  test('an unknown company is an empty response, not a failure', async () => {
    await gateway.fault('dart_company_overview', 'zero');
    const { data, auditId } = await resultOf('dart_company_overview', { corp_code: '99999999' });
    expect(data).toMatchObject({ status: '013' });
    expect((await gateway.json(`/api/v1/audit/${auditId}`)).body.outcome).toBe('ok');
  });

  test.each([
    [{}, { inqryDiv: '1', inqryBgnDt: '202611150000', inqryEndDt: '202611221200' }],
    [{ inqryBgnDt: '202608010000' }, { inqryEndDt: '202608312359' }],
  ])('tenders for %j are of the period %j', async (args, period) => {
    expect(await sentQuery('pps_search_service_bids', args)).toMatchObject(period);
  });

  test('a code that has lost its zeros as a number gets them back', async () => {
    const { body } = await gateway.call('dart_company_overview', { corp_code: 126380 });
    expect(body.result.data).toMatchObject({ corp_code: '00126380' });
  });

  test.each([
    ['exim_exchange_rates', { searchdate: '2026-09-31' }],
    ['ecos_statistic_search', { stat_code: '722Y001' }],
    ['ecos_statistic_search', { stat_code: '722Y001', cycle: 'W' }],
    ['ecos_statistic_search', { stat_code: '722Y001', cycle: 'M', start_time: '202413' }],
    ['kosis_search_tables', { searchNm: '인구', sort: 'NEWEST' }],
    ['kosis_table_data', { ...CURRENT_INDEX, objL1: 'A01,A02' }],
    ['kosis_table_data', { ...CURRENT_INDEX, newEstPrdCnt: 0 }],
    ['kosis_table_data', { ...CURRENT_INDEX, startPrdDe: '202013' }],
    ['dart_search_disclosures', { pblntf_ty: 'Z' }],
    ['dart_key_accounts', { ...SAMSUNG, bsns_year: '2014' }],
    ['dart_key_accounts', { ...SAMSUNG, reprt_code: '11015' }],
    ['pps_search_service_bids', { inqryBgnDt: '20260832' }],
    ['pps_search_service_bids', { numOfRows: 1000 }],
    ['nps_search_workplaces', { wkplNm: '유일', bzowrRgstNo: '142-81' }],
    ['nps_workplace_detail', { seq: '7101020a' }],
    ['opinet_average_prices', { area: '01' }],
  ])('%s refuses %j before anything is sent', async (tool, args) => {
    const { body } = await gateway.call(tool, args);
    expect(body.error).toMatchObject({ code: -32602, data: { errors: [expect.anything()] } });
  });
});
