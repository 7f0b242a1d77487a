import type { HitDetails, Row } from '../code-table.ts';
import type { RowName } from '../search/search-names.ts';
import {
  columns,
  type KindDefinition,
  type OpenTable,
  rowName,
  rowWith,
  splitDistrict,
} from './kind-definition.ts';

/** Ranks a name that was changed after a present one. */
const RENAMED_RANK = 6;
/** Ranks former areas after present ones of the same name. */
const FORMER_RANK = 20;

const DISTRICTS = 'legal-districts';
export const ROMANISED = 'romanised-districts';

/** The name of an area that is given as path, from the province down. */
function areaName(path: readonly string[], rank = 0): RowName {
  const parts = path.filter((part, index) => part !== '' && part !== path[index - 1]);
  return rowName(parts.at(-1) ?? '', parts.slice(0, -1), parts.length - 1 + rank);
}

/**
 * The names of an area by its path: its own, and the same with the province and district of the code that it had before,
 * where they had other names; of a province, its former name.
 */
function areaNames(open: OpenTable, pathOf: (row: Row) => string[]): (row: Row) => RowName[] {
  const districts = open(DISTRICTS).rows();
  const names = new Map(districts.map((row) => [row('code'), districtPath(row)]));
  const provinces = new Map(districts.map((row) => [row('code').slice(0, 2), row('sido')]));
  const formerAreas = (code: string): readonly string[] =>
    code === '' ? [] : (names.get(code.slice(0, 5)) ?? [provinces.get(code.slice(0, 2)) ?? '']);
  return (row) => {
    const path = pathOf(row);
    const name = areaName(path);
    const former = formerAreas(row('old_code')).filter((area) => area && !path.includes(area));
    const [formerName] = former;
    if (formerName === undefined) return [name];
    const rank = name.rank + RENAMED_RANK;
    if (name.parents.length === 0) return [name, rowName(formerName, [], rank)];
    return [name, rowName(name.own, [...name.parents, ...former], rank)];
  };
}

export const province: KindDefinition = {
  file: ROMANISED,
  title: 'provinces and metropolitan cities (two digits)',
  codePattern: /^\d{2}$/,
  has: (row) => row('level') === 'sido',
  names: (open) => (row) => [
    rowName(row('name')),
    rowName(row('name_en')),
    ...formerNames(row, open).map((name) => rowName(name, [], RENAMED_RANK)),
  ],
  nameEn: (row) => row('name_en'),
  details: (row, open) => {
    const former = formerNames(row, open);
    return former.length > 0 ? { formerly: former.join(', ') } : {};
  },
};

/**
 * The former names of a province: names of the provinces of abolished districts whose successors are in it. A province
 * that exists has only lost a district.
 */
function formerNames(row: Row, open: OpenTable): string[] {
  const former = open(DISTRICTS)
    .rows()
    .filter((district) => district('successor').startsWith(row('code')))
    .map((district) => district('sido'));
  return [...new Set(former)].filter((name) => !rowWith(open(ROMANISED), name, 'name'));
}

const districtPath = (row: Row): string[] => [row('sido'), ...splitDistrict(row('name'))];

export const district: KindDefinition = {
  file: DISTRICTS,
  title: 'cities, counties and districts (five digits), present and abolished',
  codePattern: /^\d{5}$/,
  nested: true,
  names: (open) => (row) =>
    row('status') === 'abolished'
      ? [areaName(districtPath(row), FORMER_RANK)]
      : [
          areaName(districtPath(row)),
          ...predecessors(row, open).map((before) => areaName(districtPath(before), RENAMED_RANK)),
        ],
  nameEn: (row, open) => rowWith(open(ROMANISED), row('code'), 'code')?.('name_en') ?? '',
  details(row, open) {
    const formerly = predecessors(row, open).map(
      (before) =>
        `${before('sido')} ${before('name')} (${before('code')}, until ${before('valid_to')})`,
    );
    return {
      ...columns('sido status abolishedOn=valid_to successor note')(row),
      ...(formerly.length > 0 ? { formerly: formerly.join('; ') } : {}),
      ...columns('lat lon')(row),
    };
  },
  located: true,
};

/** The abolished districts in whose place a district is. */
function predecessors(row: Row, open: OpenTable): Row[] {
  const table = open(DISTRICTS);
  return table.rowsWith(row('code'), ['successor']).map(table.row);
}

export const legalDong: KindDefinition = {
  file: 'legal-dong',
  title: 'legal dong, eup, myeon and ri (ten digits)',
  codePattern: /^\d{10}$/,
  formerCode: 'old_code',
  nested: true,
  names: (open) =>
    areaNames(open, (row) => [
      row('sido'),
      ...splitDistrict(row('sigungu')),
      row('eupmyeondong'),
      row('ri'),
    ]),
  shownName: (row) => row('ri') || row('eupmyeondong'),
  details: (row) => ({
    ...columns('sido sigungu')(row),
    ...(row('ri') === '' ? {} : { eupmyeondong: row('eupmyeondong') }),
    ...columns('formerCode=old_code basis')(row),
  }),
};

export const place: KindDefinition = {
  file: 'kma-grid',
  title: 'places of the weather agency: forecast grid nx and ny, coordinates, areaNo',
  codePattern: /^\d{10}$/,
  formerCode: 'old_code',
  nested: true,
  names: (open) =>
    areaNames(open, (row) => [row('sido'), ...splitDistrict(row('sigungu')), row('dong')]),
  shownName: (row) => row('dong') || splitDistrict(row('sigungu')).join(' ') || row('sido'),
  details: (row) => ({
    ...placeParents(row),
    ...columns('nx ny lat lon')(row),
    areaNo: row('code'),
    ...columns('formerCode=old_code')(row),
  }),
  located: true,
};

const placeParents = (row: Row): HitDetails => ({
  ...(row('sigungu') === '' ? {} : { sido: row('sido') }),
  ...(row('dong') === '' ? {} : { sigungu: splitDistrict(row('sigungu')).join(' ') }),
});

export const livingArea: KindDefinition = {
  ...place,
  title: 'areas of the living weather indices (areaNo)',
  namesOf: 'place',
  details: (row) => ({
    ...placeParents(row),
    ...columns('lat lon formerCode=old_code')(row),
  }),
};
