import { describe, expect, it } from 'vitest';
import {
  type CallPipeline,
  failureOf,
  openCallPipeline,
  PORTAL_SECRETS,
} from '../../test/support/call-pipeline.ts';
import { SHIPPED_PRESETS } from '../../test/support/sandboxed-presets.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { loadPresets } from '../tools/catalog/load-presets.ts';
import type { ResolveCode } from '../tools/request/resolve-code.ts';

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const secrets = {
  ...PORTAL_SECRETS,
  ...Object.fromEntries(
    presets
      .flatMap(({ tools }) => tools.flatMap((tool) => tool.secrets))
      .map((name) => [name, 'a-long-key']),
  ),
};

/** Codes as a code book may have them. */
const CODES: Readonly<Record<string, ReturnType<ResolveCode>>> = {
  'asos_station Seoul': { code: '108' },
  'district Gangnam': { code: '11680' },
  'place Seoul': { code: '1100000000', lat: 37.5665, lon: 126.978 },
  'district 중구': {
    choices: ['11140', '26110', '27110', '28110', '30140', '31110'].map((code) => ({
      code,
      name: '중구',
    })),
  },
  'place 중구': {
    choices: [
      { code: '1114000000', name: '서울 중구' },
      { code: '2611000000', name: '부산 중구' },
    ],
  },
  'district 읍내': {
    choices: Array.from({ length: 12 }, (_, n) => ({ code: String(11000 + n), name: `${n}` })),
  },
  'district Atlantis': { code: 'not-a-code' },
};

const asked: string[] = [];
const resolveCode: ResolveCode = (kind, text) => {
  asked.push(`${kind} ${text}`);
  return CODES[`${kind} ${text}`] ?? { choices: [] };
};

const open = (): Promise<CallPipeline> => openCallPipeline('', { presets, secrets, resolveCode });

const askedOf = async (tool: string, args: Record<string, unknown>) => {
  const gateway = await open();
  return (await gateway.call(tool, Object.freeze(args))).provenance.asked;
};

const SEOUL = { lat: 37.5665, lon: 126.978 };
const CELL = { nx: 60, ny: 127 };

describe('arguments that are written in another way', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    // Numbers as text.
    [
      'openmeteo_forecast',
      { latitude: '37.57', longitude: '126.98' },
      { latitude: 37.57, longitude: 126.98 },
    ],
    ['kma_village_forecast', { nx: '60', ny: ' 127 ' }, CELL],
    ['kma_village_forecast', { ...CELL, numOfRows: '5' }, { ...CELL, numOfRows: 5 }],
    ['kma_village_forecast', { lat: '37.5665', lon: '126.978' }, CELL],
    // Null and empty text.
    ['molit_apt_trades', { LAWD_CD: '11680', DEAL_YMD: null }, { DEAL_YMD: '202610' }],
    ['molit_apt_trades', { LAWD_CD: '11680', DEAL_YMD: '' }, { DEAL_YMD: '202610' }],
    [
      'kma_village_forecast',
      { ...CELL, base_date: '', base_time: null, pageNo: null },
      { base_date: '20261121', base_time: '1100', pageNo: 1 },
    ],
    // Lists.
    ['frankfurter_rates', { quotes: ['KRW', 'EUR'] }, { quotes: 'KRW,EUR' }],
    ['frankfurter_rates', { quotes: 'KRW, EUR' }, { quotes: 'KRW,EUR' }],
    [
      'openmeteo_forecast',
      { ...{ latitude: 1, longitude: 2 }, hourly: ['rain', 'snowfall'] },
      { hourly: 'rain,snowfall' },
    ],
    [
      'worldbank_indicator',
      { country: ['KR', 'JP'], indicator: 'SP.POP.TOTL' },
      { country: 'KR;JP' },
    ],
    ['worldbank_indicator', { country: 'KR,JP', indicator: 'SP.POP.TOTL' }, { country: 'KR;JP' }],
    ['nts_business_status', { b_no: '1208800767' }, { b_no: ['1208800767'] }],
    [
      'nts_business_status',
      { b_no: '1208800767,1208800768' },
      { b_no: ['1208800767', '1208800768'] },
    ],
    ['fsc_stock_prices', { likeSrtnCd: 5930 }, { likeSrtnCd: '005930' }],
    ['nts_business_status', { b_no: 1208800767 }, { b_no: ['1208800767'] }],
    ['artic_artwork_search', { q: ['monet'] }, { q: 'monet' }],
    // Dates and times.
    [
      'kma_asos_daily',
      { stnIds: '108', startDt: '2026-11-01', endDt: '2026.11.02' },
      { startDt: '20261101', endDt: '20261102' },
    ],
    ['molit_apt_trades', { LAWD_CD: '11680', DEAL_YMD: '2026-08' }, { DEAL_YMD: '202608' }],
    [
      'kma_village_forecast',
      { ...CELL, base_date: '2026-11-21', base_time: '05:00' },
      { base_date: '20261121', base_time: '0500' },
    ],
    ['pps_search_service_bids', { inqryBgnDt: '2026-11-01T05:00' }, { inqryBgnDt: '202611010500' }],
    [
      'pps_search_service_bids',
      { inqryBgnDt: '2026-11-01', inqryEndDt: 20261102 },
      { inqryBgnDt: '202611010000', inqryEndDt: '202611022359' },
    ],
    ['frankfurter_rates', { date: '20261120' }, { date: '2026-11-20' }],
    ['frankfurter_rates', { date: 20261120 }, { date: '2026-11-20' }],
    [
      'openmeteo_forecast',
      { latitude: 1, longitude: 2, start_date: '2026/11/20', end_date: '2026-11-20T00:00:00' },
      { start_date: '2026-11-20', end_date: '2026-11-20' },
    ],
    // Numbers for digit codes.
    [
      'molit_apt_trades',
      { LAWD_CD: 11680, DEAL_YMD: 202608 },
      { LAWD_CD: '11680', DEAL_YMD: '202608' },
    ],
    ['kma_asos_daily', { stnIds: 108 }, { stnIds: '108' }],
    ['kma_village_forecast', { ...CELL, base_time: 500 }, { base_time: '0500' }],
    // Names of the values of an enum.
    ['airkorea_sido_realtime', { sidoName: 'Seoul' }, { sidoName: '서울' }],
    ['airkorea_sido_realtime', { sidoName: '서울특별시' }, { sidoName: '서울' }],
    // Case, and words for yes and no.
    ['kopis_performance_list', { shcate: 'ggga' }, { shcate: 'GGGA' }],
    ['khoa_tide_high_low', { obsCode: 'dt_0007' }, { obsCode: 'DT_0007' }],
    ['kofic_daily_box_office', { multiMovieYn: true }, { multiMovieYn: 'Y' }],
    // Other names.
    ['openmeteo_forecast', { lat: 37.5, lng: '126.9' }, { latitude: 37.5, longitude: 126.9 }],
    ['kma_village_forecast', { latitude: 37.5665, longitude: 126.978 }, CELL],
    ['tour_nearby', SEOUL, { mapX: 126.978, mapY: 37.5665 }],
    ['kma_village_forecast', { place: 'Seoul' }, CELL],
    ['openmeteo_forecast', { city: 'Seoul' }, { latitude: 37.5665, longitude: 126.978 }],
    // Names for codes.
    ['kma_asos_daily', { stnIds: 'Seoul' }, { stnIds: '108' }],
    ['molit_apt_trades', { LAWD_CD: 'Gangnam' }, { LAWD_CD: '11680' }],
  ])('%s takes %j', async (tool, args, expected) => {
    expect(await askedOf(tool, args)).toMatchObject(expected);
  });

  it('reads the arguments that choose rows, too', async () => {
    const gateway = await open();
    gateway.answer({
      body: [{ date: '2026-11-20', base: 'EUR', quote: 'KRW', rate: 1 }, { rate: 2 }],
    });
    const { data } = await gateway.call('frankfurter_rates', { _limit: '1', _fields: 'rate' });
    expect(data).toEqual([{ rate: 1 }]);
  });

  it('steps back after an argument that was left out with an empty text', async () => {
    const gateway = await open();
    gateway.answer({ body: [] });
    await gateway.call('exim_exchange_rates', { searchdate: '' });
    expect(gateway.sent.length).toBeGreaterThan(1);
  });

  it('records the arguments as they were given', async () => {
    const gateway = await open();
    await gateway.call('kma_asos_daily', { stnIds: 108 });
    expect(gateway.records[0]?.arguments).toEqual({ stnIds: 108 });
  });
});

describe('arguments whose meaning is not plain', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'molit_apt_trades',
      { LAWD_CD: '중구' },
      '/LAWD_CD is "중구": choose one of 11140 (중구), 26110 (중구),',
    ],
    [
      'kma_village_forecast',
      { place: '중구' },
      '/place is "중구": choose one of 1114000000 (서울 중구), 2611000000 (부산 중구).',
    ],
    ['molit_apt_trades', { LAWD_CD: '읍내' }, '11008 (8), 11009 (9) and 2 more.'],
    ['molit_apt_trades', { LAWD_CD: 'Atlantis' }, '/LAWD_CD must match the pattern'],
    ['molit_apt_trades', { LAWD_CD: null }, '/LAWD_CD must be a string'],
    ['molit_apt_trades', { LAWD_CD: 1168 }, '/LAWD_CD must be a string'],
    ['kma_village_forecast', { place: 'Nowhere' }, '/place Unknown argument "place".'],
    ['kma_village_forecast', { ...CELL, base_time: 530 }, '/base_time must be a string'],
    ['kma_asos_daily', { stnIds: '108', startDt: '2026-02-30' }, '/startDt must match the pattern'],
    ['kma_forecast_version', { basedatetime: '2026-11-01' }, 'such as "202611200800", but is'],
    [
      'pps_search_service_bids',
      { inqryBgnDt: '2026-11-01T05:00Z' },
      '/inqryBgnDt must match the pattern',
    ],
    ['openmeteo_forecast', { latitude: 1, lat: 2, longitude: 3 }, '/lat Unknown argument "lat".'],
    [
      'worldbank_indicator',
      { country: 'KR', indicator: 'A', frequency: true },
      '/frequency must be a string',
    ],
    [
      'kosis_table_data',
      { orgId: '101', tblId: 'T', prdSe: 'M', objL1: ['A', 'B'] },
      '/objL1 must be a string',
    ],
    ['kma_village_forecast', { nx: '060', ny: 127 }, '/nx must be an integer'],
  ])('are refused: %s %j', async (tool, args, message) => {
    const gateway = await open();
    const failure = await failureOf(gateway.call(tool, args));
    expect(failure.message).toContain(message);
    expect(gateway.sent).toEqual([]);
  });

  it('are never looked up if they fit', async () => {
    asked.length = 0;
    await askedOf('molit_apt_trades', { LAWD_CD: '11680', DEAL_YMD: '2026-08' });
    expect(asked).toEqual([]);
  });
});
