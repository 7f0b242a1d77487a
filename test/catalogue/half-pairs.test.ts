import { describe, expect, test } from 'vitest';
import { lifetimeOf, MAX_EMPTY_LATEST_SECONDS } from '../../src/calls/look-up.ts';
import { argumentReaderOf, prepareCall, prepareTool } from '../../src/calls/prepare-call.ts';
import { incompleteUntil } from '../../src/public-data/computed-defaults.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { Tool } from '../../src/tools/model.ts';
import { resolveNothing } from '../../src/tools/request/resolve-code.ts';
import type { UpstreamResponse } from '../../src/upstreams/payload/upstream-response.ts';
import { available } from '../support/available.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const tools = new Map(presets.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool])));

const toolNamed = (name: string): Tool => {
  const tool = tools.get(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
};

/** Sunday, a few minutes after noon in Seoul. */
const NOON = '2026-11-22T12:05:00';

/** What else the tools need. */
const REST: Readonly<Record<string, Record<string, unknown>>> = {
  kma_ultra_short_nowcast: { nx: 60, ny: 127 },
  kma_ultra_short_forecast: { nx: 60, ny: 127 },
  kma_village_forecast: { nx: 60, ny: 127 },
  kma_asos_daily: { stnIds: '108' },
  kma_asos_hourly: { stnIds: '108' },
  customs_item_trade: { hsSgn: '85' },
  ecos_statistic_search: { stat_code: '722Y001', cycle: 'M' },
};

const prepare = (tool: string, args: Record<string, unknown>, wallTime = NOON) => {
  const named = toolNamed(tool);
  const circumstances = {
    nowMs: Date.parse(`${wallTime}+09:00`),
    resolveCode: resolveNothing,
    readArguments: argumentReaderOf(named),
  };
  return available(prepareCall(named, { arguments: { ...REST[tool], ...args } }, circumstances));
};

/** Each pair of computed arguments among the presets: what one of them makes of the other. */
const PAIRS: readonly [
  tool: string,
  given: Record<string, unknown>,
  other: Record<string, unknown>,
  wallTime?: string,
][] = [
  // A date without its time: the latest issue of that date.
  ['kma_ultra_short_nowcast', { base_date: '20261122' }, { base_time: '1100' }],
  ['kma_ultra_short_nowcast', { base_date: '20261121' }, { base_time: '2300' }],
  ['kma_ultra_short_forecast', { base_date: '20261122' }, { base_time: '1130' }],
  ['kma_ultra_short_forecast', { base_date: '20261121' }, { base_time: '2330' }],
  ['kma_village_forecast', { base_date: '20261122' }, { base_time: '1100' }],
  ['kma_village_forecast', { base_date: '20261121' }, { base_time: '2300' }],
  ['kma_village_forecast', { base_date: '20261121' }, { base_time: '2300' }, '2026-11-22T01:00:00'],
  // A time without its date: the latest date on which that time is published.
  ['kma_ultra_short_nowcast', { base_time: '1100' }, { base_date: '20261122' }],
  ['kma_ultra_short_nowcast', { base_time: '1200' }, { base_date: '20261121' }],
  ['kma_ultra_short_forecast', { base_time: '1130' }, { base_date: '20261122' }],
  ['kma_ultra_short_forecast', { base_time: '1230' }, { base_date: '20261121' }],
  ['kma_village_forecast', { base_time: '0500' }, { base_date: '20261122' }],
  ['kma_village_forecast', { base_time: '1400' }, { base_date: '20261121' }],
  ['kma_village_forecast', { base_time: '2300' }, { base_date: '20261122' }, '2026-11-23T01:00:00'],
  // The first day alone.
  ['kma_asos_daily', { startDt: '20261101' }, { endDt: '20261121' }],
  ['kma_asos_daily', { startDt: '20261122' }, { endDt: '20261122' }],
  ['kma_asos_hourly', { startDt: '20261101' }, { endDt: '20261121' }],
  ['kma_earthquake_reports', { fromTmFc: '20261101' }, { toTmFc: '20261122' }],
  ['kma_typhoon_info', { fromTmFc: '20261101' }, { toTmFc: '20261122' }],
  ['kopis_performance_list', { stdate: '20261201' }, { eddate: '20261231' }],
  ['data4library_popular_books', { startDt: '2026-11-01' }, { endDt: '2026-11-21' }],
  ['tour_visitors_by_province', { startYmd: '20210513' }, { endYmd: '20210513' }],
  ['customs_item_trade', { strtYymm: '202601' }, { endYymm: '202610' }],
  ['customs_item_trade', { strtYymm: '202001' }, { endYymm: '202012' }],
  ['ecos_statistic_search', { start_time: '202401' }, { end_time: '202611' }],
  ['dart_search_disclosures', { bgn_de: '20261101' }, { end_de: '20261122' }],
  ['pps_search_service_bids', { inqryBgnDt: '202611220000' }, { inqryEndDt: '202611221205' }],
  // The last day alone.
  ['kma_asos_daily', { endDt: '20260131' }, { startDt: '20260124' }],
  ['kma_asos_daily', { endDt: '20261122' }, { startDt: '20261115' }],
  ['kma_asos_hourly', { endDt: '20260131' }, { startDt: '20260131' }],
  ['kma_asos_hourly', { endDt: '20261122' }, { startDt: '20261121' }],
  ['kma_earthquake_reports', { toTmFc: '20260131' }, { fromTmFc: '20260129' }],
  ['kma_typhoon_info', { toTmFc: '20260131' }, { fromTmFc: '20260129' }],
  ['kopis_performance_list', { eddate: '20261101' }, { stdate: '20261101' }],
  ['kopis_performance_list', { eddate: '20261201' }, { stdate: '20261122' }],
  ['data4library_popular_books', { endDt: '2026-01-31' }, { startDt: '2026-01-01' }],
  ['tour_visitors_by_province', { endYmd: '20210513' }, { startYmd: '20210513' }],
  ['fsc_stock_index', { endBasDt: '20260131' }, { beginBasDt: '20260117' }],
  ['tour_search_festival', { eventEndDate: '20261101' }, { eventStartDate: '20261101' }],
  ['customs_item_trade', { endYymm: '202601' }, { strtYymm: '202502' }],
  ['ecos_statistic_search', { end_time: '202401' }, { start_time: '202301' }],
  ['dart_search_disclosures', { end_de: '20260131' }, { bgn_de: '20260124' }],
  ['pps_search_service_bids', { inqryEndDt: '202601310000' }, { inqryBgnDt: '202601240000' }],
];

describe('an argument that is given without its other half', () => {
  test.each(PAIRS)('%s %j is completed with %j', (tool, given, other, wallTime) => {
    expect(prepare(tool, given, wallTime).arguments).toMatchObject({ ...given, ...other });
  });

  test.each<[string, Record<string, unknown>, string]>([
    [
      'kma_village_forecast',
      { base_date: '20261123' },
      '/base_date is 20261123, but the latest available is 20261122.',
    ],
    [
      'kma_asos_daily',
      { startDt: '20261123' },
      '/startDt is 20261123, but the latest available is 20261121.',
    ],
    [
      'data4library_popular_books',
      { startDt: '2026-12-01' },
      '/startDt is 2026-12-01, but the latest available is 2026-11-21.',
    ],
    [
      'kma_earthquake_reports',
      { fromTmFc: '20261123' },
      '/fromTmFc is 20261123, but the latest available is 20261122.',
    ],
    [
      'customs_item_trade',
      { strtYymm: '202611' },
      '/strtYymm is 202611, but the latest available is 202610.',
    ],
    [
      'ecos_statistic_search',
      { start_time: '202701' },
      '/start_time is 202701, but the latest available is 202611.',
    ],
    [
      'pps_search_service_bids',
      { inqryBgnDt: '202612010000' },
      '/inqryBgnDt is 202612010000, but the latest',
    ],
    ['dart_search_disclosures', { bgn_de: '20261201' }, '/bgn_de is 20261201, but the latest'],
  ])('%s %j is refused if nothing published fits it', (tool, given, message) => {
    expect(() => prepare(tool, given)).toThrow(message);
  });

  test('a date before the first issue of its day names the day before', () => {
    const early = () =>
      prepare('kma_village_forecast', { base_date: '20261122' }, '2026-11-22T01:00:00');
    expect(early).toThrow('/base_date is 20261122, but the latest available is 20261121.');
  });

  test('two computed arguments that the table does not name are no pair', () => {
    const named = new Set(PAIRS.map(([tool]) => tool));
    const others = [...tools.values()].filter(
      (tool) => prepareTool(tool).computed.length > 1 && !named.has(tool.name),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});

const AT = Date.parse(`${NOON}+09:00`);

const lifetime = (tool: string, args: Record<string, unknown>, rows = 1): number => {
  const response = { fetchedAtMs: AT, rows, status: 200, ok: true } as unknown as UpstreamResponse;
  return lifetimeOf(prepare(tool, args), response, incompleteUntil);
};

const MIDNIGHT = (11 * 60 + 55) * 60;

describe('a response is kept', () => {
  test.each<[string, Record<string, unknown>, number, number]>([
    ['kma_village_forecast', {}, 0, MAX_EMPTY_LATEST_SECONDS],
    ['kma_village_forecast', {}, 1, 1800],
    ['kma_village_forecast', { base_date: '20261121', base_time: '2300' }, 0, 1800],
    ['kma_village_forecast', { base_date: '20261122' }, 1, 1800],
    // Published at 12:15.
    ['kma_ultra_short_nowcast', { base_date: '20261122', base_time: '1200' }, 0, 300],
    ['kma_ultra_short_forecast', { base_date: '20261122', base_time: '1200' }, 0, 600],
    ['kma_asos_hourly', { startDt: '20261120', endDt: '20261121' }, 1, 21600],
    ['kma_asos_hourly', { startDt: '20261120', endDt: '20261122' }, 1, 21600],
    ['kma_asos_daily', { startDt: '20261120', endDt: '20261121' }, 1, 43200],
    ['kma_asos_daily', { startDt: '20261120', endDt: '20261122' }, 1, MIDNIGHT],
    ['kma_asos_daily', { startDt: '20261122' }, 1, MIDNIGHT],
    ['customs_item_trade', { strtYymm: '202601', endYymm: '202610' }, 1, 86400],
    ['customs_item_trade', { strtYymm: '202601', endYymm: '202611' }, 1, MIDNIGHT],
    ['kopis_performance_list', { stdate: '20261122', eddate: '20261130' }, 1, 10800],
    ['kma_warning_status', {}, 0, 120],
  ])('%s %j with %i rows for %i seconds', (tool, args, rows, seconds) => {
    expect(lifetime(tool, args, rows)).toBe(seconds);
  });

  test('until the next publication if that is sooner', () => {
    const args = { base_date: '20261122', base_time: '1200' };
    const at = Date.parse('2026-11-22T12:14:00+09:00');
    const response = { fetchedAtMs: at, rows: 0, ok: true } as unknown as UpstreamResponse;
    const prepared = prepare('kma_ultra_short_nowcast', args, '2026-11-22T12:14:00');
    expect(lifetimeOf(prepared, response, incompleteUntil)).toBe(60);
  });
});
