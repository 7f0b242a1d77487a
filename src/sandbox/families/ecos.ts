import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [code: string, message: string] => {
  if (typeof refusal === 'object') return ['ERROR-100', '필수 값이 누락되어 있습니다.'];
  if (refusal === 'unknown_path') return ['ERROR-500', '해당 서비스를 찾을 수 없습니다.'];
  if (refusal === 'quota') return ['ERROR-602', '과도한 OpenAPI 호출로 이용이 제한되었습니다.'];
  return ['INFO-100', '인증키가 유효하지 않습니다.'];
};

const result = (CODE: string, MESSAGE: string): SandboxResponse =>
  jsonResponse({ RESULT: { CODE, MESSAGE } });

/** The Bank of Korea: refusals and empty results have status 200, and replace the object named for the service. */
export const ecos: UpstreamFamily = {
  addresses: ['https://ecos.bok.or.kr/'],
  refuse: (refusal) => result(...refusalOf(refusal)),
  empty: () => result('INFO-200', '해당하는 데이터가 없습니다.'),
  single(sample) {
    const [[service, { row }]] = Object.entries(JSON.parse(sample.body)) as [[string, Service]];
    return jsonResponse({ [service]: { list_total_count: 1, row: row.slice(0, 1) } });
  },
};

interface Service {
  readonly row: readonly unknown[];
}
