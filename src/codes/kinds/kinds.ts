import { district, legalDong, livingArea, place } from './areas.ts';
import type { KindDefinition } from './kind-definition.ts';
import { province } from './province.ts';
import {
  airStation,
  asosStation,
  awsStation,
  midLandRegion,
  midTemperatureRegion,
  riverStation,
  tideStation,
} from './stations.ts';
import {
  ecosTable,
  filmCode,
  hsHeading,
  kosisTable,
  libraryCode,
  performanceCode,
  tourCode,
  worldbankIndicator,
} from './topics.ts';

/** All kinds of codes, by the name under which they are asked for. */
export const KINDS = {
  district,
  province,
  legal_dong: legalDong,
  place,
  living_area: livingArea,
  asos_station: asosStation,
  aws_station: awsStation,
  mid_land_region: midLandRegion,
  mid_temperature_region: midTemperatureRegion,
  tide_station: tideStation,
  river_station: riverStation,
  air_station: airStation,
  tour_code: tourCode,
  performance_code: performanceCode,
  film_code: filmCode,
  library_code: libraryCode,
  ecos_table: ecosTable,
  kosis_table: kosisTable,
  worldbank_indicator: worldbankIndicator,
  hs_heading: hsHeading,
} as const satisfies Record<string, KindDefinition>;

export type CodeKind = keyof typeof KINDS;

export const CODE_KINDS = Object.keys(KINDS) as readonly CodeKind[];

export const KIND_TITLES = Object.fromEntries(
  Object.entries(KINDS).map(([kind, { title }]) => [kind, title]),
) as Readonly<Record<CodeKind, string>>;
