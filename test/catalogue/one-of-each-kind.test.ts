import { describeTools, type ToolCase } from './catalogue-case.ts';

const SEOUL_GRID = { lat: 37.5665, lon: 126.978 };
const PORTAL = { rows: '/response/body/items/item', keyRefusal: 'portal' } as const;
const HERITAGE = { rows: '/result/item', keyRefusal: null } as const;

/** A column of data.go.kr's usual envelope, and its value in the first row. */
const first = (column: string, value: unknown): ToolCase['sees'] => [
  `/response/body/items/item/0/${column}`,
  value,
];

describeTools([
  {
    tool: 'kma_ultra_short_nowcast',
    args: SEOUL_GRID,
    sees: first('nx', 60),
    ...PORTAL,
  },
  {
    tool: 'kma_ultra_short_forecast',
    args: SEOUL_GRID,
    sees: first('ny', 127),
    ...PORTAL,
  },
  { tool: 'kma_village_forecast', args: SEOUL_GRID, sees: first('category', 'TMP'), ...PORTAL },
  {
    tool: 'kma_forecast_version',
    args: { ftype: 'ODAM', basedatetime: '202106280800' },
    sees: first('version', '20210628080000'),
    ...PORTAL,
  },
  {
    tool: 'tour_search_keyword',
    args: { keyword: '경복궁' },
    sees: first('contentid', '126508'),
    ...PORTAL,
  },
  {
    tool: 'tour_nearby',
    args: { mapX: 126.978, mapY: 37.5665 },
    sees: first('lDongRegnCd', '11'),
    ...PORTAL,
  },
  { tool: 'tour_area_list', args: {}, sees: first('title', '가가상점'), ...PORTAL },
  { tool: 'tour_search_festival', args: {}, sees: first('contentid', '2986679'), ...PORTAL },
  {
    tool: 'tour_detail_common',
    args: { contentId: '126508' },
    sees: first('title', '경복궁'),
    ...PORTAL,
  },
  { tool: 'tour_region_codes', args: {}, sees: first('name', '서울특별시'), ...PORTAL },
  {
    tool: 'khs_heritage_search',
    args: { ccbaMnm1: '숭례문' },
    sees: ['/result/item/0/ccbaMnm1', '서울 숭례문'],
    ...HERITAGE,
  },
  {
    tool: 'khs_heritage_detail',
    args: { ccbaKdcd: '11', ccbaAsno: '0000010000000', ccbaCtcd: '11' },
    sees: ['/result/item/0/ccmaName', '국보'],
    ...HERITAGE,
  },
  {
    tool: 'worldbank_indicator',
    args: { country: 'KR', indicator: 'NY.GDP.MKTP.CD' },
    rows: '/1',
    sees: ['/1/0/countryiso3code', 'KOR'],
    keyRefusal: null,
  },
  {
    tool: 'frankfurter_rates',
    args: {},
    rows: '',
    sees: ['/1/base', 'EUR'],
    keyRefusal: null,
  },
  {
    tool: 'openmeteo_forecast',
    args: { latitude: 37.57, longitude: 126.98 },
    rows: null,
    sees: ['/timezone', 'Asia/Seoul'],
    keyRefusal: null,
  },
]);
