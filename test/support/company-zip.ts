import { zipSync } from 'fflate';

/** An entry of `corpCode.xml`: code, name, English name, ticker. */
export type ListedEntry = readonly [code: string, name: string, nameEn?: string, ticker?: string];

export const COMPANY_ENTRIES: readonly ListedEntry[] = [
  ['00000001', '카카오', 'Kakao Old Co., Ltd.'],
  ['00126380', '삼성전자', 'SAMSUNG ELECTRONICS CO,.LTD', '005930'],
  ['00149655', '삼성물산', 'Samsung C&amp;T Corporation', '028260'],
  ['00000002', '주식회사 서울산업', 'SEOUL INDUSTRY', '0001A0'],
  ['00258801', '카카오', 'Kakao Corp.', '035720'],
  ['00000003', '표본운수', 'Sample Transport Inc.'],
];

/** The XML of the list, as the disclosure system writes it. */
export const companyXml = (entries: readonly ListedEntry[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<result>\n${entries
    .map(
      ([code, name, nameEn = ' ', ticker = ' ']) => `    <list>
        <corp_code>${code}</corp_code>
        <corp_name>${name}</corp_name>
        <corp_eng_name>${nameEn}</corp_eng_name>
        <stock_code>${ticker}</stock_code>
        <modify_date>20240131</modify_date>
    </list>
`,
    )
    .join('')}</result>`;

export const zipOf = (text: string, name = 'CORPCODE.xml'): Buffer =>
  Buffer.from(zipSync({ [name]: Buffer.from(text) }, { mtime: '2024-01-31' }));

export const companyZip = (entries = COMPANY_ENTRIES): Buffer => zipOf(companyXml(entries));
