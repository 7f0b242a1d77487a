import { describe, expect, it } from 'vitest';
import { companyXml, companyZip, zipOf } from '../../../test/support/company-zip.ts';
import { readCorpCodes, UnreadableList } from './companies-worker.ts';
import { COMPANY_LIMITS } from './company-file.ts';

const failureOf = (zip: Uint8Array): unknown => {
  try {
    return readCorpCodes(zip);
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableList);
    return (error as Error).message;
  }
};

/** Where the size of the first file is stated, before expansion, in the directory at the end of a ZIP. */
const STATED_SIZE = 24;

/** The same ZIP that states another size for its file. */
function stating(zip: Buffer, bytes: number): Buffer {
  const changed = Buffer.from(zip);
  changed.writeUInt32LE(bytes, changed.lastIndexOf('PK\x01\x02') + STATED_SIZE);
  return changed;
}

describe('the list of companies in a ZIP', () => {
  it('is read entry by entry, with blank fields empty', () => {
    const companies = readCorpCodes(companyZip());
    expect(companies).toHaveLength(6);
    expect(companies.slice(0, 3)).toMatchObject([
      { code: '00000001', ticker: '' },
      {
        code: '00126380',
        name: '삼성전자',
        nameEn: 'SAMSUNG ELECTRONICS CO,.LTD',
        ticker: '005930',
        changedOn: '20240131',
      },
      { nameEn: 'Samsung C&T Corporation' },
    ]);
  });

  it('has fields on one line of at most 200 characters, and no entry without a code and a name', () => {
    const zip = companyZip([
      ['00000001', ` 가\t나\n다 ${'a'.repeat(300)}`, 'x', 'not a ticker'],
      ['1', '라'],
      ['00000002', ' '],
    ]);
    const [company, ...others] = readCorpCodes(zip);
    expect(others).toEqual([]);
    expect(company).toMatchObject({ name: expect.stringMatching(/^가 나 다 a+$/), ticker: '' });
    expect(company?.name.length).toBeLessThanOrEqual(COMPANY_LIMITS.nameCharacters);
  });

  it.each<[string, Buffer, string]>([
    ['cut off', companyZip().subarray(0, 200), 'it is not a complete ZIP'],
    ['not a ZIP', Buffer.from('PK but nothing else'), 'it is not a complete ZIP'],
    ['empty', Buffer.alloc(0), 'it is not a complete ZIP'],
    ['without XML', zipOf('x', 'readme.txt'), 'the ZIP has no XML file'],
    ['of broken XML', zipOf('<result><list>'), 'its XML is not well-formed'],
    [
      'of XML with own entities',
      zipOf('<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>'),
      'its XML is not well-formed',
    ],
    ['without companies', zipOf('<result></result>'), 'it names no companies'],
    [
      'stated to expand to more than 64 MiB',
      stating(companyZip(), COMPANY_LIMITS.xmlBytes + 1),
      'its XML is larger than 67108864 bytes',
    ],
    ['larger than 16 MiB', Buffer.alloc(COMPANY_LIMITS.zipBytes + 1), 'the ZIP is too large'],
  ])('is refused if it is %s', (_, zip, message) => {
    expect(failureOf(zip)).toBe(message);
  });

  it('expands no further than the size that it states', () => {
    const bomb = zipOf(companyXml(Array.from({ length: 20_000 }, () => ['00000001', '가'])));
    expect(failureOf(stating(bomb, 1000))).toMatch(/complete ZIP|well-formed/);
  });

  it('is refused if it has more than 300,000 companies', () => {
    const entry = '<list><corp_code>00000001</corp_code><corp_name>a</corp_name></list>';
    const xml = `<r>${entry.repeat(COMPANY_LIMITS.rows + 1)}</r>`;
    expect(failureOf(zipOf(xml))).toBe('it has more than 300000 companies');
  });
});
