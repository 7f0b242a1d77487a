import { expect } from 'vitest';

/** A question to the sandbox, and what every row of its answer must say. Today is Sunday, 22 November 2026. */
export interface SandboxQuestion {
  readonly tool: string;
  readonly ask: Readonly<Record<string, unknown>>;
  /** The value of columns in every row; a name with dots leads into an object. */
  readonly says: Readonly<Record<string, unknown>>;
}

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const BUSAN = { nx: 98, ny: 76, base_date: '20261120', base_time: '0500' };
const IN_BUSAN = { nx: 98, ny: 76, baseDate: '20261120', baseTime: '0500' };
const PARIS = { latitude: 48.8566, longitude: 2.3522, timezone: 'Europe/Paris' };
const JEJU = { lDongRegnCd: '50', lDongSignguCd: '130' };
const SEPTEMBER = { likeBasDt: '202609' };

const CASES: readonly (readonly [
  tool: string,
  ask: SandboxQuestion['ask'],
  says: SandboxQuestion['says'],
])[] = [
  ['kma_ultra_short_nowcast', BUSAN, IN_BUSAN],
  ['kma_ultra_short_forecast', BUSAN, { ...IN_BUSAN, fcstTime: like(/^(0[6-9]|1[01])00$/) }],
  ['kma_village_forecast', BUSAN, { ...IN_BUSAN, fcstDate: like(/^2026112[0-3]$/) }],
  [
    'kma_forecast_version',
    { ftype: 'ODAM', basedatetime: '202611201000' },
    { filetype: 'ODAM', version: like(/^202611201000/) },
  ],
  ['kma_mid_land_forecast', { regId: '11H20000', tmFc: '202611211800' }, { regId: '11H20000' }],
  ['kma_mid_temperature', { regId: '11H20201', tmFc: '202611220600' }, { regId: '11H20201' }],
  ['kma_warning_status', {}, { tmFc: '202611221200' }],
  [
    'kma_asos_hourly',
    { stnIds: '159', startDt: '20261110', endDt: '20261111' },
    { stnId: '159', stnNm: '부산', tm: like(/^2026-11-1[01] /) },
  ],
  [
    'kma_asos_daily',
    { stnIds: '184', startDt: '20261001', endDt: '20261031' },
    { stnId: '184', stnNm: '제주', tm: like(/^2026-10-/) },
  ],
  [
    'kma_uv_index',
    { areaNo: '2600000000', time: '2026112106' },
    { areaNo: '2600000000', date: '2026112106' },
  ],
  [
    'kma_typhoon_info',
    { fromTmFc: '20260801', toTmFc: '20260802' },
    { tmFc: like(/^2026080[12]/), typTm: expect.any(Number) },
  ],
  [
    'kma_earthquake_reports',
    { fromTmFc: '20261101', toTmFc: '20261104' },
    { loc: expect.any(String) },
  ],
  [
    'kma_radar_images',
    { time: '20261030' },
    { 'rdr-img-file': like(/CMP_WRC_20261030\d{4}\.png/) },
  ],
  [
    'airkorea_sido_realtime',
    { sidoName: '부산' },
    { sidoName: '부산', dataTime: '2026-11-22 12:00' },
  ],
  ['airkorea_stations', { stationName: '종로구' }, { stationName: '종로구' }],
  [
    'kasi_sun_moon_times',
    { locdate: '20260621', latitude: 35.18, longitude: 129.08 },
    { locdate: '20260621', latitudeNum: '35.18', longitudeNum: '129.08' },
  ],
  ['kasi_holidays', { solYear: '2027', solMonth: '02' }, { dateName: '설날', isHoliday: 'Y' }],
  [
    'khoa_tide_high_low',
    { obsCode: 'DT_0005', reqDate: '20261120' },
    { obsvtrNm: '부산', predcDt: like(/^2026-11-20 /), lat: 35.09638 },
  ],
  ['hrfco_water_level', { wlobscd: '1005697' }, { wlobscd: '1005697', ymdhm: '202611221200' }],
  [
    'openmeteo_forecast',
    { ...PARIS, start_date: '2026-11-20', end_date: '2026-11-21', hourly: 'temperature_2m' },
    {
      timezone: 'Europe/Paris',
      latitude: 48.85,
      'daily.time': ['2026-11-20', '2026-11-21'],
      'hourly.time.47': '2026-11-21T23:00',
    },
  ],
  [
    'openmeteo_air_quality',
    { ...PARIS, current: 'pm10' },
    { latitude: 48.85, 'current.time': '2026-11-22T04:00', 'current_units.pm10': 'μg/m³' },
  ],
  [
    'fsc_stock_prices',
    { ...SEPTEMBER, likeSrtnCd: '000660' },
    { srtnCd: '000660', itmsNm: '표본 000660', basDt: like(/^202609/) },
  ],
  [
    'fsc_krx_listed_items',
    { basDt: '20261117', corpNm: '현대자동차(주)' },
    { basDt: '20261117', corpNm: '현대자동차(주)' },
  ],
  [
    'fsc_stock_index',
    { idxNm: '코스닥', ...SEPTEMBER },
    { idxNm: '코스닥', basDt: like(/^202609/) },
  ],
  [
    'fsc_etf_prices',
    { basDt: '20261112', beginNav: '50000', endNav: '90000' },
    { basDt: '20261112', nav: '50000' },
  ],
  [
    'fsc_gold_prices',
    { beginBasDt: '20261101', endBasDt: '20261108' },
    { basDt: like(/^2026110[2-6]/) },
  ],
  ['fsc_corp_outline', { corpNm: '카카오' }, { corpNm: '카카오', fssCorpUnqNo: like(/^\d{8}$/) }],
  [
    'fsc_summary_financials',
    { crno: '1101111111111', bizYear: '2024' },
    { crno: '1101111111111', bizYear: '2024', basDt: '20241231' },
  ],
  [
    'molit_apt_trades',
    { LAWD_CD: '26350', DEAL_YMD: '202609' },
    { sggCd: '26350', dealYear: '2026', dealMonth: '9', estateAgentSggNm: '부산광역시 해운대구' },
  ],
  [
    'molit_apt_rents',
    { LAWD_CD: '41135', DEAL_YMD: '202512' },
    { sggCd: '41135', dealYear: '2025', dealMonth: '12' },
  ],
  ['nts_business_status', { b_no: ['1248100998', '1234567890'] }, { b_stt_cd: '01' }],
  [
    'nts_business_validate',
    { businesses: [{ b_no: '1248100998', start_dt: '19690113', p_nm: '김철수' }] },
    { b_no: '1248100998', 'request_param.p_nm': '김철수', valid: '02' },
  ],
  [
    'customs_item_trade',
    { hsSgn: '8542', strtYymm: '202512', endYymm: '202601' },
    { hsCode: like(/^-$|^8542/), year: like(/^총계$|^2025\.12$|^2026\.01$/) },
  ],
  ['exim_exchange_rates', { searchdate: '20261119' }, { result: 1, deal_bas_r: like(/^[\d,.]+$/) }],
  [
    'ecos_statistic_search',
    {
      stat_code: '722Y001',
      cycle: 'Q',
      start_time: '2025Q1',
      end_time: '2025Q4',
      item_code1: '0101000',
    },
    { STAT_CODE: '722Y001', ITEM_NAME1: '한국은행 기준금리', TIME: like(/^2025Q[1-4]$/) },
  ],
  ['ecos_key_statistics', { start: 11, end: 30 }, { CYCLE: like(/^202[56]/) }],
  ['kosis_search_tables', { searchNm: '출생' }, { QUERY: '출생', TBL_NM: like(/출생/) }],
  [
    'kosis_table_data',
    {
      ...{ orgId: '101', tblId: 'DT_1B040A3', itmId: 'T20', objL1: '11 26', prdSe: 'Y' },
      ...{ startPrdDe: '2020', endPrdDe: '2023' },
    },
    { TBL_ID: 'DT_1B040A3', ITM_ID: 'T20', PRD_DE: like(/^202[0-3]$/), C1: like(/^(11|26)$/) },
  ],
  [
    'dart_search_disclosures',
    { corp_code: '00164779', bgn_de: '20260101', end_de: '20260630' },
    { corp_code: '00164779', rcept_dt: like(/^20260[1-6]/) },
  ],
  ['dart_company_overview', { corp_code: '00164779' }, { corp_code: '00164779' }],
  [
    'dart_key_accounts',
    { corp_code: '00164779', bsns_year: '2023', reprt_code: '11011' },
    { corp_code: '00164779', bsns_year: '2023', thstrm_dt: like(/^2023\..*12\.31/) },
  ],
  [
    'pps_search_service_bids',
    {
      ...{ inqryBgnDt: '202610010000', inqryEndDt: '202610072359', bidNtceNm: '청소' },
      ...{ presmptPrceBgn: '100000000', presmptPrceEnd: '200000000' },
    },
    {
      bidNtceNm: like(/청소/),
      bidNtceDt: like(/^2026-10-0[1-7] /),
      presmptPrce: like(/^1\d{8}$|^200000000$/),
    },
  ],
  [
    'nps_search_workplaces',
    { wkplNm: '카카오', ldongAddrMgplDgCd: '50' },
    { wkplNm: like(/카카오/), ldongAddrMgplDgCd: '50' },
  ],
  ['nps_workplace_detail', { seq: 8123456 }, { wkplNm: like(/8123456/) }],
  ['opinet_average_prices', {}, { TRADE_DT: '20261122' }],
  [
    'worldbank_indicator',
    { country: 'KR;JP', indicator: 'SP.POP.TOTL', date: '2015:2020' },
    {
      'indicator.id': 'SP.POP.TOTL',
      date: like(/^20(1[5-9]|20)$/),
      'country.id': like(/^(KR|JP)$/),
    },
  ],
  [
    'frankfurter_rates',
    { base: 'KRW', quotes: 'USD,JPY', from: '2026-09-01', to: '2026-09-30' },
    { base: 'KRW', quote: like(/^(USD|JPY)$/), date: like(/^2026-09-/) },
  ],
  [
    'tour_search_keyword',
    { keyword: '박물관', ...JEJU, contentTypeId: '14' },
    { title: like(/박물관/), ...JEJU, contenttypeid: '14' },
  ],
  [
    'tour_nearby',
    { mapX: 129.0756, mapY: 35.1796, radius: 1000 },
    { mapx: like(/^129\.0/), mapy: like(/^35\.1/), dist: like(/^\d{1,3}\./) },
  ],
  ['tour_area_list', { ...JEJU, contentTypeId: '39' }, { ...JEJU, contenttypeid: '39' }],
  [
    'tour_search_festival',
    { eventStartDate: '20270301', eventEndDate: '20270331', lDongRegnCd: '26' },
    { lDongRegnCd: '26', eventstartdate: like(/^202703/), addr1: like(/^부산광역시/) },
  ],
  ['tour_detail_common', { contentId: '264550' }, { contentid: '264550', title: '표본 264550' }],
  ['tour_region_codes', { lDongRegnCd: '26' }, { code: like(/^\d{3}$/), name: like(/[구군]$/) }],
  [
    'tour_eng_search_keyword',
    { keyword: 'Beach', lDongRegnCd: '26' },
    { title: like(/Beach/), lDongRegnCd: '26' },
  ],
  ['tour_pet_places', { lDongRegnCd: '11' }, { lDongRegnCd: '11' }],
  [
    'tour_visitors_by_province',
    { startYmd: '20260801', endYmd: '20260802' },
    { baseYmd: like(/^2026080[12]$/), daywkDivNm: like(/^(토|일)요일$/) },
  ],
  [
    'tour_crowding_forecast',
    { areaCd: '50', signguCd: '50130', tAtsNm: '성산일출봉' },
    { areaCd: '50', signguCd: '50130', signguNm: '서귀포시', tAtsNm: '성산일출봉' },
  ],
  ['gocamping_search', { keyword: '제주' }, { facltNm: like(/제주/) }],
  ['tour_photo_search', { keyword: '해운대' }, { galTitle: like(/해운대/) }],
  [
    'odii_story_search',
    { keyword: 'palace', langCode: 'en' },
    { title: like(/palace/), langCode: 'en' },
  ],
  [
    'khs_heritage_search',
    { ccbaMnm1: '석탑', ccbaKdcd: '12', ccbaCtcd: '37' },
    { ccbaMnm1: like(/석탑/), ccbaKdcd: '12', ccmaName: '보물', ccbaCtcdNm: '경북' },
  ],
  [
    'khs_heritage_detail',
    { ccbaKdcd: '12', ccbaAsno: '0000020000000', ccbaCtcd: '37' },
    { ccbaMnm1: like(/0000020000000/), ccmaName: '보물' },
  ],
  [
    'kopis_performance_list',
    { stdate: '20261201', eddate: '20261207', shcate: 'AAAA', signgucode: '26' },
    {
      ...{ genrenm: '연극', area: '부산광역시' },
      prfpdfrom: like(/^2026\.12\.0[1-7]$/),
    },
  ],
  ['kopis_performance_detail', { mt20id: 'PF123456' }, { mt20id: 'PF123456' }],
  ['kofic_daily_box_office', { targetDt: '20261031' }, { openDt: like(/^2026-(09|10)-/) }],
  [
    'kofic_movie_search',
    { movieNm: '기생충', directorNm: '봉준호', openStartDt: '2019', openEndDt: '2019' },
    { movieNm: like(/기생충/), openDt: like(/^2019/), directors: [{ peopleNm: '봉준호' }] },
  ],
  [
    'data4library_popular_books',
    { startDt: '2026-09-01', endDt: '2026-09-30' },
    { ranking: like(/^\d+$/) },
  ],
  ['std_festival_list', { fstvlStartDate: '2026-10-01' }, { fstvlStartDate: '2026-10-01' }],
  ['std_museum_list', { fcltyNm: '국립중앙박물관' }, { fcltyNm: '국립중앙박물관' }],
  [
    'std_library_list',
    { CTPRVN_NM: '서울특별시', SIGNGU_NM: '종로구' },
    { ctprvnNm: '서울특별시', signguNm: '종로구' },
  ],
  [
    'artic_artwork_search',
    { q: 'tiger', query: { term: { is_public_domain: true } } },
    { title: like(/tiger/), is_public_domain: true },
  ],
  [
    'openlibrary_book_search',
    { author: 'Han Kang', language: 'kor', fields: 'title,author_name,language' },
    { author_name: ['Han Kang'], language: ['kor'] },
  ],
];

/** One question for each tool. */
export const SANDBOX_QUESTIONS: readonly SandboxQuestion[] = CASES.map(([tool, ask, says]) => ({
  tool,
  ask,
  says,
}));
