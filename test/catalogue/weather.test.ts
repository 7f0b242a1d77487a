import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { describeTools, type ToolCase } from './catalogue-case.ts';

const KMA = { rows: '/response/body/items/item', keyRefusal: 'portal' } as const;
const KASI = KMA;
const AIR_KOREA = { rows: '/response/body/items', keyRefusal: 'portal' } as const;

/** A column of the first row. */
const first = ({ rows }: { rows: string }, column: string, value: unknown): ToolCase['sees'] => [
  `${rows}/0/${column}`,
  value,
];

describeTools([
  {
    tool: 'kma_mid_land_forecast',
    args: { regId: '11G00000' },
    sees: first(KMA, 'regId', '11G00000'),
    ...KMA,
  },
  {
    tool: 'kma_mid_temperature',
    args: { regId: '11B10101' },
    sees: first(KMA, 'regId', '11B10101'),
    ...KMA,
  },
  { tool: 'kma_warning_status', args: {}, sees: first(KMA, 'other', 'o 없음'), ...KMA },
  { tool: 'kma_asos_hourly', args: { stnIds: '108' }, sees: first(KMA, 'stnNm', '서울'), ...KMA },
  { tool: 'kma_asos_daily', args: { stnIds: '159' }, sees: first(KMA, 'stnNm', '부산'), ...KMA },
  {
    tool: 'kma_uv_index',
    args: { areaNo: '1100000000' },
    sees: first(KMA, 'areaNo', '1100000000'),
    ...KMA,
  },
  { tool: 'kma_typhoon_info', args: {}, sees: first(KMA, 'typEn', 'YAMANEKO'), ...KMA },
  {
    tool: 'kma_earthquake_reports',
    args: {},
    sees: first(KMA, 'fcTp', 3),
    ...KMA,
  },
  {
    tool: 'kma_radar_images',
    args: {},
    sees: first(KMA, 'rdr-img-file', expect.stringMatching(/RDR_CMP_WRC_\d{12}\.png/)),
    ...KMA,
  },
  {
    tool: 'airkorea_sido_realtime',
    args: { sidoName: '서울' },
    sees: first(AIR_KOREA, 'sidoName', '서울'),
    ...AIR_KOREA,
  },
  {
    tool: 'airkorea_stations',
    args: { addr: '서울 종로구' },
    sees: first(AIR_KOREA, 'stationName', '종로구'),
    ...AIR_KOREA,
  },
  {
    tool: 'kasi_sun_moon_times',
    args: { latitude: 37.5665, longitude: 126.978 },
    sees: first(KASI, 'location', '서울'),
    ...KASI,
  },
  { tool: 'kasi_holidays', args: {}, sees: first(KASI, 'dateName', '1월1일'), ...KASI },
]);

const SEOUL_GRID = { nx: 60, ny: 127 };

describe('at five in the morning of 1 January', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { CACHE_MAX_BYTES: '0', LAST_GOOD_MAX_BYTES: '0' },
      clock: { now: () => Date.parse('2027-01-01T05:00:00+09:00') },
    });
  });
  afterAll(() => gateway.close());

  /** Parameters of each request that a call makes while nothing is published yet. */
  const requested = async (tool: string, args: object, names: readonly string[]) => {
    const { total: before } = await requestLog(gateway);
    await gateway.fault(tool, 'zero', 5);
    await gateway.call(tool, args);
    await fetch(`${gateway.sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    const { total, requests } = await requestLog(gateway);
    return requests.slice(before - total).map(({ path }) => {
      const { searchParams } = new URL(path, gateway.sandbox.url);
      return names.map((name) => searchParams.get(name)).join(' ');
    });
  };

  test.each([
    [
      'kma_ultra_short_nowcast',
      SEOUL_GRID,
      'base_date base_time',
      '20270101 0400',
      '20270101 0300',
    ],
    [
      'kma_ultra_short_forecast',
      SEOUL_GRID,
      'base_date base_time',
      '20270101 0430',
      '20270101 0330',
    ],
    ['kma_village_forecast', SEOUL_GRID, 'base_date base_time', '20270101 0200', '20261231 2300'],
    ['kma_forecast_version', {}, 'basedatetime', '202701010200'],
    ['kma_forecast_version', { ftype: 'VSRT' }, 'basedatetime', '202701010430'],
    ['kma_mid_land_forecast', { regId: '11G00000' }, 'tmFc', '202612311800', '202612310600'],
    ['kma_mid_temperature', { regId: '11B10101' }, 'tmFc', '202612311800', '202612310600'],
    [
      'kma_asos_hourly',
      { stnIds: '108' },
      'startDt endDt',
      '20261230 20261230',
      '20261229 20261229',
    ],
    ['kma_asos_daily', { stnIds: '108' }, 'startDt endDt', '20261225 20261231'],
    [
      'kma_asos_daily',
      { stnIds: '108', startDt: '20261201' },
      'startDt endDt',
      '20261201 20261231',
    ],
    [
      'kma_uv_index',
      { areaNo: '1100000000' },
      'time',
      '2027010103',
      '2027010100',
      '2026123121',
      '2026123118',
    ],
    ['kma_typhoon_info', {}, 'fromTmFc toTmFc', '20261230 20270101'],
    ['kma_earthquake_reports', {}, 'fromTmFc toTmFc', '20261230 20270101'],
    ['kma_radar_images', {}, 'data time', 'CMP_WRC 20270101'],
    ['kasi_sun_moon_times', { latitude: 37.5, longitude: 127 }, 'locdate dnYn', '20270101 Y'],
    ['kasi_holidays', {}, 'solYear', '2027'],
  ])(
    '%s requests the latest publication, then the one before: %o',
    async (tool, args, names, ...expected) => {
      expect(await requested(tool, args, names.split(' '))).toEqual(expected);
    },
  );

  test.each([
    ['kma_mid_land_forecast', { regId: '11B10101' }],
    ['kma_mid_temperature', { regId: '11B10101', tmFc: '202612310700' }],
    ['kma_asos_hourly', { stnIds: '108', startDt: '20261301', endDt: '20261301' }],
    ['kma_asos_daily', { stnIds: 'Nowhere' }],
    ['kma_uv_index', { areaNo: '1100000000', time: '2027010104' }],
    ['airkorea_sido_realtime', { sidoName: '서울역' }],
    ['kasi_sun_moon_times', { latitude: 35.68, longitude: 139.69 }],
    ['kasi_holidays', { solMonth: '13' }],
  ])('%s refuses %o before anything is sent', async (tool, args) => {
    const { total: before } = await requestLog(gateway);
    expect((await gateway.call(tool, args)).body.error.code).toBe(-32602);
    expect((await requestLog(gateway)).total).toBe(before);
  });
});

interface RequestLog {
  readonly total: number;
  readonly requests: readonly { readonly path: string }[];
}

const requestLog = async ({ sandbox }: TestGateway): Promise<RequestLog> =>
  (await fetch(`${sandbox.url}/_sandbox/requests`)).json() as Promise<RequestLog>;
