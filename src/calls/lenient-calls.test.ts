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

const CELL = { nx: 60, ny: 127 };

describe('arguments that are written in another way', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['kma_village_forecast', { lat: '37.5665', lon: '126.978' }, CELL],
    ['molit_apt_trades', { LAWD_CD: '11680', DEAL_YMD: '' }, { DEAL_YMD: '202610' }],
    ['worldbank_indicator', { country: 'KR,JP', indicator: 'SP.POP.TOTL' }, { country: 'KR;JP' }],
    ['nts_business_status', { b_no: 1208800767 }, { b_no: ['1208800767'] }],
    [
      'pps_search_service_bids',
      { inqryBgnDt: '2026-11-01', inqryEndDt: 20261102 },
      { inqryBgnDt: '202611010000', inqryEndDt: '202611022359' },
    ],
    ['kma_village_forecast', { ...CELL, base_time: 500 }, { base_time: '0500' }],
    ['airkorea_sido_realtime', { sidoName: '서울특별시' }, { sidoName: '서울' }],
    ['kofic_daily_box_office', { multiMovieYn: true }, { multiMovieYn: 'Y' }],
    ['openmeteo_forecast', { lat: 37.5, lng: '126.9' }, { latitude: 37.5, longitude: 126.9 }],
    ['tour_nearby', { lat: 37.5665, lon: 126.978 }, { mapX: 126.978, mapY: 37.5665 }],
    ['kma_village_forecast', { place: 'Seoul' }, CELL],
    ['kma_asos_daily', { stnIds: 'Seoul' }, { stnIds: '108' }],
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
    ['kma_village_forecast', { place: 'Nowhere' }, '/place Unknown argument "place".'],
    ['kma_asos_daily', { stnIds: '108', startDt: '2026-02-30' }, '/startDt must match the pattern'],
    ['openmeteo_forecast', { latitude: 1, lat: 2, longitude: 3 }, '/lat Unknown argument "lat".'],
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
