import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleText } from '../../test/support/arbitrary-text.ts';
import { createCodeTables } from './code-tables.ts';

const tables = createCodeTables({ dir: resolve(import.meta.dirname, '../../codes') });

const codesOf = (kind: string, text: string, limit = 3) =>
  tables.find({ kind, text, limit }).map(({ code }) => code);
const codeOf = (kind: string, text: string, argument?: string) => {
  const resolution = tables.resolve(kind, text, argument);
  return 'code' in resolution ? resolution.code : resolution.choices.map(({ code }) => code);
};
const noteOf = (kind: string, text: string) => {
  const resolution = tables.resolve(kind, text);
  return 'code' in resolution ? resolution.note : undefined;
};

test('all kinds are prepared in turns between which other work continues', async () => {
  const prepared = createCodeTables({ dir: resolve(import.meta.dirname, '../../codes') });
  let isPrepared = false;
  const preparing = prepared.prepare().then(() => {
    isPrepared = true;
  });
  let turns = 0;
  while (!isPrepared) {
    await nextTurn();
    turns++;
  }
  await preparing;
  expect(turns).toBeGreaterThan(prepared.kinds.length);
  expect(prepared.find({ kind: 'legal_dong', text: '역삼동' })).toEqual(
    tables.find({ kind: 'legal_dong', text: '역삼동' }),
  );
});

describe('find by name', () => {
  test.each([
    '강남구',
    '강남',
    '서울 강남구',
    '서울강남구',
    'Gangnam-gu',
    'gangnam',
    'GANGNAM GU',
    'Kangnam',
  ])('finds the district %s', (text) => {
    expect(codesOf('district', text)[0]).toBe('11680');
  });

  test('says what tells hits of one name apart', () => {
    const hits = tables.find({ kind: 'district', text: '고성군' });
    expect(hits.slice(0, 2)).toMatchObject([
      { code: '48820', nameEn: 'Goseong-gun', sido: '경상남도', kind: 'district' },
      {
        code: '51820',
        sido: '강원특별자치도',
        formerly: '강원도 고성군 (42820, until 2023-06-11)',
      },
    ]);
  });

  test('gives a place its forecast grid, coordinates and area number', () => {
    expect(tables.find({ kind: 'place', text: '종로구 사직동', limit: 1 })).toEqual([
      {
        code: '1111053000',
        name: '사직동',
        kind: 'place',
        romanised: 'Sajik-dong',
        sido: '서울특별시',
        sigungu: '종로구',
        nx: 60,
        ny: 127,
        lat: 37.573269,
        lon: 126.970956,
        areaNo: '1111053000',
      },
    ]);
  });

  test('finds a land forecast region by a city in it, and each region once', () => {
    expect(tables.find({ kind: 'mid_land_region', text: '강릉' })).toMatchObject([
      { code: '11D20000', name: '강원도영동', containing: '강릉' },
    ]);
    expect(codesOf('mid_land_region', '경기')).toEqual(['11B00000']);
  });

  test('finds an area under the name of what it belonged to before', () => {
    expect(codesOf('legal_dong', '인천 중구 운서동')).toEqual(['2815510300']);
    expect(codesOf('place', '광주광역시 동구')[0]).toBe('1221000000');
  });

  test('finds a province under its former name', () => {
    expect(tables.find({ kind: 'province', text: '전라남도' })).toMatchObject([
      { code: '12', nameEn: 'Jeonnam-Gwangju', formerly: '광주광역시, 전라남도' },
    ]);
    expect(codesOf('place', '전라남도')[0]).toBe('1200000000');
  });

  test('tells the counties that share a name with a town in them from that town', () => {
    expect(codesOf('place', '담양군 담양읍')[0]).toBe('1271025000');
    expect(codesOf('place', '담양군')[0]).toBe('1271000000');
  });

  test('takes a code of the table, and a former one', () => {
    expect(codesOf('worldbank_indicator', 'ny.gdp.mktp.cd')).toEqual(['NY.GDP.MKTP.CD']);
    expect(tables.find({ kind: 'place', text: '2911000000' })).toMatchObject([
      { code: '1221000000', formerCode: '2911000000' },
    ]);
  });

  test('keeps leading zeros', () => {
    expect(codesOf('hs_heading', 'tea')[0]).toBe('0902');
    expect(codesOf('performance_code', '공연중')[0]).toBe('02');
  });

  test('finds nothing for a text that fits nothing', () => {
    expect(codesOf('district', '東京')).toEqual([]);
    expect(codesOf('district', '99999')).toEqual([]);
    expect(codesOf('district', '?!')).toEqual([]);
  });

  test('restricts a table with codes for several arguments to one of them', () => {
    expect(tables.find({ kind: 'tour_code', text: '서울' }).map((hit) => hit['argument'])).toEqual([
      'lDongRegnCd',
      'areaCode',
    ]);
    const found = tables.find({ kind: 'tour_code', text: '서울', argument: 'areaCode' });
    expect(found.map(({ code }) => code)).toEqual(['1']);
  });
});

describe('find by position', () => {
  test('puts the nearest first, with its distance in kilometres', () => {
    const hits = tables.find({ kind: 'tide_station', near: { lat: 35.1, lon: 129 }, limit: 2 });
    expect(hits).toMatchObject([{ code: 'DT_0005', name: '부산', km: 3.2 }, { code: 'SO_0553' }]);
  });

  test('names each region once', () => {
    const hits = tables.find({ kind: 'mid_land_region', near: { lat: 37.8, lon: 128.9 } });
    expect(hits[0]).toMatchObject({ code: '11D20000', name: '강원도영동' });
    expect(new Set(hits.map(({ code }) => code)).size).toBe(hits.length);
  });
});

describe('resolve', () => {
  test('leads from a name to its only code', () => {
    expect(codeOf('district', 'Gangnam')).toBe('11680');
    expect(codeOf('district', '수원')).toBe('41110');
    expect(codeOf('tide_station', 'Mokpo')).toBe('DT_0007');
    expect(codeOf('mid_land_region', '부산')).toBe('11H20000');
  });

  test('leaves a code as it is', () => {
    expect(codeOf('district', '11680')).toBe('11680');
    expect(codeOf('air_station', '중앙동(경기)')).toBe('중앙동(경기)');
  });

  test('returns the choices if a name fits several codes', () => {
    expect(codeOf('district', '중구')).toEqual(expect.arrayContaining(['11140', '26110', '27110']));
    expect(codeOf('mid_temperature_region', '고성')).toEqual(['11D20402', '11H20404', '11L10002']);
  });

  test('returns the choices if a city has the name of a province elsewhere', () => {
    expect(codeOf('district', '광주')).toEqual(expect.arrayContaining(['41610', '12210']));
    expect(codeOf('district', '제주')).toBe('50110');
  });

  test('takes the name of a province for the province alone', () => {
    expect(codeOf('place', '부산')).toBe('2600000000');
    expect(codeOf('place', 'Daegu')).toBe('2700000000');
    expect(codeOf('place', '부산면')).toBe('1277036000');
    expect(codeOf('district', '부산')).toEqual(expect.arrayContaining(['26230', '26350']));
    expect(codeOf('district', 'Busan')).toEqual(expect.arrayContaining(['26230', '26350']));
    expect(codeOf('district', '세종')).toBe('36110');
  });

  test('does not take a typo or the beginning of a name for the name', () => {
    expect(codeOf('district', '해운데구')).toEqual(['26350']);
    expect(codeOf('district', 'Haeun')).toEqual(['26350']);
    expect(codeOf('district', '東京')).toEqual([]);
  });

  test('takes the argument into account', () => {
    expect(codeOf('tour_code', '서울', 'lDongRegnCd')).toBe('11');
    expect(codeOf('tour_code', '서울', 'areaCode')).toBe('1');
  });

  test('says what took the place of a former code or name', () => {
    expect(noteOf('district', '28170')).toBe(
      '28170 남구 was abolished on 2018-07-01. In its place: 28177.',
    );
    expect(noteOf('place', '2911000000')).toBe(
      '2911000000 is a former code of 동구. The code is now 1221000000.',
    );
    expect(codeOf('district', '인천 남구')).toBe('28177');
    expect(noteOf('district', '당진군')).toBe(
      '당진시 (44270) was formerly 충청남도 당진군 (44830, until 2012-01-01).',
    );
    expect(noteOf('district', '춘천시')).toBeUndefined();
  });

  test('returns all districts that an abolished one was divided into', () => {
    expect(codeOf('district', '인천 중구')).toEqual(expect.arrayContaining(['28125', '28155']));
  });
});

describe('a query that cannot be answered', () => {
  const refused = (query: Parameters<typeof tables.find>[0], message: string | RegExp) =>
    expect(() => tables.find(query)).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        message: typeof message === 'string' ? expect.stringContaining(message) : message,
      }),
    );

  test('is refused with the kinds that exist', () => {
    refused({ kind: 'town', text: '서울' }, 'kind is unknown. Available: district, province, ');
    refused({ kind: 'toString', text: '서울' }, 'kind is unknown.');
    expect(() => tables.resolve('town', '서울')).toThrow('kind is unknown.');
  });

  test('is refused without a text and a position, and with both', () => {
    refused({ kind: 'place' }, 'Give either text or near');
    refused(
      { kind: 'place', text: '서울', near: { lat: 37, lon: 127 } },
      'Give either text or near',
    );
  });

  test('is refused if the text is empty or longer than 100 characters', () => {
    refused({ kind: 'place', text: ' ' }, 'text is empty.');
    refused({ kind: 'place', text: '가'.repeat(101) }, 'text is longer than 100 characters.');
    expect(codesOf('place', '가'.repeat(100))).toEqual([]);
    expect(() => tables.resolve('place', '')).toThrow('text is empty.');
  });

  test('is refused if the limit is not from 1 to 50', () => {
    for (const limit of [0, 51, 1.5, Number.NaN]) {
      refused(
        { kind: 'place', text: '중앙동', limit },
        'limit must be a whole number from 1 to 50.',
      );
    }
    expect(codesOf('legal_dong', '서울', 50)).toHaveLength(50);
    expect(tables.find({ kind: 'legal_dong', text: '서울' })).toHaveLength(10);
  });

  test('is refused if the position is not on Earth, or the table has no coordinates', () => {
    refused({ kind: 'place', near: { lat: 91, lon: 0 } }, 'near.lat must be a latitude');
    refused({ kind: 'place', near: { lat: Number.NaN, lon: 0 } }, 'near.lat must be a latitude');
    refused({ kind: 'place', near: { lat: 0, lon: 181 } }, 'near.lon must be a longitude');
    refused(
      { kind: 'legal_dong', near: { lat: 37, lon: 127 } },
      'near cannot be used: legal_dong has no coordinates. Use text. With coordinates: district, place,',
    );
  });

  test('is refused if the table has no codes for the argument', () => {
    refused(
      { kind: 'tour_code', text: '서울', argument: 'sido' },
      'argument is unknown for tour_code. Available: lclsSystm1,',
    );
    refused(
      { kind: 'district', text: '서울', argument: 'sido' },
      'argument cannot be used: district has codes for one argument only.',
    );
  });
});

describe('any text', () => {
  const words = fc.constantFrom(
    '서울',
    '중구',
    '동',
    'gu',
    'Busan',
    '고성',
    '1',
    '강ㄴ',
    '(',
    'coffee',
  );
  const text = fc
    .oneof(
      visibleText({ minLength: 1, maxLength: 60 }),
      fc.array(words, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(' ')),
    )
    .filter((value) => value.trim() !== '' && value.length <= 100);

  test('has at most the hits that were asked for, each once and always the same', () => {
    fc.assert(
      fc.property(fc.constantFrom(...tables.kinds), text, (kind, value) => {
        const hits = tables.find({ kind, text: value, limit: 5 });
        expect(hits.length).toBeLessThanOrEqual(5);
        expect(hits.every((hit) => hit.kind === kind && hit.code !== '')).toBe(true);
        expect(tables.find({ kind, text: value, limit: 5 })).toEqual(hits);
        const resolution = tables.resolve(kind, value);
        if ('code' in resolution) expect(resolution.hit.code).toBe(resolution.code);
      }),
      { numRuns: 300 },
    );
  });
});
