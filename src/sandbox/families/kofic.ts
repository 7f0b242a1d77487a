import { htmlResponse, jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

const faultInfo = (errorCode: string, message: string): SandboxResponse =>
  jsonResponse({ faultInfo: { message, errorCode } });

/** The sample with only its first films. It is one object that contains one list, and in some operations a count. */
function keepFilms(sample: SandboxResponse, keep: number): SandboxResponse {
  const [[name, result]] = Object.entries<object>(JSON.parse(sample.body)) as [[string, object]];
  const kept = Object.entries(result).map(([key, value]) => {
    if (Array.isArray(value)) return [key, value.slice(0, keep)];
    return [key, key === 'totCnt' ? keep : value];
  });
  return jsonResponse({ [name]: Object.fromEntries(kept) });
}

/** The film council: refuses with status 200 and a separate object. */
export const kofic: UpstreamFamily = {
  addresses: ['https://www.kobis.or.kr/'],
  refuse(refusal) {
    if (typeof refusal === 'object') {
      return faultInfo('320102', `${refusal.missing} 파라미터가 누락되었습니다.`);
    }
    if (refusal === 'unknown_path') return htmlResponse('Not Found', 404);
    if (refusal === 'quota') return faultInfo('320011', '일일 허용 요청 횟수를 초과하였습니다.');
    return faultInfo('320010', '유효하지않은 키값입니다.');
  },
  empty: (sample) => keepFilms(sample, 0),
  single: (sample) => keepFilms(sample, 1),
};
