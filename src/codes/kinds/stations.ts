import type { CodeTable, Row } from '../code-table.ts';
import type { RowName } from '../search/name-index.ts';
import { splitDistrict } from './area-names.ts';
import {
  type KindDefinition,
  numbers,
  type OpenTable,
  POSITION,
  texts,
} from './kind-definition.ts';

/** "평창군(송정교)" as what is named and where it is. */
function splitBrackets(name: string): { own: string; place: string[] } {
  const [, place = '', own = ''] = /^(.+)\((.+)\)$/u.exec(name) ?? [];
  return own === '' ? { own: name, place: [] } : { own, place: [place] };
}

const stationName = (own: string, parents: readonly string[] = []): RowName => ({
  own,
  parents,
  rank: 0,
});

export const asosStation: KindDefinition = {
  file: 'asos-stations',
  title: 'surface weather stations (ASOS)',
  code: 'stn_id',
  codePattern: /^\d{2,3}$/,
  names: () => (row) => [stationName(row('name')), stationName(row('name_en'))],
  shownName: (row) => row('name'),
  details: (row) => ({
    ...texts(row, { romanised: 'name_en', office: 'office', since: 'start', note: 'note' }),
    ...numbers(row, { ...POSITION, heightM: 'height_m' }),
  }),
  located: true,
};

export const awsStation: KindDefinition = {
  file: 'aws-stations',
  title: 'automatic weather stations (AWS)',
  code: 'stn_id',
  codePattern: /^\d{2,3}$/,
  names: () => (row) => [stationName(row('name'))],
  shownName: (row) => row('name'),
  details: (row) => ({
    ...texts(row, { since: 'start' }),
    ...numbers(row, { ...POSITION, heightM: 'height_m' }),
  }),
  located: true,
};

const MID_TERM = 'mid-term-regions';

export const midLandRegion: KindDefinition = {
  file: MID_TERM,
  title: 'regions of the mid-term land forecast, also by the cities in them',
  code: 'land_reg_id',
  codePattern: /^\d{2}[A-Z]\d{5}$/i,
  has: (row) => row('land_reg_id') !== '',
  sharesCodes: true,
  names: () => (row) =>
    row('kind') === 'land'
      ? [stationName(row('name').replace(/도(?=영[동서])/, '도 '))]
      : [{ own: row('name'), parents: [], rank: 2 }],
  shownName: (row, open) => landRegionName(row('land_reg_id'), open),
  details: (row) => (row('kind') === 'land' ? {} : { containing: row('name') }),
  located: true,
};

function landRegionName(code: string, open: OpenTable): string {
  const table = open(MID_TERM);
  const [index] = table.rowsWith(code, ['reg_id']);
  return index === undefined ? code : table.row(index)('name');
}

export const midTemperatureRegion: KindDefinition = {
  file: MID_TERM,
  title: 'points of the mid-term temperature forecast',
  code: 'reg_id',
  codePattern: /^\d{2}[A-Z]\d{5}$/i,
  has: (row) => row('kind') === 'temperature',
  names: (open) => {
    const table = open(MID_TERM);
    return (row) => [stationName(row('name'), landRegionWords(row, table))];
  },
  shownName: (row) => row('name'),
  details: (row, open) => ({
    ...texts(row, { landRegion: 'land_reg_id' }),
    ...(row('land_reg_id') === ''
      ? {}
      : { landRegionName: landRegionName(row('land_reg_id'), open) }),
    ...texts(row, { placeCode: 'kma_code' }),
    ...numbers(row, POSITION),
  }),
  located: true,
};

function landRegionWords(row: Row, table: CodeTable): string[] {
  const [index] = table.rowsWith(row('land_reg_id'), ['reg_id']);
  return index === undefined ? [] : [table.row(index)('name')];
}

export const tideStation: KindDefinition = {
  file: 'khoa-stations',
  title: 'tide stations and ocean science bases',
  code: 'obs_code',
  codePattern: /^[A-Z]{2}_\d{4}$/i,
  names: () => (row) => [stationName(row('name'), [row('kind')]), stationName(row('name_rr'))],
  shownName: (row) => row('name'),
  details: (row) => ({
    ...texts(row, { romanised: 'name_rr', type: 'kind' }),
    ...numbers(row, POSITION),
  }),
  located: true,
};

export const riverStation: KindDefinition = {
  file: 'hrfco-water-level-stations',
  title: 'river water level stations',
  code: 'wlobscd',
  codePattern: /^\d{7}$/,
  names: () => (row) => {
    const { own, place } = splitBrackets(row('name'));
    const address = row('address').split(' ').flatMap(splitDistrict);
    return [stationName(own, [...place, ...address, row('basin')])];
  },
  shownName: (row) => row('name'),
  details: (row) => texts(row, { address: 'address', agency: 'agency', basin: 'basin' }),
};

export const airStation: KindDefinition = {
  file: 'airkorea-stations',
  title: 'air quality stations (the code is the name)',
  code: 'station_name',
  codePattern: /^[\p{L}\p{N}()·. -]+$/u,
  names: () => (row) => {
    const { own, place } = splitBrackets(row('station_name'));
    const near = [row('near_sido'), ...splitDistrict(row('near_sigungu'))];
    return [
      place.length > 0 ? stationName(place[0] ?? '', [own, ...near]) : stationName(own, near),
    ];
  },
  shownName: (row) => row('station_name'),
  details: (row) => ({
    ...texts(row, { nearSido: 'near_sido', nearSigungu: 'near_sigungu', nearPlace: 'near_place' }),
    ...numbers(row, POSITION),
  }),
  located: true,
};
