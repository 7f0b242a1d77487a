import { zipSync } from 'fflate';
import { jsonResponse, type SandboxResponse, xmlResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const REFUSALS = {
  unregistered_key: ['010', '등록되지 않은 키입니다.'],
  expired_key: ['901', '사용자 계정의 보유기간이 만료되어 사용할 수 없는 키입니다.'],
  blocked_ip: ['012', '접근할 수 없는 IP입니다.'],
  quota: ['020', '요청 제한을 초과하였습니다.'],
  unknown_path: ['101', '부적절한 접근입니다.'],
} as const;

const refusalOf = (refusal: Refusal): readonly [status: string, message: string] =>
  typeof refusal === 'object' ? ['100', '필드의 부적절한 값입니다.'] : REFUSALS[refusal];

const refused = ([status, message]: readonly [string, string]): SandboxResponse =>
  jsonResponse({ status, message });

/** The company of the samples, and made-up ones: a listed one and another of the same name. */
const COMPANIES = `<result>
<list><corp_code>00126380</corp_code><corp_name>삼성전자</corp_name><corp_eng_name>SAMSUNG ELECTRONICS CO,.LTD</corp_eng_name><stock_code>005930</stock_code><modify_date>20251201</modify_date></list>
<list><corp_code>00900001</corp_code><corp_name>표본상사</corp_name><corp_eng_name>Sample Trading Co., Ltd.</corp_eng_name><stock_code> </stock_code><modify_date>20240315</modify_date></list>
<list><corp_code>00900002</corp_code><corp_name>표본상사</corp_name><corp_eng_name>Sample Trading Holdings Co., Ltd.</corp_eng_name><stock_code>900990</stock_code><modify_date>20250102</modify_date></list>
<list><corp_code>00900003</corp_code><corp_name>표본운수</corp_name><corp_eng_name>Sample Transport Co., Ltd.</corp_eng_name><stock_code> </stock_code><modify_date>20230704</modify_date></list>
</result>`;

const companyList = (): Uint8Array =>
  zipSync({ 'CORPCODE.xml': Buffer.from(xmlResponse(COMPANIES).body) });

/** The disclosure system: a code and a message with status 200, and nothing else without data. */
export const dart: UpstreamFamily = {
  addresses: ['https://opendart.fss.or.kr/'],
  refuse: (refusal) => refused(refusalOf(refusal)),
  empty: () => refused(['013', '조회된 데이타가 없습니다.']),
  file(path, refusal) {
    if (path !== '/corpCode.xml') return undefined;
    if (refusal === undefined) {
      return { status: 200, contentType: 'application/x-msdownload', body: companyList() };
    }
    const [status, message] = refusalOf(refusal);
    return xmlResponse(`<result><status>${status}</status><message>${message}</message></result>`);
  },
  single(sample) {
    const { list, ...rest } = JSON.parse(sample.body);
    const total = 'total_count' in rest ? { total_count: 1, total_page: 1 } : {};
    return list ? jsonResponse({ ...rest, ...total, list: list.slice(0, 1) }) : sample;
  },
};
