import { htmlResponse, jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

function keepBooks(sample: SandboxResponse, keep: number): SandboxResponse {
  const { response } = JSON.parse(sample.body);
  const docs = response.docs.slice(0, keep);
  return jsonResponse({ response: { ...response, resultNum: keep, numFound: keep, docs } });
}

/** Library loans: refuses with status 200; an invalid key has a code, other refusals only a message. */
export const data4library: UpstreamFamily = {
  addresses: ['https://data4library.kr/'],
  refuse(refusal) {
    if (typeof refusal === 'object') {
      return jsonResponse({ response: { error: `${refusal.missing} 값이 필요합니다.` } });
    }
    if (refusal === 'unknown_path') return htmlResponse('Not Found', 404);
    return refusal === 'quota'
      ? jsonResponse({ response: { error: '1일 호출 가능 건수를 초과하였습니다.' } })
      : jsonResponse({ response: { errCode: '003', error: '인증키가 유효하지 않습니다.' } });
  },
  empty: (sample) => keepBooks(sample, 0),
  single: (sample) => keepBooks(sample, 1),
};
