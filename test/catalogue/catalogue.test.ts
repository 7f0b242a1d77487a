import { describe, expect, test } from 'vitest';
import { inspectPreset } from '../../src/cli/presets/presets-check.ts';
import { createToolListEncoder } from '../../src/dialects/plain/encode.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { presetEntries } from '../../src/tools/catalog-entry.ts';
import { createArgumentValidator } from '../../src/tools/request/argument-validator.ts';
import { exampleArguments } from '../../src/tools/request/example-arguments.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

/** Every shipped tool, by preset. */
const CATALOGUE: Readonly<Record<string, readonly string[]>> = {
  'culture/art-institute-chicago': ['artic_artwork_search'],
  'culture/attraction-crowding': ['tour_crowding_forecast'],
  'culture/gocamping': ['gocamping_search'],
  'culture/kofic-movies': ['kofic_daily_box_office', 'kofic_movie_search'],
  'culture/kopis-performances': ['kopis_performance_list', 'kopis_performance_detail'],
  'culture/korea-heritage': ['khs_heritage_search', 'khs_heritage_detail'],
  'culture/library-popular-books': ['data4library_popular_books'],
  'culture/odii-audio-guide': ['odii_story_search'],
  'culture/open-library': ['openlibrary_book_search'],
  'culture/pet-friendly-travel': ['tour_pet_places'],
  'culture/standard-festivals': ['std_festival_list'],
  'culture/standard-libraries': ['std_library_list'],
  'culture/standard-museums': ['std_museum_list'],
  'culture/tour-english': ['tour_eng_search_keyword'],
  'culture/tour-korean': [
    'tour_search_keyword',
    'tour_nearby',
    'tour_area_list',
    'tour_search_festival',
    'tour_detail_common',
    'tour_region_codes',
  ],
  'culture/tour-photo-gallery': ['tour_photo_search'],
  'culture/tour-visitor-stats': ['tour_visitors_by_province'],
  'economy/bok-ecos': ['ecos_statistic_search', 'ecos_key_statistics'],
  'economy/customs-item-trade': ['customs_item_trade'],
  'economy/dart': ['dart_search_disclosures', 'dart_company_overview', 'dart_key_accounts'],
  'economy/exim-exchange-rates': ['exim_exchange_rates'],
  'economy/frankfurter': ['frankfurter_rates'],
  'economy/fsc-companies': ['fsc_corp_outline', 'fsc_summary_financials'],
  'economy/fsc-general-products': ['fsc_gold_prices'],
  'economy/fsc-market-index': ['fsc_stock_index'],
  'economy/fsc-securities-products': ['fsc_etf_prices'],
  'economy/fsc-stocks': ['fsc_stock_prices', 'fsc_krx_listed_items'],
  'economy/kosis': ['kosis_search_tables', 'kosis_table_data'],
  'economy/molit-apartment-deals': ['molit_apt_trades', 'molit_apt_rents'],
  'economy/nps-workplaces': ['nps_search_workplaces', 'nps_workplace_detail'],
  'economy/nts-business': ['nts_business_status', 'nts_business_validate'],
  'economy/opinet': ['opinet_average_prices'],
  'economy/pps-bids': ['pps_search_service_bids'],
  'economy/world-bank': ['worldbank_indicator'],
  'weather/airkorea-air-quality': ['airkorea_sido_realtime'],
  'weather/airkorea-stations': ['airkorea_stations'],
  'weather/hrfco-water-level': ['hrfco_water_level'],
  'weather/kasi-rise-set': ['kasi_sun_moon_times'],
  'weather/kasi-special-days': ['kasi_holidays'],
  'weather/khoa-tide': ['khoa_tide_high_low'],
  'weather/kma-asos-daily': ['kma_asos_daily'],
  'weather/kma-asos-hourly': ['kma_asos_hourly'],
  'weather/kma-earthquake': ['kma_earthquake_reports'],
  'weather/kma-living-index': ['kma_uv_index'],
  'weather/kma-mid-forecast': ['kma_mid_land_forecast', 'kma_mid_temperature'],
  'weather/kma-radar': ['kma_radar_images'],
  'weather/kma-short-forecast': [
    'kma_ultra_short_nowcast',
    'kma_ultra_short_forecast',
    'kma_village_forecast',
    'kma_forecast_version',
  ],
  'weather/kma-typhoon': ['kma_typhoon_info'],
  'weather/kma-warnings': ['kma_warning_status'],
  'weather/open-meteo-air-quality': ['openmeteo_air_quality'],
  'weather/open-meteo-forecast': ['openmeteo_forecast'],
};

const PUBLIC_DATA_KEY = 'PUBLIC_DATA_SERVICE_KEY';
/** A model reads every listed tool before it chooses. Row arguments take up to 400 bytes of it. */
const MAX_BYTES_PER_TOOL = 2600;

describe('the catalogue', async () => {
  const rejected: string[] = [];
  const { presets } = await loadPresets({
    domain: PUBLIC_DATA_TOOLS,
    dir: SHIPPED_PRESETS,
    lenient: true,
    logger: { error: ({ fault }: { fault: string }) => rejected.push(fault) },
  });
  const tools = presets.flatMap((preset) => preset.tools);

  test('has no invalid file', () => {
    expect(rejected).toEqual([]);
  });

  test('has its 51 presets and 72 tools', () => {
    const found = presets.flatMap(({ id, tools }) => tools.map(({ name }) => `${id}: ${name}`));
    const wanted = Object.entries(CATALOGUE).flatMap(([id, names]) =>
      names.map((name) => `${id}: ${name}`),
    );
    expect({
      missing: wanted.filter((tool) => !found.includes(tool)),
      unknown: found.filter((tool) => !wanted.includes(tool)),
    }).toEqual({ missing: [], unknown: [] });
    expect([presets.length, tools.length]).toEqual([51, 72]);
  });

  test('is public data exactly when the key is that of the public-data portal', () => {
    const wrong = presets.filter(({ isPublicData, tools }) =>
      tools.some(({ secrets }) => secrets.includes(PUBLIC_DATA_KEY) !== isPublicData),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test('says where to get every key', () => {
    const mute = presets.filter(({ tools }) =>
      tools.some(({ parameters }) =>
        parameters.some(({ source }) => source.kind === 'secret' && !source.description),
      ),
    );
    expect(mute.map(({ id }) => id)).toEqual([]);
  });

  test('lists its tools in few bytes', () => {
    const entries = presets.flatMap((preset) => presetEntries(preset, ''));
    const bytes = Buffer.concat(createToolListEncoder()(entries)).length;
    expect(bytes).toBeLessThan(MAX_BYTES_PER_TOOL * entries.length);
  });

  test('has a valid sample and a description of suitable length for every tool', () => {
    const remarks = presets
      .flatMap(inspectPreset)
      .flatMap(({ tool, faults, warnings }) =>
        [...faults, ...warnings].map((remark) => `${tool}: ${remark}`),
      );
    expect(remarks).toEqual([]);
  });

  test('shows for every tool an example call that it accepts', () => {
    const refused = tools.flatMap((tool) => {
      const faults = createArgumentValidator(tool)(exampleArguments(tool));
      return faults.map(({ path, message }) => `${tool.name}: ${path} ${message}`);
    });
    expect(refused).toEqual([]);
  });
});
