import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { COMPANY_ENTRIES, companyZip } from '../../../test/support/company-zip.ts';
import { readCorpCodes } from './companies-worker.ts';
import {
  createCompanyTable,
  indexCompanies,
  openCompanyFile,
  storeCompanies,
} from './company-file.ts';

const SOURCE = 'https://dart.example/corpCode.xml';
const dir = mkdtempSync(join(tmpdir(), 'companies-'));
const opened: DatabaseSync[] = [];
afterAll(() => {
  for (const file of opened) file.close();
  rmSync(dir, { recursive: true });
});

function tableOf(entries = COMPANY_ENTRIES) {
  const dataDir = join(dir, String(opened.length));
  const companies = readCorpCodes(companyZip(entries));
  storeCompanies(dataDir, { source: SOURCE, fetchedAtMs: 1 }, companies);
  const index = indexCompanies(dataDir, SOURCE) ?? expect.fail('No list was stored.');
  const file = openCompanyFile(dataDir);
  opened.push(file);
  return createCompanyTable(file, index);
}
const table = tableOf();
const found = (text: string) => table.find(text, 5).map(({ code }) => code);
const resolved = (text: string) => {
  const resolution = table.resolve(text);
  return 'code' in resolution ? resolution.code : resolution.choices.map(({ code }) => code);
};

const SAMSUNG = '00126380';

describe('a company', () => {
  it.each([
    '삼성전자',
    ' 삼성 전자 ',
    '삼성전자(주)',
    '㈜삼성전자',
    '주식회사 삼성전자',
    'Samsung Electronics',
    'SAMSUNG ELECTRONICS CO., LTD.',
    '005930',
    '5930',
    '005-930',
    'a005930',
    'KRX:005930',
    '005930.KS',
    'KR7005930003',
    SAMSUNG,
  ])('is meant by %s', (text) => {
    expect(resolved(text)).toBe(SAMSUNG);
    expect(found(text)[0]).toBe(SAMSUNG);
  });

  it.each([
    ['0001a0', '00000002'],
    ['서울산업', '00000002'],
    ['Samsung C&T Corporation', '00149655'],
    ['표본운수', '00000003'],
    ['Sample Transport', '00000003'],
  ])('is meant by %s, listed or not', (text, code) => {
    expect(resolved(text)).toBe(code);
  });

  it('is shown with what distinguishes it', () => {
    expect(table.find('삼성전자', 1)).toEqual([
      {
        code: SAMSUNG,
        name: '삼성전자',
        kind: 'company',
        nameEn: 'SAMSUNG ELECTRONICS CO,.LTD',
        ticker: '005930',
        changedOn: '2024-01-31',
      },
    ]);
    expect(table.find('표본운수', 1)[0]).not.toHaveProperty('ticker');
  });

  it('is not meant by a part or a typo of its name, which has choices', () => {
    expect(resolved('삼성')).toEqual(expect.arrayContaining([SAMSUNG, '00149655']));
    expect(resolved('Samsung')).toEqual(expect.arrayContaining([SAMSUNG, '00149655']));
    expect(resolved('Samsung Electornics')).toContain(SAMSUNG);
    expect(resolved('Atlantis')).toEqual([]);
    expect(resolved('99999999')).toEqual([]);
    expect(resolved('?!')).toEqual([]);
  });

  it('is one of several choices if others have the same name, listed ones first', () => {
    expect(resolved('카카오')).toEqual(['00258801', '00000001']);
    expect(found('카카오')).toEqual(['00258801', '00000001']);
    expect(resolved('Kakao')).toBe('00258801');
  });

  it('has at most 10 choices and as many hits as were asked for', () => {
    const many = tableOf(
      Array.from({ length: 500 }, (_, n) => [String(10_000_000 + n), '한국산업'] as const),
    );
    const resolution = many.resolve('한국산업');
    expect('choices' in resolution && resolution.choices).toHaveLength(10);
    expect(many.find('한국산업', 50)).toHaveLength(50);
  });

  it('is found even if its name is indexed with ten thousands of others', () => {
    const word = (n: number) => `w${n.toString(36)}x`;
    const many = tableOf(
      Array.from({ length: 70_000 }, (_, n) => [
        String(10_000_000 + n),
        word(n),
        word(n + 70_000),
        String(100_000 + n),
      ]),
    );
    expect(many.resolve(word(69_999))).toMatchObject({ code: '10069999' });
    expect(many.resolve(word(5))).toMatchObject({ code: '10000005' });
  });
});
