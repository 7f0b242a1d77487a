import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import { loadPresets } from '../catalog/load-presets.ts';

/** Queries that people type, with the tool that must be among the first three. */
const QUERIES: readonly (readonly [query: string, tool: string])[] = [
  // Weather
  ['weather', 'kma_ultra_short_nowcast'],
  ['current weather in Seoul', 'kma_ultra_short_nowcast'],
  ['지금 서울 날씨 알려줘', 'kma_ultra_short_nowcast'],
  ['오늘 날씨', 'kma_ultra_short_nowcast'],
  ['will it rain this afternoon', 'kma_ultra_short_forecast'],
  ['weather tomorrow', 'kma_village_forecast'],
  ['주말 날씨 예보', 'kma_village_forecast'],
  ['weather next week', 'kma_mid_land_forecast'],
  ['주간 기온 전망', 'kma_mid_temperature'],
  ['weather in Paris', 'openmeteo_forecast'],
  ['wether forcast', 'openmeteo_forecast'],
  ['weather warnings', 'kma_warning_status'],
  ['호우 특보', 'kma_warning_status'],
  ['what was the weather last year', 'kma_asos_daily'],
  ['hourly observations of the past', 'kma_asos_hourly'],
  ['sunscreen uv index', 'kma_uv_index'],
  ['자외선지수', 'kma_uv_index'],
  ['태풍 경로', 'kma_typhoon_info'],
  ['recent earthquakes', 'kma_earthquake_reports'],
  ['earthquke', 'kma_earthquake_reports'],
  ['지진', 'kma_earthquake_reports'],
  ['rain radar image', 'kma_radar_images'],
  ['미세먼지', 'airkorea_sido_realtime'],
  ['air quality in Busan', 'airkorea_sido_realtime'],
  ['pm2.5', 'airkorea_sido_realtime'],
  ['대기질 측정소', 'airkorea_stations'],
  ['air quality in London', 'openmeteo_air_quality'],
  ['when does the sun set', 'kasi_sun_moon_times'],
  ['일출 일몰 시간', 'kasi_sun_moon_times'],
  ['public holidays 2026', 'kasi_holidays'],
  ['공휴일', 'kasi_holidays'],
  ['tide table', 'khoa_tide_high_low'],
  ['물때', 'khoa_tide_high_low'],
  ['한강 수위', 'hrfco_water_level'],
  // Economy
  ['환율', 'exim_exchange_rates'],
  ['USD to KRW exchange rate', 'frankfurter_rates'],
  ['convert currency', 'frankfurter_rates'],
  ['Samsung stock price', 'fsc_stock_prices'],
  ['주가', 'fsc_stock_prices'],
  ['코스피 지수', 'fsc_stock_index'],
  ['ETF', 'fsc_etf_prices'],
  ['금 시세', 'fsc_gold_prices'],
  ['아파트 실거래가', 'molit_apt_trades'],
  ['house prices', 'molit_apt_trades'],
  ['apartmnet', 'molit_apt_trades'],
  ['apartment rent in Gangnam', 'molit_apt_rents'],
  ['전세', 'molit_apt_rents'],
  ['사업자등록번호 조회', 'nts_business_status'],
  ['is this business still open', 'nts_business_status'],
  ['semiconductor exports', 'customs_item_trade'],
  ['수출입 통계', 'customs_item_trade'],
  ['기준금리', 'ecos_key_statistics'],
  ['interest rate Bank of Korea', 'ecos_statistic_search'],
  ['소비자물가 통계표', 'kosis_search_tables'],
  ['GDP of Japan', 'worldbank_indicator'],
  ['전자공시', 'dart_search_disclosures'],
  ['financial statements of a company', 'fsc_summary_financials'],
  ['재무제표', 'dart_key_accounts'],
  ['government tenders', 'pps_search_service_bids'],
  ['나라장터 입찰', 'pps_search_service_bids'],
  ['국민연금 사업장', 'nps_search_workplaces'],
  ['gas prices', 'opinet_average_prices'],
  ['휘발유 가격', 'opinet_average_prices'],
  ['유가', 'opinet_average_prices'],
  ['실업률', 'kosis_search_tables'],
  ['company information', 'dart_company_overview'],
  // Culture
  ['박스오피스', 'kofic_daily_box_office'],
  ['popular movies', 'kofic_daily_box_office'],
  ['영화 검색', 'kofic_movie_search'],
  ['movies by director', 'kofic_movie_search'],
  ['축제', 'tour_search_festival'],
  ['events in Seoul', 'tour_search_festival'],
  ['local festivals', 'std_festival_list'],
  ['musicals this weekend', 'kopis_performance_list'],
  ['공연 상세', 'kopis_performance_detail'],
  ['캠핑장', 'gocamping_search'],
  ['강아지 동반 여행', 'tour_pet_places'],
  ['things to see near me', 'tour_nearby'],
  ['맛집', 'tour_search_keyword'],
  ['관광지 혼잡도', 'tour_crowding_forecast'],
  ['number of tourists', 'tour_visitors_by_province'],
  ['관광 사진', 'tour_photo_search'],
  ['audio guide', 'odii_story_search'],
  ['문화재', 'khs_heritage_search'],
  ['national treasures', 'khs_heritage_search'],
  ['박물관 관람시간', 'std_museum_list'],
  ['도서관', 'std_library_list'],
  ['library opening hours', 'std_library_list'],
  ['인기 도서', 'data4library_popular_books'],
  ['book by ISBN', 'openlibrary_book_search'],
  ['paintings by Monet', 'artic_artwork_search'],
];

describe('search among the shipped presets', () => {
  let catalog: Catalog;
  beforeAll(async () => {
    const dir = join(import.meta.dirname, '../../../presets');
    catalog = createCatalog(await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS }));
  });

  const found = (q: string): string[] =>
    catalog.search(catalog.presetEntries, { q }).map(({ entry }) => entry.tool.name);

  it.each(QUERIES)('%s: %s', (query, tool) => {
    expect(found(query).slice(0, 3)).toContain(tool);
  });

  it('finds only a small part of the catalog', () => {
    const sizes = QUERIES.map(([query]) => found(query).length);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(mean).toBeLessThan(catalog.presetEntries.length / 8);
  });
});
