import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const REFUSED_KEY = { code: -4, msg: '등록되지 않은 인증키 입니다.' };

const refusalOf = (refusal: Refusal): [status: number, body: object] => {
  if (typeof refusal === 'object') return [400, { status_code: 'REQUEST_DATA_MALFORMED' }];
  if (refusal === 'unknown_path') return [404, { code: -3, msg: '등록되지 않은 서비스 입니다.' }];
  if (refusal === 'quota') return [429, { msg: 'Too many requests.' }];
  return [401, REFUSED_KEY];
};

function withRows(sample: SandboxResponse, count: number): SandboxResponse {
  const { data, ...rest } = JSON.parse(sample.body);
  return jsonResponse({ ...rest, request_cnt: count, data: data.slice(0, count) });
}

/** The other platform of data.go.kr: HTTP statuses with JSON, without the XML of the portal. */
export const odcloud: UpstreamFamily = {
  addresses: ['https://api.odcloud.kr/'],
  refuse(refusal) {
    const [status, body] = refusalOf(refusal);
    return jsonResponse(body, status);
  },
  empty: (sample) => withRows(sample, 0),
  single: (sample) => withRows(sample, 1),
};
