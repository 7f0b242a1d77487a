import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { createCodeTables } from './code-tables.ts';

const tables = createCodeTables({ dir: resolve(import.meta.dirname, '../../codes') });

const within = (kind: string, place: string, argument?: string) => {
  const found = tables.within(kind, place, argument);
  return (
    found &&
    ('codes' in found ? found.codes.map(([code]) => code) : found.choices.map(({ code }) => code))
  );
};

it.each(['Seoul', '서울', '서울특별시', '11'])('finds the 25 districts within %s', (place) => {
  const codes = within('district', place) ?? [];
  expect(codes).toHaveLength(25);
  expect(codes).toContain('11680');
  expect(codes.every((code) => code.startsWith('11'))).toBe(true);
});

it('has the districts of a city in its place, and no abolished ones', () => {
  expect(within('district', 'Suwon')).toEqual(['41111', '41113', '41115', '41117']);
  const inGyeonggi = within('district', 'Gyeonggi-do') ?? [];
  expect(inGyeonggi).toContain('41111');
  expect(inGyeonggi).not.toContain('41110');
  expect(within('district', 'Incheon')).not.toContain('28170');
  expect(within('district', 'Sejong')).toEqual(['36110']);
});

it('has the parts of a district, and codes that stand below others', () => {
  expect(within('legal_dong', 'Jongno-gu')?.every((code) => code.startsWith('11110'))).toBe(true);
  expect(within('tour_code', '제주', 'lDongSignguCd')).toEqual(['110', '130']);
  expect(within('library_code', '서울', 'dtl_region')).toHaveLength(25);
  expect(within('performance_code', '서울', 'signgucodesub')).toHaveLength(25);
  expect(within('air_station', 'Seoul')).toContain('강남구');
});

it('has the name of each code', () => {
  const found = tables.within('district', 'Seoul', undefined);
  expect(found).toMatchObject({ codes: expect.arrayContaining([['11680', '강남구']]) });
});

it('has choices for several places, and nothing where codes lie in no place', () => {
  expect(within('district', '중구')?.length).toBeGreaterThan(1);
  expect(within('district', 'Atlantis')).toEqual([]);
  expect(within('hs_heading', 'Seoul')).toBeUndefined();
  expect(within('tide_station', 'Busan')).toBeUndefined();
  expect(() => within('district', '')).toThrow('text is empty');
});
