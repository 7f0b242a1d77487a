import type { Row } from '../code-table.ts';
import { allRows, areaName, RENAMED_RANK } from './area-names.ts';
import type { KindDefinition, OpenTable } from './kind-definition.ts';

const FILE = 'romanised-districts';

export const province: KindDefinition = {
  file: FILE,
  title: 'provinces and metropolitan cities (two digits)',
  code: 'code',
  codePattern: /^\d{2}$/,
  has: (row) => row('level') === 'sido',
  names: (open) => {
    const former = formerNames(open);
    return (row) => [
      areaName([row('name')]),
      areaName([row('name_en')]),
      ...formerOf(row, former).map((name) => ({ ...areaName([name]), rank: RENAMED_RANK })),
    ];
  },
  shownName: (row) => row('name'),
  nameEn: (row) => row('name_en'),
  details: (row, open) => {
    const former = formerOf(row, formerNames(open));
    return former.length > 0 ? { formerly: former.join(', ') } : {};
  },
};

const formerOf = (row: Row, former: ReadonlyMap<string, ReadonlySet<string>>): string[] => [
  ...(former.get(row('code')) ?? []),
];

/**
 * The former names of provinces, by code: those of abolished districts whose successors are in the province. A
 * province that exists has only lost a district.
 */
function formerNames(open: OpenTable): ReadonlyMap<string, ReadonlySet<string>> {
  const present = new Set(allRows(open(FILE)).map((row) => row('name')));
  const names = new Map<string, Set<string>>();
  for (const row of allRows(open('legal-districts'))) {
    if (row('successor') === '' || present.has(row('sido'))) continue;
    const code = row('successor').slice(0, 2);
    names.set(code, (names.get(code) ?? new Set()).add(row('sido')));
  }
  return names;
}
