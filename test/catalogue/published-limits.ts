import type { Quota } from '../../src/tools/model.ts';

const portal = (calls: number): Quota => ({ calls, zone: 'Asia/Seoul', scope: 'operation' });
const ofKey = (calls: number): Quota => ({ calls, zone: 'Asia/Seoul', scope: 'key' });
const ofAddress = (calls: number): Quota => ({ calls, zone: 'Etc/UTC', scope: 'address' });

/**
 * What providers publish about the requests of a day, for development keys of data.go.kr. Presets that are not here have
 * no published figure of their own: one of a sibling dataset, or of the portal in general, is none.
 */
export const PUBLISHED_QUOTAS: Readonly<Record<string, Quota>> = {
  'culture/attraction-crowding': portal(1000),
  'culture/gocamping': portal(1000),
  'culture/kofic-movies': ofKey(3000),
  // 30,000 with a registered address of the server.
  'culture/library-popular-books': ofKey(500),
  'culture/odii-audio-guide': portal(1000),
  'culture/pet-friendly-travel': portal(1000),
  'culture/tour-english': portal(1000),
  'culture/tour-korean': portal(1000),
  'culture/tour-photo-gallery': portal(1000),
  'culture/tour-visitor-stats': portal(1000),
  'economy/dart': ofKey(20_000),
  'economy/exim-exchange-rates': ofKey(1000),
  'economy/fsc-general-products': portal(10_000),
  'economy/fsc-stocks': portal(10_000),
  'economy/opinet': ofKey(1500),
  'economy/pps-bids': portal(1000),
  'weather/airkorea-air-quality': portal(500),
  'weather/airkorea-stations': portal(500),
  'weather/kma-living-index': portal(10_000),
  'weather/open-meteo-air-quality': ofAddress(10_000),
  'weather/open-meteo-forecast': ofAddress(10_000),
};

/** Hours for which a good response may replace a failure, of tools for which that is not a week. */
export const LAST_GOOD_HOURS: Readonly<Record<string, number>> = {
  // Warnings in force are issued and lifted within hours.
  kma_warning_status: 72,
  // Values of the moment.
  airkorea_sido_realtime: 72,
  hrfco_water_level: 72,
  kma_forecast_version: 72,
  kma_radar_images: 72,
  kma_typhoon_info: 72,
  kma_ultra_short_forecast: 72,
  kma_ultra_short_nowcast: 72,
  // Forecasts and reports of the next or last few days.
  kma_earthquake_reports: 72,
  kma_uv_index: 72,
  kma_village_forecast: 72,
  openmeteo_air_quality: 72,
  openmeteo_forecast: 72,
  // What hardly ever changes, and is fresh for a week already.
  khs_heritage_detail: 720,
  tour_region_codes: 720,
  // Rows that name people, and checks of people, which are not cached either.
  nts_business_validate: 0,
  pps_search_service_bids: 0,
};
