import type { HitDetails } from '../code-hit.ts';
import type { Row } from '../code-table.ts';
import type { RowName } from '../search/name-index.ts';
import {
  allRows,
  areaName,
  areaNames,
  formerAreas,
  RENAMED_RANK,
  splitDistrict,
} from './area-names.ts';
import {
  type KindDefinition,
  numbers,
  type OpenTable,
  POSITION,
  texts,
} from './kind-definition.ts';

/** Ranks former areas after present ones of the same name. */
const FORMER_RANK = 20;

const ROMANISED = 'romanised-districts';

export const district: KindDefinition = {
  file: 'legal-districts',
  title: 'cities, counties and districts (five digits), present and abolished',
  code: 'code',
  codePattern: /^\d{5}$/,
  nested: true,
  names: districtNames,
  shownName: (row) => row('name'),
  nameEn: (row, open) => englishName(row('code'), open),
  details: districtDetails,
  located: true,
};

const districtPath = (row: Row): string[] => [row('sido'), ...splitDistrict(row('name'))];

function districtNames(open: OpenTable): (row: Row) => RowName[] {
  const former = allRows(open('legal-districts')).filter((row) => row('successor') !== '');
  const bySuccessor = Map.groupBy(
    former.flatMap((row) =>
      row('successor')
        .split(' ')
        .map((successor) => ({ row, successor })),
    ),
    ({ successor }) => successor,
  );
  return (row) => {
    const own = areaName(districtPath(row));
    if (row('status') === 'abolished') return [{ ...own, rank: own.rank + FORMER_RANK }];
    const renamed = (bySuccessor.get(row('code')) ?? []).map(({ row: before }) => {
      const name = areaName(districtPath(before));
      return { ...name, rank: name.rank + RENAMED_RANK };
    });
    return [own, ...renamed];
  };
}

function districtDetails(row: Row, open: OpenTable): HitDetails {
  const table = open('legal-districts');
  const formerly = table
    .rowsWith(row('code'), ['successor'])
    .map((index) => table.row(index))
    .map(
      (before) =>
        `${before('sido')} ${before('name')} (${before('code')}, until ${before('valid_to')})`,
    );
  return {
    ...texts(row, {
      sido: 'sido',
      status: 'status',
      abolishedOn: 'valid_to',
      successor: 'successor',
      note: 'note',
    }),
    ...(formerly.length > 0 ? { formerly: formerly.join('; ') } : {}),
    ...numbers(row, POSITION),
  };
}

function englishName(code: string, open: OpenTable): string {
  const table = open(ROMANISED);
  const [index] = table.rowsWith(code, ['code']);
  return index === undefined ? '' : table.row(index)('name_en');
}

export const legalDong: KindDefinition = {
  file: 'legal-dong',
  title: 'legal dong, eup, myeon and ri (ten digits)',
  code: 'code',
  codePattern: /^\d{10}$/,
  formerCode: 'old_code',
  nested: true,
  names: (open) => {
    const former = formerAreas(open);
    return (row) => {
      const path = dongPath(row);
      return areaNames(path, former(row('old_code'), path));
    };
  },
  shownName: (row) => row('ri') || row('eupmyeondong'),
  details: (row) => ({
    ...texts(row, { sido: 'sido', sigungu: 'sigungu' }),
    ...(row('ri') === '' ? {} : { eupmyeondong: row('eupmyeondong') }),
    ...texts(row, { formerCode: 'old_code', basis: 'basis' }),
  }),
};

const dongPath = (row: Row): string[] => [
  row('sido'),
  ...splitDistrict(row('sigungu')),
  row('eupmyeondong'),
  row('ri'),
];

export const place: KindDefinition = {
  file: 'kma-grid',
  title: 'places of the weather agency: forecast grid nx and ny, coordinates, areaNo',
  code: 'code',
  codePattern: /^\d{10}$/,
  formerCode: 'old_code',
  nested: true,
  names: (open) => {
    const former = formerAreas(open);
    return (row) => {
      const path = placePath(row);
      return areaNames(path, former(row('old_code'), path));
    };
  },
  shownName: (row) => row('dong') || splitDistrict(row('sigungu')).join(' ') || row('sido'),
  details: (row) => ({
    ...placeParents(row),
    ...numbers(row, { nx: 'nx', ny: 'ny', ...POSITION }),
    areaNo: row('code'),
    ...texts(row, { formerCode: 'old_code' }),
  }),
  located: true,
};

const placePath = (row: Row): string[] => [
  row('sido'),
  ...splitDistrict(row('sigungu')),
  row('dong'),
];

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
    ...numbers(row, POSITION),
    ...texts(row, { formerCode: 'old_code' }),
  }),
};
