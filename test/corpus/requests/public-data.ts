import { toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { after, posts, under } from './build.ts';

const NOWCAST = 'kma_ultra_short_nowcast';
const SEOUL = { lat: 37.5665, lon: 126.978 };

/** Every code with a message of its own, some without, and other spellings. */
const CODES = '00 01 02 03 04 05 10 11 12 20 21 22 23 30 31 32 33 99 0 0000 030 77 ABC'.split(' ');

const FORMS = [
  'public-rows',
  'public-row',
  'public-blank',
  'public-bare',
  'public-flat',
  'public-xml',
  'portal-22',
  'portal-30',
  'html',
  'cut-json',
  '500',
];

const asked = (kind: string) => [kind, toolCall('corpus_public', { kind })] as const;

const GRID = posts([
  ['a place', toolCall(NOWCAST, { ...SEOUL, _limit: 1 })],
  ['a point', toolCall(NOWCAST, { nx: 60, ny: 127, _limit: 1 })],
  ['both', toolCall(NOWCAST, { ...SEOUL, nx: 1, ny: 2, _limit: 1 })],
  ['a moment', toolCall(NOWCAST, { nx: 60, ny: 127, base_date: '20261119', base_time: '0600' })],
  ['lat alone', toolCall(NOWCAST, { lat: 37 })],
  ['lon alone', toolCall(NOWCAST, { lon: 127 })],
  ['nx alone', toolCall(NOWCAST, { nx: 60 })],
  ['ny alone', toolCall(NOWCAST, { ny: 127 })],
  ['neither', toolCall(NOWCAST, {})],
  ['off the grid', toolCall(NOWCAST, { lat: 43.4, lon: 132.8 })],
  ['far away', toolCall(NOWCAST, { lat: 51.5, lon: -0.12 })],
  ['a text', toolCall(NOWCAST, { lat: '37', lon: 127 })],
]);

/** Each requests another page, so that no response comes from the cache. */
const faults = ['key', 'expired', 'blocked-ip', 'quota', 'html', 'truncate', 'status:503'].flatMap(
  (fault, index) =>
    after(
      { fault: [NOWCAST, fault] },
      posts([[fault, toolCall(NOWCAST, { ...SEOUL, pageNo: index + 2, _limit: 1 })]]),
    ),
);

const STEP_BACK = after(
  { fault: [NOWCAST, 'zero'] },
  posts([['an hour', toolCall(NOWCAST, { ...SEOUL, pageNo: 20, _limit: 1 })]]),
);

/** One tool of each upstream with its own response format. */
const SHIPPED: readonly (readonly [tool: string, args: object])[] = [
  ['airkorea_sido_realtime', { sidoName: '서울', _limit: 1 }],
  ['artic_artwork_search', { q: 'monet', _limit: 1 }],
  ['customs_item_trade', { hsSgn: '0106' }],
  ['dart_company_overview', { corp_code: '00126380' }],
  ['ecos_key_statistics', { _limit: 1 }],
  ['exim_exchange_rates', { _limit: 1 }],
  ['frankfurter_rates', { base: 'USD', quotes: 'KRW' }],
  ['fsc_stock_prices', { itmsNm: '삼성전자', _limit: 1 }],
  ['hrfco_water_level', {}],
  ['kasi_holidays', { solYear: '2026' }],
  ['khs_heritage_search', { ccbaMnm1: '숭례문', _limit: 1 }],
  ['kma_forecast_version', {}],
  ['kma_mid_land_forecast', { regId: '11B00000' }],
  ['kma_village_forecast', { nx: 60, ny: 127, _limit: 1 }],
  ['kofic_daily_box_office', { _limit: 1 }],
  ['kosis_search_tables', { searchNm: '소비자물가', _limit: 1 }],
  ['molit_apt_trades', { LAWD_CD: '11680', _limit: 1 }],
  ['nts_business_status', { b_no: ['1208800767'] }],
  ['openlibrary_book_search', { q: 'seoul', _limit: 1 }],
  ['openmeteo_forecast', { latitude: 37.57, longitude: 126.98 }],
  ['opinet_average_prices', {}],
  ['tour_search_keyword', { keyword: '경복궁', _limit: 1 }],
  ['worldbank_indicator', { country: 'KR', indicator: 'NY.GDP.MKTP.CD' }],
];

/** Public data, and one shipped tool for each kind of upstream. */
export const PUBLIC_DATA: readonly Entry[] = [
  ...under(
    'code',
    posts(CODES.map((code) => [code, toolCall('corpus_public', { kind: `code-${code}` })])),
  ),
  ...under('form', posts(FORMS.map(asked))),
  ...under(
    'page',
    posts([['2', toolCall('corpus_public', { kind: 'public-rows', _limit: 1, pageNo: 2 })]]),
  ),
  ...under('grid', GRID),
  ...under('fault', faults),
  ...under('step back', STEP_BACK),
  ...under('shipped', posts(SHIPPED.map(([tool, args]) => [tool, toolCall(tool, args)]))),
];
