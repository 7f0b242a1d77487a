import type { CodeTable, HitDetails, Row } from '../code-table.ts';
import type { RowName } from '../search/search-names.ts';
import { district, legalDong, livingArea, place, province, ROMANISED } from './areas.ts';
import {
  columns,
  type KindDefinition,
  type OpenTable,
  rowName,
  rowWith,
  splitDistrict,
} from './kind-definition.ts';

/** Ranks codes that a service may no longer take after those that it takes. */
const FORMER_RANK = 20;
/** Ranks a chapter after a heading of the same name. */
const CHAPTER_RANK = 4;
/** Ranks a region after the region that has the name itself. */
const CONTAINING_RANK = 2;

const MID_TERM = 'mid-term-regions';
const HS = 'hs-headings';

/** "평창군(송정교)" as what is named and where it is. */
function splitBrackets(name: string): { own: string; place: string[] } {
  const [, place = '', own = ''] = /^(.+)\((.+)\)$/u.exec(name) ?? [];
  return own === '' ? { own: name, place: [] } : { own, place: [place] };
}

/** A description whose head, up to a mark, is the name. */
function headed(text: string, mark: RegExp, parents: readonly string[] = [], rank = 0): RowName {
  const end = text.search(mark);
  if (end < 0) return rowName(text, parents, rank);
  return rowName(text.slice(0, end), [text.slice(end), ...parents], rank);
}

/** The region of the land forecast to which a region belongs. */
const landRegion = (row: Row, open: OpenTable): string | undefined =>
  rowWith(open(MID_TERM), row('land_reg_id'), 'reg_id')?.('name');

/** The names of the codes above others, by table: many rows have the same parent. */
const PARENT_NAMES = new WeakMap<CodeTable, ReadonlyMap<string, string>>();

/** The name of the code above a row, in the same table; empty if it has none. */
function parentName(row: Row, table: CodeTable, levels: readonly string[]): string {
  const known =
    PARENT_NAMES.get(table) ??
    new Map(
      table
        .rows()
        .filter((parent) => levels.includes(parent('kind')))
        .map((parent) => [parent('code'), parent('name')]),
    );
  PARENT_NAMES.set(table, known);
  return known.get(row('parent')) ?? '';
}

const parentOf = (row: Row, name: string | undefined): HitDetails => ({
  ...columns('parent')(row),
  ...(name ? { parentName: name } : {}),
});

const tourParent = (row: Row, open: OpenTable): string =>
  parentName(row, open('tour-codes'), ['lclsSystm1', 'lclsSystm2', 'lDongRegnCd']);

const libraryParent = (row: Row, open: OpenTable): string =>
  parentName(row, open('data4library-codes'), ['region', 'kdc']);

/** All kinds of codes, by the name under which they are asked for. */
export const KINDS = {
  district,
  province,
  legal_dong: legalDong,
  place,
  living_area: livingArea,
  asos_station: {
    file: 'asos-stations',
    title: 'surface weather stations (ASOS)',
    code: 'stn_id',
    codePattern: /^\d{2,3}$/,
    names: () => (row) => [rowName(row('name')), rowName(row('name_en'))],
    details: columns('romanised=name_en office since=start note lat lon heightM=height_m'),
    located: true,
  },
  aws_station: {
    file: 'aws-stations',
    title: 'automatic weather stations (AWS)',
    code: 'stn_id',
    codePattern: /^\d{2,3}$/,
    names: () => (row) => [rowName(row('name'))],
    details: columns('since=start lat lon heightM=height_m'),
    located: true,
  },
  mid_land_region: {
    file: MID_TERM,
    title: 'regions of the mid-term land forecast, also by the cities in them',
    code: 'land_reg_id',
    codePattern: /^\d{2}[A-Z]\d{5}$/i,
    has: (row) => row('land_reg_id') !== '',
    sharesCodes: true,
    names: () => (row) => [
      row('kind') === 'land'
        ? rowName(row('name').replace(/도(?=영[동서])/, '도 '))
        : rowName(row('name'), [], CONTAINING_RANK),
    ],
    shownName: (row, open) => landRegion(row, open) ?? row('land_reg_id'),
    details: (row) => (row('kind') === 'land' ? {} : { containing: row('name') }),
    located: true,
  },
  mid_temperature_region: {
    file: MID_TERM,
    title: 'points of the mid-term temperature forecast',
    code: 'reg_id',
    codePattern: /^\d{2}[A-Z]\d{5}$/i,
    has: (row) => row('kind') === 'temperature',
    names: (open) => (row) => [rowName(row('name'), [landRegion(row, open) ?? ''])],
    details: (row, open) => ({
      ...columns('landRegion=land_reg_id')(row),
      ...(row('land_reg_id') === ''
        ? {}
        : { landRegionName: landRegion(row, open) ?? row('land_reg_id') }),
      ...columns('placeCode=kma_code lat lon')(row),
    }),
    located: true,
  },
  tide_station: {
    file: 'khoa-stations',
    title: 'tide stations and ocean science bases',
    code: 'obs_code',
    codePattern: /^[A-Z]{2}_\d{4}$/i,
    names: () => (row) => [rowName(row('name'), [row('kind')]), rowName(row('name_rr'))],
    details: columns('romanised=name_rr type=kind lat lon'),
    located: true,
  },
  river_station: {
    file: 'hrfco-water-level-stations',
    title: 'river water level stations',
    code: 'wlobscd',
    codePattern: /^\d{7}$/,
    names: () => (row) => {
      const { own, place: near } = splitBrackets(row('name'));
      const address = row('address').split(' ').flatMap(splitDistrict);
      return [rowName(own, [...near, ...address, row('basin')])];
    },
    details: columns('address agency basin'),
  },
  air_station: {
    file: 'airkorea-stations',
    title: 'air quality stations (the code is the name)',
    code: 'station_name',
    codePattern: /^[\p{L}\p{N}()·. -]+$/u,
    names: () => (row) => {
      const { own, place: [named] = [] } = splitBrackets(row('station_name'));
      const near = [row('near_sido'), ...splitDistrict(row('near_sigungu'))];
      return [named === undefined ? rowName(own, near) : rowName(named, [own, ...near])];
    },
    shownName: (row) => row('station_name'),
    details: columns('nearSido=near_sido nearSigungu=near_sigungu nearPlace=near_place lat lon'),
    located: true,
  },
  tour_code: {
    file: 'tour-codes',
    title: 'tourism classes, content types, regions and districts',
    codePattern: /^[A-Z0-9]{1,9}$/i,
    argument: 'kind',
    names: (open) => (row) => {
      const parts = splitDistrict(row('name'));
      const parents = [...parts.slice(0, -1), tourParent(row, open), row('note')];
      const rank = row('note').startsWith('old scheme') ? FORMER_RANK : 0;
      return [rowName(parts.at(-1), parents, rank)];
    },
    // Some classes have no known name: their note says so.
    shownName: (row) => row('name') || row('code'),
    details: (row, open) => ({ ...parentOf(row, tourParent(row, open)), ...columns('note')(row) }),
  },
  performance_code: {
    file: 'kopis-codes',
    title: 'genres, states, provinces and districts of performances',
    codePattern: /^(?:[A-Z]{4}|\d{2}|\d{4})$/i,
    argument: 'kind',
    names: () => (row) => {
      const [first = '', ...rest] = row('name').split(' ').flatMap(splitDistrict);
      const isDistrict = row('kind') === 'signgucodesub';
      const own = isDistrict ? (rest.at(-1) ?? first) : row('name');
      const rank = row('note').startsWith('state before') ? FORMER_RANK : 0;
      const parents = isDistrict ? [first, ...rest.slice(0, -1)] : [];
      return [rowName(own, parents, rank), rowName(row('name_en'), parents, rank)];
    },
    nameEn: (row) => row('name_en'),
    details: columns('note'),
  },
  film_code: {
    file: 'kofic-codes',
    title: 'nations, screening regions and types of films',
    codePattern: /^(?:\d{6,8}|[KFYN])$/i,
    argument: 'kind',
    names: () => (row) => [rowName(row('name'))],
    details: columns('tool'),
  },
  library_code: {
    file: 'data4library-codes',
    title: 'regions, districts and subjects of libraries',
    codePattern: /^\d{1,5}$/,
    argument: 'kind',
    names: (open) => (row) => {
      const parts = splitDistrict(row('name'));
      const parents = [...parts.slice(0, -1), libraryParent(row, open), row('note')];
      return [rowName(parts.at(-1), parents), rowName(row('name_en'), parents)];
    },
    nameEn: (row) => row('name_en'),
    details: (row, open) => ({
      ...parentOf(row, libraryParent(row, open)),
      ...columns('note')(row),
    }),
  },
  ecos_table: {
    file: 'ecos-tables',
    title: 'tables, items and key statistics of the Bank of Korea',
    code: 'stat_code',
    codePattern: /^(?:\d{3}[A-Z]\d{3}|K[A-Z\d]\d{2})$/i,
    argument: 'kind',
    names: () => (row) => {
      // "4.2.1. 소비자물가지수" is found without its number.
      const names = [row('name').replace(/^(?:\d+\.)+\s*/, ''), row('name_en')];
      // The code of a key statistic is no argument of the service.
      const rank = row('kind') === 'key100' ? FORMER_RANK : 0;
      if (row('kind') !== 'item') return names.map((name) => rowName(name, [], rank));
      return [rowName(row('item_name'), names), rowName(row('item_name_en'), names)];
    },
    shownName: (row) => row('item_name') || row('name'),
    nameEn: (row) => row('item_name_en') || row('name_en'),
    details: (row) => ({
      ...(row('kind') === 'item' ? { table: row('name') } : {}),
      ...columns('itemCode1=item_code1 itemCode2=item_code2 cycle')(row),
      ...(row('kind') === 'key100'
        ? {
            ...columns('unit=note')(row),
            note: 'The code is an id of the web site, not an argument.',
          }
        : columns('note')(row)),
      ...columns('confidence')(row),
    }),
  },
  kosis_table: {
    file: 'kosis-tables',
    title: 'tables of the national statistics portal',
    code: 'tbl_id',
    codePattern: /^DT_[A-Z0-9_]+$/i,
    names: () => (row) => [rowName(row('name')), headed(row('name_en'), /\(/)],
    shownName: (row) => row('name') || row('name_en'),
    nameEn: (row) => row('name_en'),
    details: columns('orgId=org_id cycle note confidence'),
  },
  worldbank_indicator: {
    file: 'worldbank-indicators',
    title: 'indicators of the World Bank (English)',
    code: 'indicator',
    codePattern: /^[A-Z]{2}\.[A-Z0-9.]+$/i,
    names: () => (row) => [headed(row('name'), /\(/, [row('topic')])],
    details: columns('topic'),
  },
  hs_heading: {
    file: HS,
    title: 'chapters and headings of the customs tariff (English)',
    code: 'hs_code',
    codePattern: /^(?:\d{2}|\d{4})$/,
    names: () => (row) => [
      headed(row('description'), /[,;]/, [], row('level') === '2' ? CHAPTER_RANK : 0),
    ],
    shownName: (row) => row('description'),
    details: (row, open) => ({
      ...columns('level')(row),
      ...parentOf(row, rowWith(open(HS), row('parent'), 'hs_code')?.('description')),
    }),
  },
} as const satisfies Record<string, KindDefinition>;

export type CodeKind = keyof typeof KINDS;

export const CODE_KINDS = Object.keys(KINDS) as readonly CodeKind[];

/** The tables that the kinds are read from. */
export const CODE_FILES = [
  ...new Set([...Object.values(KINDS).map(({ file }) => file), ROMANISED]),
];

export const KIND_TITLES = Object.fromEntries(
  Object.entries(KINDS).map(([kind, { title }]) => [kind, title]),
) as Readonly<Record<CodeKind, string>>;
