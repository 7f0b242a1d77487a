import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T12:00:00+09:00');

interface RangeCase {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly over: readonly string[];
  readonly units: number;
}

const PLACE = { latitude: 37.5, longitude: 127 };
const GRID = { nx: 60, ny: 127 };
const ECOS = { stat_code: '722Y001', item_code1: '0101000' };
const KOSIS = { orgId: '101', tblId: 'DT_1B040A3', itmId: 'T20', objL1: '11' };

/** Every tool with a date or a place among its arguments, once for each kind of range. */
const CASES: readonly RangeCase[] = [
  {
    tool: 'kma_ultra_short_nowcast',
    args: { ...GRID, base_time: '0600' },
    over: ['base_date=20261120..20261121'],
    units: 2,
  },
  {
    tool: 'kma_ultra_short_forecast',
    args: { ...GRID, base_time: '0630' },
    over: ['base_date=20261120..20261121'],
    units: 2,
  },
  {
    tool: 'kma_village_forecast',
    args: { ...GRID, base_time: '0500' },
    over: ['base_date=20261120..20261121'],
    units: 2,
  },
  { tool: 'kma_mid_land_forecast', args: {}, over: ['regId=11B00000,11H20000'], units: 2 },
  { tool: 'kma_mid_temperature', args: {}, over: ['regId=Seoul,부산'], units: 2 },
  {
    tool: 'kma_asos_hourly',
    args: { stnIds: '159' },
    over: ['startDt=20260901..20261015'],
    units: 2,
  },
  { tool: 'kma_asos_daily', args: { stnIds: '108' }, over: ['startDt=2024..2025'], units: 2 },
  {
    tool: 'kma_asos_daily',
    args: { startDt: '20261001', endDt: '20261003' },
    over: ['stnIds=Seoul,Busan'],
    units: 2,
  },
  {
    tool: 'kma_uv_index',
    args: { time: '2026112106' },
    over: ['areaNo=within:Jongno-gu'],
    units: 17,
  },
  { tool: 'kma_typhoon_info', args: {}, over: ['fromTmFc=20260801..20260806'], units: 2 },
  { tool: 'kma_earthquake_reports', args: {}, over: ['fromTmFc=20261101..20261106'], units: 2 },
  { tool: 'kma_radar_images', args: {}, over: ['time=20261120..20261121'], units: 2 },
  { tool: 'airkorea_sido_realtime', args: {}, over: ['sidoName=서울,부산'], units: 2 },
  { tool: 'airkorea_stations', args: {}, over: ['stationName=within:Jeju'], units: 11 },
  { tool: 'kasi_sun_moon_times', args: PLACE, over: ['locdate=20260601..20260630'], units: 30 },
  { tool: 'kasi_holidays', args: {}, over: ['solYear=2026..2027'], units: 2 },
  { tool: 'kasi_holidays', args: { solYear: '2026' }, over: ['solMonth=01..12'], units: 12 },
  {
    tool: 'khoa_tide_high_low',
    args: { obsCode: 'DT_0005' },
    over: ['reqDate=20261120..20261122'],
    units: 3,
  },
  { tool: 'hrfco_water_level', args: {}, over: ['wlobscd=within:Seoul'], units: 18 },
  {
    tool: 'fsc_stock_prices',
    args: { likeSrtnCd: '000660' },
    over: ['beginBasDt=202509..202609'],
    units: 2,
  },
  {
    tool: 'fsc_stock_prices',
    args: { likeSrtnCd: '000660' },
    over: ['basDt=20261116..20261118'],
    units: 3,
  },
  {
    tool: 'fsc_krx_listed_items',
    args: { corpNm: '현대자동차(주)' },
    over: ['beginBasDt=20261110..20261120'],
    units: 1,
  },
  {
    tool: 'fsc_stock_index',
    args: { idxNm: '코스닥' },
    over: ['likeBasDt=202608..202609'],
    units: 2,
  },
  {
    tool: 'fsc_etf_prices',
    args: { beginNav: '50000', endNav: '90000' },
    over: ['basDt=20261112..20261113'],
    units: 2,
  },
  { tool: 'fsc_gold_prices', args: {}, over: ['beginBasDt=20261101..20261108'], units: 1 },
  {
    tool: 'fsc_summary_financials',
    args: { crno: '1301110006246' },
    over: ['bizYear=2022..2024'],
    units: 3,
  },
  {
    tool: 'molit_apt_trades',
    args: {},
    over: ['LAWD_CD=within:Seoul', 'DEAL_YMD=202607..202609'],
    units: 75,
  },
  {
    tool: 'molit_apt_rents',
    args: { DEAL_YMD: '202609' },
    over: ['LAWD_CD=within:제주'],
    units: 2,
  },
  {
    tool: 'customs_item_trade',
    args: { hsSgn: '8542' },
    over: ['strtYymm=202401..202512'],
    units: 2,
  },
  { tool: 'exim_exchange_rates', args: {}, over: ['searchdate=20261116..20261120'], units: 5 },
  {
    tool: 'ecos_statistic_search',
    args: { ...ECOS, cycle: 'Q' },
    over: ['start_time=2024Q1..2025Q4'],
    units: 1,
  },
  {
    tool: 'ecos_statistic_search',
    args: { ...ECOS, cycle: 'M' },
    over: ['start_time=202401..202512'],
    units: 1,
  },
  {
    tool: 'kosis_table_data',
    args: { ...KOSIS, prdSe: 'Y' },
    over: ['startPrdDe=2020..2023'],
    units: 1,
  },
  {
    tool: 'dart_search_disclosures',
    args: { corp_code: '00164779' },
    over: ['bgn_de=20260101..20260630'],
    units: 3,
  },
  {
    tool: 'dart_key_accounts',
    args: { corp_code: '00164779' },
    over: ['bsns_year=2022..2024'],
    units: 3,
  },
  {
    tool: 'pps_search_service_bids',
    args: { bidNtceNm: '청소' },
    over: ['inqryBgnDt=20260901..20261010'],
    units: 2,
  },
  {
    tool: 'nps_search_workplaces',
    args: { wkplNm: '카카오', ldongAddrMgplDgCd: '50' },
    over: ['ldongAddrMgplSgguCd=110,130'],
    units: 2,
  },
  {
    tool: 'worldbank_indicator',
    args: { country: 'KR', indicator: 'SP.POP.TOTL' },
    over: ['date=2018..2020'],
    units: 3,
  },
  {
    tool: 'frankfurter_rates',
    args: { base: 'KRW', quotes: 'USD' },
    over: ['from=2026-07-01..2026-10-31'],
    units: 2,
  },
  {
    tool: 'tour_search_keyword',
    args: { keyword: '박물관', lDongRegnCd: '50' },
    over: ['lDongSignguCd=within:제주'],
    units: 2,
  },
  {
    tool: 'tour_area_list',
    args: { contentTypeId: '39', lDongRegnCd: '50' },
    over: ['lDongSignguCd=within:제주'],
    units: 2,
  },
  {
    tool: 'tour_search_festival',
    args: { eventStartDate: '20270301' },
    over: ['lDongRegnCd=26,11'],
    units: 2,
  },
  { tool: 'tour_region_codes', args: {}, over: ['lDongRegnCd=11,26'], units: 2 },
  {
    tool: 'tour_eng_search_keyword',
    args: { keyword: 'Beach' },
    over: ['lDongRegnCd=26,50'],
    units: 2,
  },
  {
    tool: 'tour_pet_places',
    args: { lDongRegnCd: '50' },
    over: ['lDongSignguCd=within:제주'],
    units: 2,
  },
  { tool: 'tour_visitors_by_province', args: {}, over: ['startYmd=202608..202608'], units: 2 },
  {
    tool: 'tour_crowding_forecast',
    args: { areaCd: '50', tAtsNm: '성산일출봉' },
    over: ['signguCd=within:제주'],
    units: 2,
  },
  {
    tool: 'khs_heritage_search',
    args: { ccbaMnm1: '석탑' },
    over: ['stCcbaAsdt=1950..2020'],
    units: 2,
  },
  {
    tool: 'kopis_performance_list',
    args: { signgucode: '11' },
    over: ['stdate=202611..202612'],
    units: 2,
  },
  {
    tool: 'kopis_performance_list',
    args: { stdate: '20261201', eddate: '20261207', signgucode: '11' },
    over: ['signgucodesub=within:Seoul'],
    units: 25,
  },
  { tool: 'kofic_daily_box_office', args: {}, over: ['targetDt=20261030..20261031'], units: 2 },
  {
    tool: 'kofic_movie_search',
    args: { directorNm: '봉준호' },
    over: ['openStartDt=2000..2019'],
    units: 1,
  },
  {
    tool: 'data4library_popular_books',
    args: { startDt: '2026-09-01', endDt: '2026-09-30', region: '11' },
    over: ['dtl_region=within:서울'],
    units: 25,
  },
  {
    tool: 'std_festival_list',
    args: {},
    over: ['fstvlStartDate=2026-10-01..2026-10-03'],
    units: 3,
  },
  {
    tool: 'std_library_list',
    args: { CTPRVN_NM: '서울특별시' },
    over: ['SIGNGU_NM=종로구,중구'],
    units: 2,
  },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock: { now: () => NOW },
    env: { RATE_LIMIT_PER_MINUTE: '0', UPSTREAM_CONCURRENCY: '64' },
  });
});
afterAll(() => gateway.close());

it.each(CASES)('$tool over $over', async ({ tool, args, over, units }) => {
  const { result, error } = (await gateway.call(tool, { ...args, _over: over })).body;
  expect(error).toBeUndefined();
  expect(result.units).toEqual({ done: units, total: units, failed: 0 });
  expect(result.complete).toBe(true);
  expect(result.rows.returned).toBeGreaterThan(0);
  expect(result.data.columns[0].name).toBe(over[0]?.split('=')[0]);
});
