import type { HitDetails } from '../code-hit.ts';
import type { CodeTable, Row } from '../code-table.ts';
import type { RowName } from '../search/name-index.ts';
import { allRows, splitDistrict } from './area-names.ts';
import { type KindDefinition, type OpenTable, texts } from './kind-definition.ts';

/** Ranks codes that a service may no longer take after those that it takes. */
const FORMER_RANK = 20;

const topic = (own: string, parents: readonly string[] = [], rank = 0): RowName => ({
  own,
  parents,
  rank,
});

/** The names of the codes above others, by table: many rows have the same parent. */
const PARENT_NAMES = new WeakMap<CodeTable, ReadonlyMap<string, string>>();

/** The name of the code above a row, in the same table; empty if it has none. */
function parentName(row: Row, table: CodeTable, levels: readonly string[]): string {
  const known = PARENT_NAMES.get(table) ?? namesByCode(table, levels);
  PARENT_NAMES.set(table, known);
  return known.get(row('parent')) ?? '';
}

const namesByCode = (table: CodeTable, levels: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    allRows(table)
      .filter((row) => levels.includes(row('kind')))
      .map((row) => [row('code'), row('name')]),
  );

const parentOf = (row: Row, name: string): HitDetails => ({
  ...texts(row, { parent: 'parent' }),
  ...(name === '' ? {} : { parentName: name }),
});

const TOUR_PARENTS = ['lclsSystm1', 'lclsSystm2', 'lDongRegnCd'];

export const tourCode: KindDefinition = {
  file: 'tour-codes',
  title: 'tourism classes, content types, regions and districts',
  code: 'code',
  codePattern: /^[A-Z0-9]{1,9}$/i,
  argument: 'kind',
  names: (open) => {
    const table = open('tour-codes');
    return (row) => {
      const parts = splitDistrict(row('name'));
      const parent = parentName(row, table, TOUR_PARENTS);
      const rank = row('note').startsWith('old scheme') ? FORMER_RANK : 0;
      return [topic(parts.at(-1) ?? '', [...parts.slice(0, -1), parent, row('note')], rank)];
    };
  },
  // Some classes have no known name: their note says so.
  shownName: (row) => row('name') || row('code'),
  details: (row, open) => ({
    ...parentOf(row, parentName(row, open('tour-codes'), TOUR_PARENTS)),
    ...texts(row, { note: 'note' }),
  }),
};

export const performanceCode: KindDefinition = {
  file: 'kopis-codes',
  title: 'genres, states, provinces and districts of performances',
  code: 'code',
  codePattern: /^(?:[A-Z]{4}|\d{2}|\d{4})$/i,
  argument: 'kind',
  names: () => (row) => {
    const [first = '', ...rest] = row('name').split(' ').flatMap(splitDistrict);
    const isDistrict = row('kind') === 'signgucodesub';
    const own = isDistrict ? (rest.at(-1) ?? first) : row('name');
    const rank = row('note').startsWith('state before') ? FORMER_RANK : 0;
    const parents = isDistrict ? [first, ...rest.slice(0, -1)] : [];
    return [topic(own, parents, rank), topic(row('name_en'), parents, rank)];
  },
  shownName: (row) => row('name'),
  nameEn: (row) => row('name_en'),
  details: (row) => texts(row, { note: 'note' }),
};

export const filmCode: KindDefinition = {
  file: 'kofic-codes',
  title: 'nations, screening regions and types of films',
  code: 'code',
  codePattern: /^(?:\d{6,8}|[KFYN])$/i,
  argument: 'kind',
  names: () => (row) => [topic(row('name'))],
  shownName: (row) => row('name'),
  details: (row) => texts(row, { tool: 'tool' }),
};

const LIBRARY_PARENTS = ['region', 'kdc'];

export const libraryCode: KindDefinition = {
  file: 'data4library-codes',
  title: 'regions, districts and subjects of libraries',
  code: 'code',
  codePattern: /^\d{1,5}$/,
  argument: 'kind',
  names: (open) => {
    const table = open('data4library-codes');
    return (row) => {
      const parts = splitDistrict(row('name'));
      const parents = [...parts.slice(0, -1), parentName(row, table, LIBRARY_PARENTS), row('note')];
      return [topic(parts.at(-1) ?? '', parents), topic(row('name_en'), parents)];
    };
  },
  shownName: (row) => row('name'),
  nameEn: (row) => row('name_en'),
  details: (row, open) => ({
    ...parentOf(row, parentName(row, open('data4library-codes'), LIBRARY_PARENTS)),
    ...texts(row, { note: 'note' }),
  }),
};

/** "4.2.1. 소비자물가지수" without its number. */
const withoutNumber = (name: string): string => name.replace(/^(?:\d+\.)+\s*/, '');

export const ecosTable: KindDefinition = {
  file: 'ecos-tables',
  title: 'tables, items and key statistics of the Bank of Korea',
  code: 'stat_code',
  codePattern: /^(?:\d{3}[A-Z]\d{3}|K[A-Z\d]\d{2})$/i,
  argument: 'kind',
  names: () => (row) => {
    const names = [withoutNumber(row('name')), row('name_en')];
    if (row('kind') !== 'item') return names.map((name) => topic(name, [], keyRank(row)));
    return [topic(row('item_name'), names), topic(row('item_name_en'), names)];
  },
  shownName: (row) => row('item_name') || row('name'),
  nameEn: (row) => row('item_name_en') || row('name_en'),
  details: (row) => ({
    ...(row('kind') === 'item' ? { table: row('name') } : {}),
    ...texts(row, { itemCode1: 'item_code1', itemCode2: 'item_code2', cycle: 'cycle' }),
    ...(row('kind') === 'key100'
      ? {
          ...texts(row, { unit: 'note' }),
          note: 'The code is an id of the web site, not an argument.',
        }
      : texts(row, { note: 'note' })),
    ...texts(row, { confidence: 'confidence' }),
  }),
};

/** The code of a key statistic is no argument of the service. */
const keyRank = (row: Row): number => (row('kind') === 'key100' ? FORMER_RANK : 0);

export const kosisTable: KindDefinition = {
  file: 'kosis-tables',
  title: 'tables of the national statistics portal',
  code: 'tbl_id',
  codePattern: /^DT_[A-Z0-9_]+$/i,
  names: () => (row) => [topic(row('name')), headed(row('name_en'), /\(/)],
  shownName: (row) => row('name') || row('name_en'),
  nameEn: (row) => row('name_en'),
  details: (row) =>
    texts(row, { orgId: 'org_id', cycle: 'cycle', note: 'note', confidence: 'confidence' }),
};

/** A description whose head, up to a mark, is the name. */
function headed(text: string, mark: RegExp, rank = 0): RowName {
  const end = text.search(mark);
  return end < 0 ? topic(text, [], rank) : topic(text.slice(0, end), [text.slice(end)], rank);
}

export const worldbankIndicator: KindDefinition = {
  file: 'worldbank-indicators',
  title: 'indicators of the World Bank (English)',
  code: 'indicator',
  codePattern: /^[A-Z]{2}\.[A-Z0-9.]+$/i,
  names: () => (row) => {
    const { own, parents } = headed(row('name'), /\(/);
    return [topic(own, [...parents, row('topic')])];
  },
  shownName: (row) => row('name'),
  details: (row) => texts(row, { topic: 'topic' }),
};

const HS = 'hs-headings';
/** Ranks a chapter after a heading of the same name. */
const CHAPTER_RANK = 4;

export const hsHeading: KindDefinition = {
  file: HS,
  title: 'chapters and headings of the customs tariff (English)',
  code: 'hs_code',
  codePattern: /^(?:\d{2}|\d{4})$/,
  names: () => (row) => [
    headed(row('description'), /[,;]/, row('level') === '2' ? CHAPTER_RANK : 0),
  ],
  shownName: (row) => row('description'),
  details: (row, open) => ({
    ...texts(row, { level: 'level', parent: 'parent' }),
    ...chapterName(row, open),
  }),
};

function chapterName(row: Row, open: OpenTable): HitDetails {
  const table = open(HS);
  const [index] = row('parent') === '' ? [] : table.rowsWith(row('parent'), ['hs_code']);
  return index === undefined ? {} : { parentName: table.row(index)('description') };
}
