import { htmlResponse, jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [err: string, errMsg: string] => {
  if (typeof refusal === 'object') return ['20', '필수요청변수값이 누락되었습니다.'];
  if (refusal === 'quota') return ['40', '호출가능건수가 초과되었습니다.'];
  if (refusal === 'blocked_ip') return ['42', '이용이 제한된 사용자입니다.'];
  return ['11', '유효하지 않은 인증KEY입니다.'];
};

const failure = (err: string, errMsg: string): SandboxResponse => jsonResponse({ err, errMsg });

/** The statistics portal: the root is the array of rows; an object with status 200 is never data. */
export const kosis: UpstreamFamily = {
  addresses: ['https://kosis.kr/'],
  refuse: (refusal) =>
    refusal === 'unknown_path' ? htmlResponse('Not Found', 404) : failure(...refusalOf(refusal)),
  empty: () => failure('30', '데이터가 존재하지 않습니다.'),
  single: (sample) => jsonResponse(JSON.parse(sample.body).slice(0, 1)),
};
