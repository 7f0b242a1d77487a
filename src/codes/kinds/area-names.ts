import type { CodeTable, Row } from '../code-table.ts';
import type { RowName } from '../search/name-index.ts';
import type { OpenTable } from './kind-definition.ts';

const DISTRICTS = 'legal-districts';

/** "수원시장안구" and "수원시 장안구" as a city and its district. */
export const splitDistrict = (name: string): string[] =>
  name.split(' ').flatMap((part) => /^(.{2,}시)(.{2,}구)$/u.exec(part)?.slice(1) ?? [part]);

/** Ranks a name that was changed after a present one. */
export const RENAMED_RANK = 6;

/** The name of an area that is given as path, from the province down. */
export function areaName(path: readonly string[]): RowName {
  const parts = path.filter((part, index) => part !== '' && part !== path[index - 1]);
  return { own: parts.at(-1) ?? '', parents: parts.slice(0, -1), rank: parts.length - 1 };
}

/** The name of an area, and the same with the areas that it belonged to before; of a province, its former name. */
export function areaNames(path: readonly string[], former: readonly string[]): RowName[] {
  const name = areaName(path);
  const [formerName] = former;
  if (formerName === undefined) return [name];
  const renamed =
    name.parents.length === 0
      ? { ...name, own: formerName }
      : { ...name, parents: [...name.parents, ...former] };
  return [name, { ...renamed, rank: name.rank + RENAMED_RANK }];
}

/**
 * The province and district of the code that an area had before, where they had other names. Called with the former
 * code of an area and its present path.
 */
export function formerAreas(open: OpenTable): (code: string, path: readonly string[]) => string[] {
  const districts = namesByCode(open(DISTRICTS));
  const provinces = new Map(
    [...districts].map(([code, [province = '']]) => [code.slice(0, 2), province]),
  );
  return (code, path) => {
    if (code === '') return [];
    const names = districts.get(code.slice(0, 5)) ?? [provinces.get(code.slice(0, 2)) ?? ''];
    return names.filter((name) => name !== '' && !path.includes(name));
  };
}

const namesByCode = (districts: CodeTable): Map<string, string[]> =>
  new Map(
    allRows(districts).map((row) => [row('code'), [row('sido'), ...splitDistrict(row('name'))]]),
  );

/** All rows of a small table. */
export const allRows = (table: CodeTable): Row[] =>
  Array.from({ length: table.size }, (_, index) => table.row(index));
